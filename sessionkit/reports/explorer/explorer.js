// The session explorer: find a session in a paged list, see its queries, lists and curve. Text from the log is only text.
"use strict";
(() => {
  const {made, told, lines} = window.sessionkitDrawing;
  const root = document.getElementById("explorer-widget");
  const data = JSON.parse(document.getElementById("explorer-widget-data").textContent);
  const {sessions, queries, results, values} = data;
  const PAGE = 10;
  const LISTS = 25;
  const STATUSES = ["", "an empty list", "a list partly observed", "its list was not logged"];
  const field = (name) => document.getElementById(`explorer-${name}`);
  const many = sessions.id.length;
  const NAMED = ["System", "Topic", "User"].filter((name) => sessions[name.toLowerCase()].names.length);
  const [OWN, IDEAL] = ["#0072B2", "#767676"];

  // Where the queries of each session begin, and the results of each query.
  const starts = (sizes) => {
    const found = new Uint32Array(sizes.length + 1);
    sizes.forEach((size, at) => { found[at + 1] = found[at] + size; });
    return found;
  };
  const [queryAt, resultAt] = [starts(sessions.queries), starts(queries.many)];

  const named = (column, at) => column.codes[at] < 0 ? null : column.names[column.codes[at]];
  const valueOf = (result) => results.value[result] < 0 ? null : values[results.value[result]];
  const total = new Float64Array(many);
  for (let session = 0; session < many; session += 1) {
    const end = resultAt[queryAt[session + 1]];
    for (let result = resultAt[queryAt[session]]; result < end; result += 1) total[session] += valueOf(result) ?? 0;
  }
  const score = (session) => sessions.defined[session] === "1" ? total[session] : null;

  // What a search looks through: the session's names and its queries.
  const texts = [];
  const searched = (session) => {
    texts[session] ??= [sessions.id[session], named(sessions.user, session), named(sessions.topic, session),
      named(sessions.system, session),
      ...Array.from({length: sessions.queries[session]}, (_, at) => named(queries.text, queryAt[session] + at))]
      .filter((text) => text !== null).join("\n").toLowerCase();
    return texts[session];
  };

  const orders = {
    "by session": () => 0,
    "highest first": (a, b) => (score(b) ?? -1) - (score(a) ?? -1),
    "lowest first": (a, b) => (score(a) ?? Infinity) - (score(b) ?? Infinity) || 0,
    "most queries first": (a, b) => sessions.queries[b] - sessions.queries[a],
  };

  let found = [];
  let page = 0;
  let chosen = null;

  const kind = (value, number) => number ? {class: "number"} : (value ?? "").length > 24 ? {class: "long"} : {};
  const cell = (value, number = false) => made("td", kind(value, number), value ?? "\u2013");
  const heads = (...titles) => made("thead", {}, made("tr", {}, ...titles.map(([title, number]) =>
    made("th", number ? {scope: "col", class: "number"} : {scope: "col"}, title))));

  const list = () => {
    const from = page * PAGE;
    const here = found.slice(from, from + PAGE);
    const rows = here.map((session) => {
      const pick = made("button", {type: "button"}, sessions.id[session]);
      pick.addEventListener("click", () => { show(session); field("name").focus(); });
      const row = made("tr", {}, made("td", {}, pick), ...NAMED.map((name) => cell(named(sessions[name.toLowerCase()], session))),
        cell(String(sessions.queries[session]), true), cell(told(score(session)), true));
      if (session === chosen) row.setAttribute("aria-current", "true");
      return row;
    });
    field("list").replaceChildren(made("caption", {}, "Sessions found"),
      heads(["Session"], ...NAMED.map((name) => [name]), ["Queries", true], [data.measure, true]), made("tbody", {}, ...rows));
    field("found").textContent = !found.length ? "No session has all that."
      : `${(from + 1).toLocaleString("en")} to ${(from + here.length).toLocaleString("en")} of ${found.length.toLocaleString("en")} sessions.`;
    field("before").disabled = page === 0;
    field("next").disabled = from + PAGE >= found.length;
  };

  const find = () => {
    const words = field("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const [system, topic] = ["system", "topic"].map((name) => Number(field(name).value || -1));
    found = [];
    for (let session = 0; session < many; session += 1) {
      if (system >= 0 && sessions.system.codes[session] !== system) continue;
      if (topic >= 0 && sessions.topic.codes[session] !== topic) continue;
      if (words.every((word) => searched(session).includes(word))) found.push(session);
    }
    const order = orders[field("order").value];
    found.sort((a, b) => order(a, b) || a - b);
    page = 0;
    list();
  };

  // The session's gain and its ideal's after every slot, and where its queries end.
  const curves = (session) => {
    const [own, ideal, ends] = [[], [], []];
    let [gained, best] = [0, 0];
    const run = (code, added) => {
      if (code === undefined || code < 0) return;
      data.ideals[code].forEach((at, slot) => {
        own.push(gained += added.get(slot + 1) ?? 0);
        ideal.push(best += values[at]);
      });
    };
    run(sessions.lead?.[session], new Map());
    for (let query = queryAt[session]; query < queryAt[session + 1]; query += 1) {
      const added = new Map();
      for (let result = resultAt[query]; result < resultAt[query + 1]; result += 1) {
        const rank = (results.counted ?? results.rank)?.[result] ?? result - resultAt[query] + 1;
        added.set(rank, (added.get(rank) ?? 0) + (valueOf(result) ?? 0));
      }
      run(queries.ideal[query], added);
      ends.push(own.length);
      run(queries.gap?.[query], new Map());
    }
    return {own, ideal, ends};
  };

  const listed = (query, before, defined) => {
    const text = named(queries.text, query);
    const title = made("h4", {}, `Query ${queries.position[query]}`);
    if (text !== null) title.append(": ", made("bdi", {}, text));
    const status = STATUSES[Number(queries.status[query])];
    const place = made("div", {class: "list"}, title);
    if (status) place.append(made("p", {class: "note"}, `${status[0].toUpperCase()}${status.slice(1)}.`));
    let sum = before;
    const rows = [];
    for (let result = resultAt[query]; result < resultAt[query + 1]; result += 1) {
      const value = valueOf(result);
      sum += value ?? 0;
      const grade = results.grade[result] < 0 ? null : String(data.grades[results.grade[result]]);
      const document = data.documents ? data.documents[results.document[result]] : `document ${results.document[result] + 1}`;
      const clicked = results.clicked ? [{"1": "clicked", "0": "", "-": null}[results.clicked[result]]] : [];
      const added = value > 0 ? made("strong", {}, told(value)) : value === 0 ? "0" : told(value);
      rows.push(made("tr", {}, cell(String(results.rank?.[result] ?? result - resultAt[query] + 1), true), cell(document),
        cell(grade, true), ...clicked.map((one) => cell(one)), cell(added, true), cell(told(defined ? sum : null), true)));
    }
    if (rows.length) {
      const clicks = results.clicked ? [["Click"]] : [];
      place.append(made("div", {class: "table", tabindex: "0", role: "group", "aria-label": `Results of query ${queries.position[query]}`},
        made("table", {}, heads(["Rank", true], ["Document"], ["Grade", true], ...clicks, ["Adds", true], ["So far", true]),
          made("tbody", {}, ...rows))));
    }
    const deeper = queries.deeper[query];
    if (deeper) {
      const clicks = queries.deeper_clicks[query];
      place.append(made("p", {class: "note"}, `${deeper.toLocaleString("en")} more below rank ${data.cutoff}` +
        `${clicks ? `, ${clicks} of them clicked` : ""}.`));
    }
    return [place, sum];
  };

  // A name whose kind is said beside it: session 1, which stands for one that must not be shared, is then 1 alone.
  const bare = (kind, name) => (/^\d+$/.test(name.slice(kind.length + 1)) && name.startsWith(`${kind} `) ? name.slice(kind.length + 1) : name);

  const show = (session) => {
    chosen = session;
    const {own, ideal, ends} = curves(session);
    const value = score(session);
    root.sessionkit = {session: sessions.id[session], own, ideal, value};
    const best = ideal.length ? ideal[ideal.length - 1] : 0;
    const facts = NAMED.map((name) => [name, sessions[name.toLowerCase()]])
      .map(([name, column]) => [name, named(column, session)]).filter(([, text]) => text !== null)
      .flatMap(([name, text], at) => [at ? `, ${name.toLowerCase()} ` : `${name} `, made("bdi", {}, bare(name.toLowerCase(), text))]);
    const about = made("p", {}, ...facts, `${facts.length ? ". " : ""}${data.measure}: ${told(value)}` +
      `${value === null ? ", since nothing is judged for it." : best > 0 ? `, ${(100 * value / best).toFixed(1)}% of its ideal ${told(best)}.` : "."}`);
    const back = made("button", {type: "button"}, "Back to the list");
    back.addEventListener("click", () => (field("list").querySelector("[aria-current] button") ?? field("search")).focus());
    const drawing = made("div", {class: "chart", id: "explorer-drawing"});
    const lists = made("div", {});
    const more = made("button", {type: "button"}, "Show more queries");
    let [query, sum] = [queryAt[session], 0];
    const further = () => {
      for (const end = Math.min(query + LISTS, queryAt[session + 1]); query < end; query += 1) {
        const [place, through] = listed(query, sum, value !== null);
        sum = through;
        lists.append(place);
      }
      more.hidden = query >= queryAt[session + 1];
    };
    more.addEventListener("click", further);
    further();
    field("session").replaceChildren(made("h3", {id: "explorer-name", tabindex: "-1"}, "Session ", made("bdi", {}, bare("session", sessions.id[session]))),
      about, ...(own.length ? [drawing] : []), lists, made("p", {class: "paging"}, more, back));
    draw();
    list();
  };

  const draw = () => {
    const drawing = field("drawing");
    if (!drawing) return;
    const {own, ideal, ends} = curves(chosen);
    lines(drawing, {
      series: [{color: IDEAL, number: 1, values: ideal, name: "its ideal"}, {color: OWN, number: 0, values: own, name: "this session"}],
      xTitle: "Slot along the session's lists",
      yTitle: `${data.measure} so far${data.synthetic ? " (synthetic data)" : ""}`,
      label: `${data.measure} of session ${bare("session", sessions.id[chosen])} after every slot, ${told(score(chosen))} at the end; its ideal ` +
        `reaches ${told(ideal[ideal.length - 1])}.`,
      ends,
    });
  };

  const options = (name, words) => {
    const {names} = sessions[name];
    field(name).append(made("option", {value: ""}, words), ...names.map((one, at) => made("option", {value: String(at)}, one)));
    field(name).parentElement.hidden = names.length < 2;
    field(name).addEventListener("change", find);
  };
  options("system", "all systems");
  options("topic", "all topics");
  field("order").append(...Object.keys(orders).map((name) => made("option", {value: name},
    ["highest first", "lowest first"].includes(name) ? `${data.measure}, ${name}` : name)));
  field("order").addEventListener("change", find);
  field("search").addEventListener("input", find);
  field("before").addEventListener("click", () => { page -= 1; list(); });
  field("next").addEventListener("click", () => { page += 1; list(); });
  root.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
  new ResizeObserver(() => { if (chosen !== null) draw(); }).observe(field("session"));
  find();
  if (many) show(0);
  // the first search need not wait for the texts of all sessions
  (window.requestIdleCallback ?? window.setTimeout)(() => { for (let session = 0; session < many; session += 1) searched(session); });
})();
