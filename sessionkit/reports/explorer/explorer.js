// The session explorer: find a session in a table that is sorted, limited and saved, see its queries, lists and curve, alone or beside another one of its topic.
// Text from the log is only text.
"use strict";
(() => {
  const {address, made, shape, told} = window.sessionkitDrawing;
  const root = document.getElementById("explorer-widget");
  const data = JSON.parse(document.getElementById("explorer-widget-data").textContent);
  const {sessions, queries, results, values} = data;
  const PAGE = 10;
  const LISTS = 25;
  const OPTIONS = 1000;  // topics or users that a list offers; a search finds those of more
  const OTHERS = 300;  // sessions that one can be put beside
  const STATUSES = ["", "an empty list", "a list partly observed", "its list was not logged"];
  const field = (name) => document.getElementById(`explorer-${name}`);
  const many = sessions.id.length;
  const NAMED = ["System", "Topic", "User"].filter((name) => sessions[name.toLowerCase()].names.length);

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

  let found = [];
  let page = 0;
  let sorting = {column: null, descending: false};  // by session until a heading is chosen
  const ranges = new Map();  // the least and the highest value that a session may have, by column
  let chosen = null;  // what is shown: the session, and the one beside it or null
  let reached = "";  // the address that led to it

  const kind = (value, number) => number ? {class: "number"} : (value ?? "").length > 24 ? {class: "long"} : {};
  const cell = (value, number = false) => made("td", kind(value, number), value ?? "\u2013");
  const heads = (...titles) => made("thead", {}, made("tr", {}, ...titles.map(([title, number]) =>
    made("th", number ? {scope: "col", class: "number"} : {scope: "col"}, title))));

  // The columns of the table of sessions; on a narrow screen the first ones are seen without scrolling.
  // `order` is a number to sort by, null where there is no value; `value` is what a file of the table has.
  const numbers = (name, title, values, decimals) => ({name, title, number: true, order: values, value: values,
    cell: (session) => cell(decimals === undefined ? values(session)?.toLocaleString("en", {maximumSignificantDigits: 6}) : told(values(session), decimals), true)});
  const names = (name, title, column) => {
    const value = (session) => named(column, session);
    const order = (session) => column.codes[session] < 0 ? null : column.codes[session];
    return {name, title, order, value, cell: (session) => cell(value(session))};
  };
  const IS_JUDGED = sessions.defined.includes("1");
  const SCORES = [...["", " lower", " upper", " judged"].map((ending) => data.primary + ending), data.measure];
  const further = new Map(data.table.map(({name, title, values: held, codes, names: texts}) => [name, codes
    ? names(name, title, {codes, names: texts})
    : numbers(name, title, (session) => held[session], SCORES.indexOf(name) < 0 ? undefined : name.endsWith(" judged") ? 2 : 4)]));
  if (IS_JUDGED) further.set(data.measure, numbers(data.measure, data.measure, score, 4));
  const COLUMNS = [
    {name: "session_id", title: "Session", order: (session) => session, value: (session) => sessions.id[session], cell: picked},
    ...(IS_JUDGED ? [{title: "Curve", cell: sparkline}] : []),
    ...[...new Set(SCORES)].map((name) => further.get(name)).filter(Boolean),
    ...NAMED.map((title) => names(`${title.toLowerCase()}_id`, title, sessions[title.toLowerCase()])),
    numbers("queries", "Queries", (session) => sessions.queries[session]),
    ...[...further.values()].filter(({name}) => !SCORES.includes(name)),
  ];
  const RANGED = COLUMNS.filter((column) => column.number);

  function picked(session) {
    const pick = made("button", {type: "button"}, sessions.id[session]);
    pick.addEventListener("click", () => { go(session, null); field("name").focus(); });
    return made("th", {scope: "row", ...kind(sessions.id[session])}, pick);
  }

  // The session's curve before its ideal, which ends at the top; sessions of one page have one scale of slots.
  function sparkline(session) {
    const {own, ideal} = curves(session);
    const highest = Math.max(ideal.at(-1) ?? 0, ...own);
    const slots = Math.max(...found.slice(page * PAGE, (page + 1) * PAGE).map((shown) => curves(shown).own.length));
    const line = (values, name) => shape("path", {class: name, d: values.reduce((path, value, slot) =>
      `${path}L${(1 + 78 * (slot + 1) / slots).toFixed(1)} ${(19 - 18 * value / highest).toFixed(1)}`, "M1 19")});
    const isDrawn = score(session) !== null && highest > 0;
    return made("td", {class: "spark"}, isDrawn ? shape("svg", {viewBox: "0 0 80 20", width: 80, height: 20, "aria-hidden": "true"},
      line(ideal, "ideal"), line(own, "gain")) : "\u2013");
  }

  const list = () => {
    const from = page * PAGE;
    const here = found.slice(from, from + PAGE);
    field("list").tBodies[0].replaceChildren(...here.map((session) => {
      const row = made("tr", {}, ...COLUMNS.map((column) => column.cell(session)));
      if (chosen?.includes(session)) row.setAttribute("aria-current", "true");
      return row;
    }));
    const limits = [...ranges].map(([{title}, [least, most]]) =>
      [title, least === null ? "" : `at least ${least}`, most === null ? "" : `at most ${most}`].filter(Boolean).join(" "));
    field("found").textContent = (found.length
      ? `${(from + 1).toLocaleString("en")} to ${(from + here.length).toLocaleString("en")} of ${found.length.toLocaleString("en")} sessions`
      : "No session has all that") + (limits.length ? ` (${limits.join(", ")}).` : ".");
    field("before").disabled = page === 0;
    field("next").disabled = from + PAGE >= found.length;
    field("save").disabled = !found.length;
  };

  // Sessions without a value stand last in both directions.
  const sort = () => {
    const {column, descending} = sorting;
    const order = column?.order ?? ((session) => session);
    found.sort((a, b) => {
      const [left, right] = [order(a), order(b)];
      if (left === null || right === null) return (left === null) - (right === null) || a - b;
      return (descending ? right - left : left - right) || a - b;
    });
    page = 0;
    list();
  };

  const isWithin = (session) => [...ranges].every(([column, [least, most]]) => {
    const value = column.order(session);
    return value !== null && (least === null || value >= least) && (most === null || value <= most);
  });

  const find = () => {
    const words = field("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const codes = ["system", "topic", "user"].map((name) => [sessions[name].codes, Number(field(name).value || -1)])
      .filter(([, code]) => code >= 0);
    found = sessions.id.map((_, session) => session).filter((session) => codes.every(([column, code]) => column[session] === code)
      && words.every((word) => searched(session).includes(word)) && isWithin(session));
    sort();
  };

  // A heading sorts: numbers from the highest and names from the first; again, the other way around.
  const headings = () => COLUMNS.map((column) => {
    const attributes = column.number ? {scope: "col", class: "number"} : {scope: "col"};
    if (!column.order) return made("th", attributes, column.title);
    const button = made("button", {type: "button"}, column.title);
    const heading = made("th", attributes, button);
    button.addEventListener("click", () => {
      const descending = sorting.column === column ? !sorting.descending : Boolean(column.number);
      sorting = {column, descending};
      field("list").querySelector("th[aria-sort]")?.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
      sort();
    });
    return heading;
  });

  // As sessionkit.display.export: no text is a formula to a spreadsheet.
  const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
  const written = (value) => {
    if (value === null || typeof value === "number") return String(value ?? "");
    const text = FORMULA.test(value) ? `'${value}` : value;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const save = () => {
    const columns = COLUMNS.filter((column) => column.value);
    const lines = [columns.map(({name}) => written(name)), ...found.map((session) => columns.map(({value}) => written(value(session))))];
    const link = made("a", {download: "sessions.csv",
      href: URL.createObjectURL(new Blob([lines.map((line) => `${line.join(",")}\n`).join("")], {type: "text/csv"}))});
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };

  // A range for each column, of which one is shown and changed at a time; beyond it are no sessions.
  const limit = () => {
    const column = RANGED[Number(field("column").value)];
    const [least, most] = ["least", "most"].map((name) => (field(name).value === "" ? null : Number(field(name).value)));
    if (least === null && most === null) ranges.delete(column);
    else ranges.set(column, [least, most]);
    find();
  };
  const showRange = () => {
    const column = RANGED[Number(field("column").value)];
    const [least, most] = ranges.get(column) ?? [null, null];
    let [lowest, highest] = [Infinity, -Infinity];
    for (let session = 0; session < many; session += 1) {
      const value = column.order(session);
      if (value !== null) [lowest, highest] = [Math.min(lowest, value), Math.max(highest, value)];
    }
    for (const [name, value, edge] of [["least", least, lowest], ["most", most, highest]]) {
      field(name).value = value ?? "";
      field(name).placeholder = Number.isFinite(edge) ? String(Number(edge.toFixed(4))) : "";
    }
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

  // A document: its id or number and, where the log has them, its title above and its snippet below.
  const described = (result) => {
    const document = data.documents ? data.documents[results.document[result]] : `document ${results.document[result] + 1}`;
    const [title, snippet] = [results.title, results.snippet].map((column) => column && named(column, result));
    if (!title && !snippet) return cell(document);
    const part = (name, text) => made("bdi", {class: name}, text);
    return made("td", {class: "long"}, ...(title ? [part("title", title)] : []), part("document", document),
      ...(snippet ? [part("snippet", snippet)] : []));
  };

  // A grade, darker where it is higher; what is not judged, or does not count, has a broken edge.
  const [LOWEST, HIGHEST] = [Math.min(0, ...data.grades), Math.max(1, ...data.grades)];
  const chip = (code) => {
    if (code < 0) return made("td", {class: "number"}, made("span", {class: "chip open"}, "\u2013"));
    const share = (data.grades[code] - LOWEST) / (HIGHEST - LOWEST);
    const gray = Math.round(236 - 178 * share);
    return made("td", {class: "number"}, made("span", {class: "chip",
      style: `background: rgb(${gray}, ${gray}, ${gray}); color: ${share < 0.66 ? "#000" : "#fff"}`}, String(Number(data.grades[code].toFixed(2)))));
  };

  // A query's words, those with a term that the query before does not have in bold, then that query's other terms, struck; as
  // sessionkit.sessions.timeline.query_words.
  const termsOf = (text) => new Set(text.normalize("NFKC").toLowerCase().replace(/\p{Cf}/gu, "").match(/[\p{L}\p{M}\p{N}]+/gu) ?? []);
  const worded = (text, before) => {
    const [terms, earlier] = [termsOf(text), termsOf(before ?? text)];
    const words = text.split(/(\s+)/).map((word) => [...termsOf(word)].every((term) => earlier.has(term)) ? word : made("strong", {}, word));
    const removed = [...earlier].filter((term) => !terms.has(term));
    return [made("bdi", {}, ...words), ...removed.flatMap((term) => [" ", made("del", {}, term)])];
  };

  // A list; beside another session without the gain so far, which the curves show and a pane has no room for.
  const listed = (session, query, before, alone) => {
    const text = named(queries.text, query);
    const title = made(alone ? "h4" : "h5", {}, `Query ${queries.position[query]}`);
    const previous = query > queryAt[session] ? named(queries.text, query - 1) : null;
    if (text !== null) title.append(": ", ...worded(text, previous));
    const status = STATUSES[Number(queries.status[query])];
    const place = made("div", {class: "list"}, title);
    if (status) place.append(made("p", {class: "note"}, `${status[0].toUpperCase()}${status.slice(1)}.`));
    let sum = before;
    const rows = [];
    for (let result = resultAt[query]; result < resultAt[query + 1]; result += 1) {
      const value = valueOf(result);
      sum += value ?? 0;
      const clicked = results.clicked ? [{"1": "clicked", "0": "", "-": null}[results.clicked[result]]] : [];
      const added = value > 0 ? made("strong", {}, told(value)) : value === 0 ? "0" : told(value);
      rows.push(made("tr", {}, cell(String(results.rank?.[result] ?? result - resultAt[query] + 1), true), described(result),
        ...(IS_JUDGED ? [chip(results.grade[result])] : []), ...clicked.map((one) => cell(one)),
        ...(IS_JUDGED ? [cell(added, true)] : []), ...(IS_JUDGED && alone ? [cell(told(score(session) === null ? null : sum), true)] : [])));
    }
    if (rows.length) {
      const clicks = results.clicked ? [["Click"]] : [];
      place.append(made("div", {class: "table", tabindex: "0", role: "group", "aria-label": `Results of query ${queries.position[query]}`},
        made("table", {}, heads(["Rank", true], ["Document"], ...(IS_JUDGED ? [["Grade", true]] : []), ...clicks,
          ...(IS_JUDGED ? [["Adds", true]] : []), ...(IS_JUDGED && alone ? [["So far", true]] : [])),
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

  const called = (session) => bare("session", sessions.id[session]);
  // As sessionkit.display.numbers.share_text: only all reads 100%, only nothing 0%.
  const percent = (share) => {
    const whole = Math.abs(share - Math.round(share)) < 1e-12;
    let digits = 1;
    while (!whole && digits < 10 && [0, 100].includes(Number((100 * share).toFixed(digits)))) digits += 1;
    return `${(100 * share).toFixed(digits)}%`;
  };
  const best = (session) => curves(session).ideal.at(-1) ?? 0;

  const about = (session) => {
    const value = score(session);
    const facts = NAMED.map((name) => [name, sessions[name.toLowerCase()]])
      .map(([name, column]) => [name, named(column, session)]).filter(([, text]) => text !== null)
      .flatMap(([name, text], at) => [at ? `, ${name.toLowerCase()} ` : `${name} `, made("bdi", {}, bare(name.toLowerCase(), text))]);
    return made("p", {}, ...facts, `${facts.length ? ". " : ""}${data.measure}: ${told(value)}` +
      `${value === null ? ", since nothing is judged for it." : best(session) > 0
        ? `, ${percent(value / best(session))} of its ideal ${told(best(session))}.` : "."}`);
  };

  // The lists of a session, and what shows more of them.
  const lists = (session, alone) => {
    const place = made("div", {});
    const more = made("button", {type: "button"}, "Show more queries");
    let [query, sum] = [queryAt[session], 0];
    const further = () => {
      for (const end = Math.min(query + LISTS, queryAt[session + 1]); query < end; query += 1) {
        const [list, through] = listed(session, query, sum, alone);
        sum = through;
        place.append(list);
      }
      more.hidden = query >= queryAt[session + 1];
    };
    more.addEventListener("click", further);
    further();
    return [place, made("p", {class: "paging"}, more)];
  };

  // The sessions that one can be compared with: of its topic; those of other systems first, and the most different first.
  const others = (session) => {
    const {topic, system} = sessions;
    if (topic.names.length && topic.codes[session] < 0) return [];
    const [group, value] = [system.codes[session], score(session)];
    const apart = (one) => value === null || score(one) === null ? -1 : Math.abs(score(one) - value);
    return sessions.id.map((_, one) => one)
      .filter((one) => one !== session && topic.codes[one] === topic.codes[session])
      .sort((a, b) => (system.codes[a] === group) - (system.codes[b] === group) || apart(b) - apart(a) || a - b);
  };

  const beside = (session, other) => {
    const found = others(session);
    const shown = found.slice(0, OTHERS);
    if (other !== null && !shown.includes(other)) shown.unshift(other);
    const pick = made("select", {id: "explorer-beside"}, made("option", {value: ""}, "no other session"), ...shown.map((one) =>
      made("option", {value: String(one)}, [sessions.id[one], named(sessions.system, one), told(score(one))].filter(Boolean).join(", "))));
    pick.value = other === null ? "" : String(other);
    pick.addEventListener("change", () => {
      go(session, pick.value === "" ? null : Number(pick.value));
      field("beside").focus();
    });
    const most = made("button", {type: "button"}, "The pair that differs most");
    most.addEventListener("click", () => { go(...data.pair.sessions); field("name").focus(); });
    const back = made("button", {type: "button"}, "Back to the list");
    back.addEventListener("click", () => (field("list").querySelector("[aria-current] button") ?? field("search")).focus());
    most.hidden = !data.pair || String(data.pair.sessions) === String([session, other]);
    return made("div", {class: "paging"}, ...(shown.length ? [made("label", {for: "explorer-beside"},
      found.length > OTHERS ? `Beside it (the first ${OTHERS} of ${found.length.toLocaleString("en")} of its topic)` : "Beside it"), pick] : []),
    most, back);
  };

  const show = (session, other, ...notes) => {
    chosen = [session, other];
    const {own, ideal} = curves(session);
    root.sessionkit = {session: sessions.id[session], beside: other === null ? null : sessions.id[other], own, ideal, value: score(session)};
    const name = (one) => made("bdi", {}, called(one));
    const heading = made("h3", {id: "explorer-name", tabindex: "-1"},
      ...(other === null ? ["Session ", name(session)] : ["Sessions ", name(session), " and ", name(other)]));
    const said = notes.map((note) => made("p", {class: "note", role: "status"}, note));
    const drawn = score(session) !== null || (other !== null && score(other) !== null)
      ? [made("div", {class: "chart", id: "explorer-drawing"})] : [];
    const pane = (one) => made("section", {class: "pane", "aria-label": `Session ${called(one)}`},
      made("h4", {}, "Session ", name(one)), about(one), ...lists(one, false));
    const shown = other === null ? [about(session), ...drawn, ...lists(session, true)]
      : [...(data.pair && String(data.pair.sessions) === String(chosen) ? [made("p", {}, data.pair.told)] : []), ...drawn,
        made("div", {class: "beside"}, pane(session), pane(other))];
    field("session").replaceChildren(heading, ...said, beside(session, other), ...shown);
    redraw = null;
    if (drawn.length) draw().catch(console.error);
    list();
  };

  // What is shown has an address of its own: the ids of the session and of the one beside it.
  const go = (session, other) => {
    show(session, other);
    location.hash = reached = address({session: sessions.id[session], beside: other === null ? null : sessions.id[other]});
  };

  const begin = (...notes) => {
    if (data.pair) show(...data.pair.sessions, ...notes);
    else if (many) show(0, null, ...notes);
  };

  // Shows what an address asks for; an address of something else changes nothing.
  const follow = () => {
    if (location.hash === reached) return;
    const asked = new URLSearchParams(location.hash.slice(1));
    if (location.hash && !asked.has("session")) return;
    reached = location.hash;
    if (!asked.has("session")) { begin(); return; }
    const wanted = [asked.get("session"), asked.get("beside")].filter((id) => id !== null);
    const places = wanted.map((id) => sessions.id.indexOf(id));
    const [session, other = null] = places;
    if (places.includes(-1)) begin("The address names a session that is not among those here.");
    else if (other === null || other === session) show(session, null);
    else if (!others(session).includes(other)) show(session, null, "The two sessions are not of one topic, so one is shown alone.");
    else show(session, other);
    for (let place = root; place; place = place.parentElement) if (place.tagName === "DETAILS") place.open = true;
    field("session").scrollIntoView();
  };

  // The rows of a session's chart: a point before the first slot and one after each.
  const points = (session) => {
    const {own, ideal, ends} = curves(session);
    const place = (slot) => {
      const nth = ends.findIndex((end) => slot <= end);
      return nth < 0 ? {} : {query_position: queries.position[queryAt[session] + nth], rank: slot - (ends[nth - 1] ?? 0)};
    };
    return [0, ...own].map((gain, slot) => ({x: slot, slot, gain, value: gain, ideal: slot ? ideal[slot - 1] : 0,
      ideal_value: slot ? ideal[slot - 1] : 0, query_position: null, rank: null, ...(slot ? place(slot) : {})}));
  };

  // The names of two lines that rise: right of the end of a longest line; of a shorter one below its end where the other line passes
  // above, which stays there, and else above it.
  const ended = (lines) => {
    const last = Math.max(...lines.map(({heights}) => heights.length)) - 1;
    const names = lines.map(({name, heights}, nth) => {
      const [x, y] = [heights.length - 1, heights.at(-1)];
      if (x === last) return {name, x, y, align: "left", dx: 6, dy: 0};
      if (lines[1 - nth].heights[x] > y) return {name, x, y, align: "left", dx: 3, dy: 9};
      return {name, x, y, align: x < last / 5 ? "left" : "right", dx: 0, dy: -9};
    });
    const [higher, lower] = [...names].sort((a, b) => b.y - a.y);
    const least = Math.max(...lines.flatMap(({heights}) => heights)) / 14;
    if (higher.x === lower.x && higher.y - lower.y < least) higher.y = lower.y + least;  // one name stands above the other
    return names;
  };

  let redraw = null;
  const draw = async () => {
    const [session, other] = chosen;
    const [gain, beside] = [points(session), other === null ? [] : points(other)];
    const ends = ended(other === null
      ? [{name: "gain", heights: gain.map((point) => point.gain)}, {name: "ideal", heights: gain.map((point) => point.ideal)}]
      : [{name: called(session), heights: gain.map((point) => point.gain)}, {name: called(other), heights: beside.map((point) => point.gain)}]);
    const about = `${data.measure} of session ${called(session)} after every slot, ${told(score(session))} at the end; ` +
      (other === null ? `its ideal reaches ${told(best(session))}.` : `that of session ${called(other)}, ${told(score(other))} at the end.`);
    const datasets = {gain, other: beside, names: ends, queries: other === null ? curves(session).ends.map((x) => ({x})) : []};
    const layer = data.chart.layer.filter(({data: {name}, encoding}) =>
      datasets[name].length && (other === null || encoding.y?.field !== "ideal"));
    redraw = await window.sessionkitDraw(field("drawing"), {...data.chart, layer, datasets, description: about});
  };

  const options = (name, words) => {
    const {names} = sessions[name];
    field(name).append(made("option", {value: ""}, words), ...names.map((one, at) => made("option", {value: String(at)}, one)));
    field(name).parentElement.hidden = names.length < 2 || names.length > OPTIONS;
    field(name).addEventListener("change", find);
  };
  options("system", "all systems");
  options("topic", "all topics");
  options("user", "all users");
  field("column").append(...RANGED.map(({title}, at) => made("option", {value: String(at)}, title)));
  field("column").addEventListener("change", showRange);
  for (const name of ["least", "most"]) field(name).addEventListener("input", limit);
  showRange();
  field("list").replaceChildren(made("caption", {}, "Sessions found"), made("thead", {}, made("tr", {}, ...headings())), made("tbody"));
  field("save").addEventListener("click", save);
  field("search").addEventListener("input", find);
  field("before").addEventListener("click", () => { page -= 1; list(); });
  field("next").addEventListener("click", () => { page += 1; list(); });
  root.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
  new ResizeObserver(() => { if (field("drawing")) redraw?.(); }).observe(field("session"));
  find();
  begin();
  follow();
  window.addEventListener("hashchange", follow);
  // the first search need not wait for the texts of all sessions
  (window.requestIdleCallback ?? window.setTimeout)(() => { for (let session = 0; session < many; session += 1) searched(session); });
})();
