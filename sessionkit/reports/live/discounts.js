// Live discounts: mean curves and means of sDCG and nsDCG for the discounts and the gain that are chosen, beside those of the report.
"use strict";
(() => {
  const {address, made, told, lines, ALL_NAMED} = window.sessionkitDrawing;
  const root = document.getElementById("live");
  const data = JSON.parse(document.getElementById("live-data").textContent);
  const {cells, sessions, grades, cutoff} = data;
  const field = (name) => document.getElementById(`live-${name}`);
  const BASES = ["b", "bq"];
  const [gain, measure] = ["gain", "measure"].map(field);
  const weightFields = [...field("weights").querySelectorAll("input")];
  const groups = data.names.map((_, group) => group);
  const deepest = Math.max(0, ...data.queries);
  const chosen = {};
  const typed = [...BASES.map(field), ...weightFields];

  const reset = () => Object.assign(chosen, data.start, {weights: [...data.weights]});

  // Sliders are logarithmic: equal steps multiply a base by the same. The report's own base is among the steps.
  const STEPS = 200;
  const step = (name, value) => {
    const [least, most] = data.range[name];
    return Math.max(0, Math.min(STEPS, Math.round(STEPS * Math.log(value / least) / Math.log(most / least))));
  };
  const stepped = (name, at) => {
    const [least, most] = data.range[name];
    return at === step(name, data.start[name]) ? data.start[name] : Number((least * (most / least) ** (at / STEPS)).toPrecision(3));
  };

  // What each grade gains, in the order of the grades.
  const gains = () => grades.map((grade) => {
    if (grade < 0) return 0;
    if (chosen.gain === "linear") return grade;
    if (chosen.gain === "exp2") return 2 ** grade - 1;
    if (chosen.gain === "binary") return grade >= data.minimum ? 1 : 0;
    return chosen.weights[grade] ?? 0;
  });

  // 1 / (1 + log_base(place)) for places 1, 2, ...; the first entry is unused.
  const discounts = (places, of) => {
    const found = new Float64Array(places + 1);
    for (let place = 1; place <= places; place += 1) found[place] = 1 / (1 + Math.log(place) / Math.log(of));
    return found;
  };

  // The curves of the report have names beside those of the page where all of them have room.
  const isGhostNamed = 2 * groups.length <= ALL_NAMED;
  const picked = new Set();  // groups whose curve stands out and is always named

  const longest = (column) => column.reduce((a, b) => Math.max(a, b), 0);
  const positions = Math.max(deepest, longest(cells.query), longest(sessions.query),
    ...sessions.ideals.map((ideal) => longest(ideal.filter((_, at) => at % 2 === 0))));

  // Means and curves; everything that is shown comes from here.
  const computed = (b, bq) => {
    const worth = gains();
    const rank = discounts(cutoff, b);
    const position = discounts(positions, bq);
    const curves = groups.map(() => new Float64Array(deepest * cutoff));
    cells.many.forEach((many, cell) => {
      const [at, place] = [cells.query[cell], cells.rank[cell]];
      curves[cells.group[cell]][(at - 1) * cutoff + place - 1] +=
        worth[cells.grade[cell]] * rank[place] * position[at] * many;
    });
    for (const group of groups) {
      let sum = 0;
      curves[group].forEach((added, slot) => { curves[group][slot] = data.n[group] ? (sum += added) / data.n[group] : NaN; });
    }
    const total = groups.map((group) => {
      if (!data.n[group]) return null;
      return curves[group].length ? curves[group][curves[group].length - 1] : 0;
    });
    return {curves, total, ...shares(worth, rank, position)};
  };

  // nsDCG of the sessions that the page holds, each divided by its own ideal: the mean of whole sessions, and after every slot the
  // mean over those whose ideal has gained something by then. A session that stops keeps its share. One perfect query stands at the
  // session's first logged one, and counts as query 1.
  const shares = (worth, rank, position) => {
    const order = grades.map((_, grade) => grade).filter((grade) => worth[grade] > 0).sort((a, b) => worth[b] - worth[a]);
    const best = sessions.bases.map((base) => {
      const many = new Map();
      for (let at = 0; at < base.length; at += 2) many.set(base[at], base[at + 1]);
      const list = [];
      for (const grade of order) {
        for (let left = many.get(grade) ?? 0; left > 0 && list.length < cutoff; left -= 1) list.push(worth[grade] * rank[list.length + 1]);
      }
      return list;
    });
    const added = sessions.query.map((at, place) =>
      worth[sessions.grade[place]] * rank[sessions.rank[place]] * position[at]);
    const sums = groups.map(() => 0);
    const defined = groups.map(() => 0);
    const ratios = groups.map(() => new Float64Array(positions * cutoff));
    const counts = groups.map(() => new Float64Array(positions * cutoff));
    let next = 0;
    sessions.size.forEach((size, session) => {
      const [group, ideal, end] = [sessions.group[session], sessions.ideals[sessions.ideal[session]], next + size];
      let [sum, whole, share, part] = [0, 0, 0, 0];
      // a session whose missing value is 0 counts in every slot, others from the first slot whose ideal is above 0
      if (sessions.zero[session]) counts[group][0] += 1;
      while (next < end || part < ideal.length) {
        const at = Math.min(next < end ? sessions.query[sessions.place[next]] : Infinity, ideal[part] ?? Infinity);
        const list = ideal[part] === at ? best[ideal[part + 1]] : [];
        if (ideal[part] === at) part += 2;
        const last = () => (next < end && sessions.query[sessions.place[next]] === at ? sessions.rank[sessions.place[next]] : 0);
        for (let place = 1; place <= list.length || last(); place += 1) {
          if (place > list.length) place = last();
          const before = whole;
          whole += (list[place - 1] ?? 0) * position[data.once ? 1 : at];
          for (; last() === place; next += 1) sum += added[sessions.place[next]];
          if (!(whole > 0)) continue;
          const slot = (at - 1) * cutoff + place - 1;
          if (!(before > 0) && !sessions.zero[session]) counts[group][slot] += 1;
          ratios[group][slot] += sum / whole - share;
          share = sum / whole;
        }
      }
      sums[group] += share;
      if (whole > 0 || sessions.zero[session]) defined[group] += 1;
    });
    for (const group of groups) {
      let [sum, many] = [0, 0];
      ratios[group].forEach((change, slot) => {
        sum += change;
        many += counts[group][slot];
        ratios[group][slot] = many ? sum / many : NaN;
      });
    }
    return {ratios, share: sums.map((sum, group) => defined[group] ? sum / defined[group] : null), defined};
  };

  // The text of a measure with what is chosen, as sessionkit takes it.
  const text = ([name, ...parts]) => {
    const last = parts.pop();
    const weights = chosen.weights.join("-");
    const values = {gain: chosen.gain === "weights" ? weights : chosen.gain, b: String(chosen.b), bq: String(chosen.bq)};
    const usual = {gain: "linear", b: "2", bq: "4"};
    const kept = parts.filter((part) => part.length === 2 || values[part[0]] !== usual[part[0]]);
    const inside = kept.map(([one, value]) => `${one}=${value ?? values[one]}`).join(",");
    return `${name[0]}${inside ? `(${inside})` : ""}${last[0]}`;
  };

  const ranked = (values) => groups.filter((group) => values[group] !== null)
    .sort((a, b) => values[b] - values[a] || a - b);

  // How high the axes are: as high as any step of the sliders makes a curve, so that they stay while one moves. sDCG rises with
  // both bases, and nsDCG ends at 1 where it has a bound.
  let highs = null;
  const highest = (curves) => curves.reduce((most, one) => one.reduce((a, b) => (b > a ? b : a), most), 0);
  const reached = (...settings) => ["curves", "ratios"].map((name) => Math.max(...settings.map((one) => highest(one[name]))));
  const scale = (published) => {
    const corners = data.range.b.flatMap((b) => data.range.bq.map((bq) => computed(b, bq)));
    const [most, share] = reached(...corners, published);
    return [most, data.bounded ? 1 : Math.max(1, share)];
  };

  const NONE = {curves: [], ratios: [], total: groups.map(() => null), share: groups.map(() => null), defined: groups.map(() => 0)};
  let first = null;
  const show = () => {
    const begin = performance.now();
    const wrong = typed.filter((one) => one.hasAttribute("aria-invalid") && one.closest("[hidden]") === null);
    const found = wrong.length ? NONE : computed(chosen.b, chosen.bq);
    const milliseconds = performance.now() - begin;
    const names = data.texts.map(text);
    first ??= {...found, names};
    highs ??= scale(first);
    if (!wrong.length) highs = reached(found).map((high, at) => Math.max(high, highs[at]));
    const which = Number(measure.value);
    root.sessionkit = {...found, names, which, milliseconds, drawn: wrong.length === 0, published: names.join() === first.names.join()};
    const heads = wrong.length ? data.texts.map(([name]) => name[0]) : names;
    const differs = !wrong.length && groups.some((group) => found.defined[group] !== data.n[group]);
    const titles = [data.legend, "Sessions", ...heads, ...(differs ? [`Sessions of ${names[1]}`] : [])];
    const head = made("thead", {}, made("tr", {}, ...titles.map((title, column) =>
      made("th", column ? {scope: "col", class: "number"} : {scope: "col"}, title))));
    const rows = groups.map((group) => {
      const of = (value) => made("td", {class: "number"}, value);
      const name = made("th", {scope: "row"}, groups.length > ALL_NAMED ? picker(group) : made("bdi", {}, data.names[group]));
      const some = differs ? [of(found.defined[group].toLocaleString("en"))] : [];
      return made("tr", {}, name, of(data.n[group].toLocaleString("en")), of(told(found.total[group])),
        of(told(found.share[group])), ...some);
    });
    field("means").replaceChildren(made("caption", {}, "Means over sessions with these discounts"), head, made("tbody", {}, ...rows));
    if (wrong.length) {
      field("told").textContent = `No curve is drawn: ${wrong.map((one) => field(one.dataset.allowed).textContent).join(", ")}.`;
    } else {
      const values = which ? "share" : "total";
      const order = ranked(found[values]);
      const same = order.join() === ranked(first[values]).join();
      const [best, next] = order.map((group) => made("bdi", {}, data.names[group]));
      const [most, less] = order.map((group) => found[values][group]);
      const whose = data.own && !which ? "of the report's own discounts" : `by ${first.names[which]}`;
      field("told").replaceChildren(...(order.length < 2 ? [`${names[which]}: ${told(most ?? null)}.`]
        : [`By ${names[which]}, `, best, ` is ${most > less ? "ahead of" : "level with"} `, next, `: ${told(most)} against ${told(less)}. ` +
          `The order by these means is ${same ? "that" : "not that"} ${whose}.`]));
    }
    draw();
    if (!wrong.length) keep();
  };

  // The name of a group that picks out its curve, or no longer.
  const picker = (group) => {
    const button = made("button", {type: "button", "aria-pressed": String(picked.has(group))}, made("bdi", {}, data.names[group]));
    button.addEventListener("click", () => {
      if (!picked.delete(group)) picked.add(group);
      button.setAttribute("aria-pressed", String(picked.has(group)));
      draw();
    });
    return button;
  };

  // The address has what differs from the report's own setting, so that a link leads to it; it is written once a slider rests, as
  // browsers refuse many changes at once, and pages without an address refuse each.
  const KEYS = [...BASES, "gain", "weights", "curves"];
  const state = () => {
    const values = {...chosen, weights: chosen.gain === "weights" ? chosen.weights.join("-") : null, curves: measure.value};
    const usual = {...data.start, weights: data.weights.join("-"), curves: "0"};
    return Object.fromEntries(KEYS.map((key) => [key, String(values[key]) === String(usual[key]) ? null : values[key]]));
  };
  let waiting;
  const keep = () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      const hash = new URLSearchParams(location.hash.slice(1));
      if (Object.entries(state()).every(([key, value]) => hash.get(key) === (value === null ? null : String(value)))) return;
      try { history.replaceState(history.state, "", address(state())); } catch (error) { console.debug(error); }
    }, 200);
  };

  // Takes from the address what can stand; an address of something else changes nothing.
  const restore = () => {
    const hash = new URLSearchParams(location.hash.slice(1));
    const before = JSON.stringify(state());
    if (!KEYS.some((key) => hash.has(key))) return;
    reset();
    for (const name of BASES) {
      const value = Number(hash.get(name));
      if (Number.isFinite(value) && value > Number(field(name).dataset.above)) chosen[name] = value;
    }
    if ([...gain.options].some((option) => option.value === hash.get("gain"))) chosen.gain = hash.get("gain");
    const given = (hash.get("weights") ?? "").split("-").map((text) => (text === "" ? NaN : Number(text)));
    if (given.length === data.weights.length && given.every((value) => value >= 0 && value <= 1e6)) chosen.weights = given;
    measure.value = hash.get("curves") === "1" ? "1" : "0";
    if (JSON.stringify(state()) === before) return;
    filled();
    regained();
    for (let place = root; place; place = place.parentElement) if (place.tagName === "DETAILS") place.open = true;
    if (!hash.has("session")) root.scrollIntoView();
  };

  // The report's own setting stays in gray; only where the choice is another one it needs names.
  const draw = () => {
    const {names, which, drawn, published} = root.sessionkit;
    const of = (setting) => (which ? setting.ratios : setting.curves);
    const many = (which ? positions : deepest);
    const known = groups.filter((group) => of(first)[group].some(Number.isFinite));
    const one = (group, more) => ({color: data.colors[group], number: group, name: data.names[group], ...more});
    const old = data.own ? "published" : "at first";
    const ghosts = known.map((group) => one(group, {values: of(first)[group], ghost: true,
      more: isGhostNamed ? `, ${old}` : "", unnamed: published || !isGhostNamed}));
    const now = drawn ? groups.filter((group) => of(root.sessionkit)[group].some(Number.isFinite)).map((group) => one(group, {values: of(root.sessionkit)[group], picked: picked.has(group)})) : [];
    const what = which ? "so far, as a share of the ideal" : "so far";
    const [n_named, n_lines] = lines(field("drawing"), {
      series: [...ghosts, ...now],
      xTitle: `Slot: rank in the lists of all queries, ${cutoff} of each`,
      yTitle: [`Mean ${drawn ? names[which] : data.texts[which][0][0]} ${what}${data.synthetic ? " (synthetic data)" : ""}`,
        published ? "" : `Gray: ${old}, ${first.names[which]}`],
      label: `${drawn ? `Mean ${names[which]} after every slot, a line for each group` : "No line for what is typed"}` +
        `${published ? "" : `; in gray ${first.names[which]}, ${old}`}. ${field("told").textContent}`,
      ends: [...Array(many).keys()].map((query) => (query + 1) * cutoff),
      high: highs[which],
      long: many * cutoff,
      from: which,
    });
    field("named").hidden = n_named === n_lines;
    field("named").textContent = `${n_named} of ${n_lines} lines are named. The table names any other: press a name to pick out its line.`;
  };

  const mark = (one, wrong) => {
    if (wrong) one.setAttribute("aria-invalid", "true");
    else one.removeAttribute("aria-invalid");
    field(one.dataset.allowed).hidden = !typed.some((other) => other.dataset.allowed === one.dataset.allowed && other.hasAttribute("aria-invalid"));
  };

  const slide = (name) => {
    const slider = field(`${name}-slider`);
    slider.value = step(name, chosen[name]);
    slider.setAttribute("aria-valuetext", String(chosen[name]));
  };

  const filled = () => {
    for (const name of BASES) {
      field(name).value = chosen[name];
      slide(name);
    }
    gain.value = chosen.gain;
    field("weights").hidden = chosen.gain !== "weights";
    for (const one of weightFields) one.value = chosen.weights[Number(one.dataset.grade)];
    for (const one of typed) mark(one, false);
  };

  // Take a number if it can stand; else say beside its field what can, and draw nothing for it.
  const follow = (one, set) => one.addEventListener("input", () => {
    const value = one.valueAsNumber;
    const fits = Number.isFinite(value) && one.validity.valid && !(value <= Number(one.dataset.above));
    if (fits) set(value);
    mark(one, !fits);
    show();
  });
  for (const name of BASES) {
    const [number, slider] = [field(name), field(`${name}-slider`)];
    follow(number, (value) => {
      chosen[name] = value;
      slide(name);
    });
    slider.addEventListener("input", () => {
      chosen[name] = stepped(name, slider.valueAsNumber);
      slider.setAttribute("aria-valuetext", String(chosen[name]));
      number.value = chosen[name];
      mark(number, false);
      show();
    });
  }
  const regained = () => {
    highs = null;
    show();
  };
  gain.addEventListener("change", () => {
    chosen.gain = gain.value;
    field("weights").hidden = chosen.gain !== "weights";
    regained();
  });
  for (const one of weightFields) {
    follow(one, (value) => {
      chosen.weights[Number(one.dataset.grade)] = Math.round(value * 1e6) / 1e6;
      highs = null;
    });
  }
  measure.addEventListener("change", show);
  field("reset").addEventListener("click", () => { reset(); filled(); regained(); });
  root.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
  new ResizeObserver(() => { if (root.sessionkit) draw(); }).observe(field("drawing"));
  reset();
  filled();
  show();
  restore();
  window.addEventListener("hashchange", restore);
})();
