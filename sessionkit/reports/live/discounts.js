// Live discounts: mean curves and means of sDCG and nsDCG for the discounts and the gain that are chosen.
"use strict";
(() => {
  const {made, swatch, told, lines} = window.sessionkitDrawing;
  const root = document.getElementById("live");
  const data = JSON.parse(document.getElementById("live-data").textContent);
  const {cells, sessions, grades, cutoff} = data;
  const field = (name) => document.getElementById(`live-${name}`);
  const [base, baseSlider, query, querySlider, gain] =
    ["b", "b-slider", "bq", "bq-slider", "gain"].map(field);
  const weightFields = [...field("weights").querySelectorAll("input")];
  const groups = data.names.map((_, group) => group);
  const deepest = Math.max(0, ...data.queries);
  const chosen = {};

  const reset = () => Object.assign(chosen, data.start, {weights: [...data.weights]});

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

  const longest = (column) => column.reduce((a, b) => Math.max(a, b), 0);
  const positions = Math.max(deepest, longest(cells.query), longest(sessions.query),
    ...sessions.ideals.map((ideal) => longest(ideal.filter((_, at) => at % 2 === 0))));

  // Means and curves; everything that is shown comes from here.
  const computed = () => {
    const worth = gains();
    const rank = discounts(cutoff, chosen.b);
    const position = discounts(positions, chosen.bq);
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

  // Mean of nsDCG over the sessions that the page holds: each divided by its own ideal.
  const shares = (worth, rank, position) => {
    const order = grades.map((_, grade) => grade).sort((a, b) => worth[b] - worth[a]);
    const reach = [0];
    for (let place = 1; place <= cutoff; place += 1) reach.push(reach[place - 1] + rank[place]);
    const best = sessions.bases.map((base) => {
      const many = new Map();
      for (let at = 0; at < base.length; at += 2) many.set(base[at], base[at + 1]);
      let [sum, from] = [0, 0];
      for (const grade of order) {
        const until = Math.min(cutoff, from + (many.get(grade) ?? 0));
        if (worth[grade] > 0) sum += worth[grade] * (reach[until] - reach[from]);
        from = until;
      }
      return sum;
    });
    const ideals = sessions.ideals.map((ideal) => {
      let sum = 0;
      for (let at = 0; at < ideal.length; at += 2) sum += position[ideal[at]] * best[ideal[at + 1]];
      return sum;
    });
    const added = sessions.query.map((at, place) =>
      worth[sessions.grade[place]] * rank[sessions.rank[place]] * position[at]);
    const sums = groups.map(() => 0);
    const defined = groups.map(() => 0);
    let next = 0;
    sessions.size.forEach((size, session) => {
      let sum = 0;
      for (const end = next + size; next < end; next += 1) sum += added[sessions.place[next]];
      const ideal = ideals[sessions.ideal[session]];
      const group = sessions.group[session];
      if (ideal > 0) sums[group] += sum / ideal;
      if (ideal > 0 || data.zero) defined[group] += 1;
    });
    return {share: sums.map((sum, group) => defined[group] ? sum / defined[group] : null), defined};
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

  let first = null;
  const show = () => {
    const begin = performance.now();
    const found = computed();
    const milliseconds = performance.now() - begin;
    const names = data.texts.map(text);
    root.sessionkit = {...found, names, milliseconds};
    first ??= {...found, names};
    const differs = groups.some((group) => found.defined[group] !== data.n[group]);
    const titles = [data.legend, "Sessions", ...names, ...(differs ? [`Sessions of ${names[1]}`] : [])];
    const head = made("thead", {}, made("tr", {}, ...titles.map((title, column) =>
      made("th", column ? {scope: "col", class: "number"} : {scope: "col"}, title))));
    const rows = groups.map((group) => {
      const of = (value) => made("td", {class: "number"}, value);
      const name = made("th", {scope: "row"}, swatch(data.colors[group], group), " ", made("bdi", {}, data.names[group]));
      const some = differs ? [of(found.defined[group].toLocaleString("en"))] : [];
      return made("tr", {}, name, of(data.n[group].toLocaleString("en")), of(told(found.total[group])),
        of(told(found.share[group])), ...some);
    });
    field("means").replaceChildren(made("caption", {}, "Means over sessions with these discounts"), head, made("tbody", {}, ...rows));
    const order = ranked(found.total);
    const same = order.join() === ranked(first.total).join();
    const [best, next] = order.map((group) => made("bdi", {}, data.names[group]));
    const [most, less] = order.map((group) => found.total[group]);
    field("told").replaceChildren(...(order.length < 2 ? [`${names[0]}: ${told(most ?? null)}.`]
      : [`By ${names[0]}, `, best, ` is ${most > less ? "ahead of" : "level with"} `, next, `: ${told(most)} against ${told(less)}. ` +
        `The order by these means is ${same ? "that" : "not that"} ${data.own ? "of the report's own discounts" : `by ${first.names[0]}`}.`]));
    field("command").textContent = `The same numbers: sessionkit score STUDY "${names[0]}" "${names[1]}" --by ${data.by}`;
    draw();
  };

  const draw = () => {
    const {curves, names} = root.sessionkit;
    const ends = [...Array(deepest).keys()].map((query) => (query + 1) * cutoff);
    lines(field("drawing"), {
      series: groups.filter((group) => data.n[group]).map((group) => ({color: data.colors[group], number: group, values: curves[group]})),
      xTitle: `Slot: rank in the lists of all queries, ${cutoff} of each`,
      yTitle: `Mean ${names[0]} so far${data.synthetic ? " (synthetic data)" : ""}`,
      label: `Mean ${names[0]} after every slot, a line for each group. ${field("told").textContent}`,
      ends,
    });
  };

  const filled = () => {
    base.value = baseSlider.value = chosen.b;
    query.value = querySlider.value = chosen.bq;
    gain.value = chosen.gain;
    field("weights").hidden = chosen.gain !== "weights";
    for (const one of weightFields) one.value = chosen.weights[Number(one.dataset.grade)];
    for (const one of [base, query, ...weightFields]) one.removeAttribute("aria-invalid");
  };

  // Take a number if it can stand, else mark its field and keep what was.
  const taken = (from, set) => {
    const value = from.valueAsNumber;
    const fits = Number.isFinite(value) && value >= Number(from.min) && value <= Number(from.max);
    if (fits) set(value);
    from.toggleAttribute("aria-invalid", !fits);
    if (!fits) from.setAttribute("aria-invalid", "true");
    return fits;
  };

  const follow = (number, slider, name) => {
    slider.addEventListener("input", () => {
      chosen[name] = slider.valueAsNumber;
      number.value = slider.value;
      number.removeAttribute("aria-invalid");
      show();
    });
    number.addEventListener("input", () => {
      if (!taken(number, (value) => { chosen[name] = value; })) return;
      slider.value = number.value;
      show();
    });
  };
  follow(base, baseSlider, "b");
  follow(query, querySlider, "bq");
  gain.addEventListener("change", () => {
    chosen.gain = gain.value;
    field("weights").hidden = chosen.gain !== "weights";
    show();
  });
  for (const one of weightFields) {
    one.addEventListener("input", () => {
      const kept = (value) => { chosen.weights[Number(one.dataset.grade)] = Math.round(value * 1e6) / 1e6; };
      if (taken(one, kept)) show();
    });
  }
  field("reset").addEventListener("click", () => { reset(); filled(); show(); });
  root.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
  new ResizeObserver(() => { if (root.sessionkit) draw(); }).observe(field("drawing"));
  reset();
  filled();
  show();
})();
