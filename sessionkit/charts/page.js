// Draws the charts of a page: each an image with its text, as wide as its place, with buttons that save it.
"use strict";
(() => {
  const NARROW = 600;
  const SCROLLS = matchMedia("(max-width: 60rem)");  // as in the style sheets
  const BESIDE = 180;  // of text beside a plot
  const TOPIC_CHARACTER = 6.2, TOPIC_LENGTH = 90;  // as in encodings.py
  const KINDS = ["svg", "png"];
  const options = {actions: false, ast: true, mode: "vega-lite", renderer: "svg"};

  // The lines of a text of about so many pixels a character; a word that is longer than a line stays whole.
  const folded = (text, room, character) => [text].flat().flatMap((line) => {
    const lines = [""];
    for (const word of String(line).split(" ")) {
      const last = lines.length - 1;
      if (lines[last] && (lines[last].length + 1 + word.length) * character > room) lines.push(word);
      else lines[last] += lines[last] ? ` ${word}` : word;
    }
    return lines;
  });

  const foldedTitle = (title, room) => (title?.text ? {...title, text: folded(title.text, room, 7.8),
    ...(title.subtitle ? {subtitle: folded(title.subtitle, room, 6)} : {})} : title);

  // What is laid out for a size cannot shrink: its place scrolls, and only its title is fitted.
  const isLaidOut = (spec) => Boolean(spec.usermeta?.laidOut);

  // The texts that stand beside the rows of a plot: the name of each row that has one, and its text.
  const isBeside = ({encoding}) => encoding?.x?.value === "width" && encoding.y?.type === "nominal" && Boolean(encoding.text?.field);
  const numbersBeside = (spec) => (spec.spec ?? spec).layer?.filter(isBeside).flatMap(({data = spec.data, encoding: {y, text}}) =>
    (data?.values ?? spec.datasets?.[data?.name] ?? []).map((row) => [row[y.field], row[text.field]]).filter(([, text]) => text)) ?? [];

  // Names of topics that have no room beside each other in a plot of this width stand upright.
  const upright = (layer, width) => {
    const x = layer.encoding?.x;
    const names = x?.axis?.labelOverlap === false ? x.scale?.domain ?? [] : [];
    if (!names.some((name) => name.length * TOPIC_CHARACTER > width / names.length)) return layer;
    return {...layer, encoding: {...layer.encoding, x: {...x, axis: {...x.axis, labelAngle: -90, labelLimit: TOPIC_LENGTH}}}};
  };

  // On a narrow screen the plot shrinks, panels and numbers stand below it, and legends below all.
  const isNarrow = (spec, room) => room > 0 && room < NARROW && !isLaidOut(spec);
  const fitted = (whole, room, excess = 0) => {
    if (isLaidOut(whole) && room > 0 && SCROLLS.matches) return {...whole, title: foldedTitle(whole.title, room - 20)};
    if (!isNarrow(whole, room)) return whole;
    const alone = (plot) => ({...plot, layer: plot.layer.filter((layer) => !isBeside(layer))});
    const spec = !numbersBeside(whole).length ? whole : whole.spec ? {...whole, spec: alone(whole.spec)} : alone(whole);
    const {config = {}} = spec;
    const side = Math.max(170, room - 100 - excess);
    const grid = spec.facet?.row && spec.facet.column;  // two panels beside each other stay so
    const panels = grid ? {spec: {...spec.spec, width: Math.min(spec.spec.width, Math.floor((room - 40) / 2))}} : spec.spec && (spec.columns || spec.facet?.row || spec.facet?.column)
      ? {...(spec.facet?.row ? {} : {columns: 1, facet: spec.facet?.column ?? spec.facet}), spec: {...spec.spec, width: Math.min(spec.spec.width ?? side, side)}} : {};
    const beside = spec.layer?.some((layer) => layer.encoding?.x?.value === "width");
    const sized = typeof spec.width === "number"
      ? {width: Math.max(100, Math.min(spec.width, side - (beside ? BESIDE : 0)))} : {};
    const layers = sized.width && spec.layer ? {layer: spec.layer.map((layer) => upright(layer, sized.width))} : {};
    const limited = {labelLimit: room - 60, titleLimit: room - 20};
    return {...spec, ...panels, ...layers, ...sized, title: foldedTitle(spec.title, room - 60), config: {...config,
      view: {...config.view, continuousWidth: side, discreteWidth: side},
      legend: {...config.legend, ...limited, orient: "bottom", direction: "vertical"},
      title: {...config.title, limit: room - 20},
      axisX: {...config.axisX, titleLimit: room - 60}}};
  };

  const numbersBelow = (spec) => {
    const list = document.createElement("dl");
    list.className = "numbers";
    for (const texts of numbersBeside(spec)) {
      const row = document.createElement("div");
      texts.forEach((text, nth) => {
        const part = document.createElement(nth ? "dd" : "dt");
        part.textContent = text;
        row.append(part);
      });
      list.append(row);
    }
    return list;
  };

  const save = async (view, kind, name) => {
    const link = document.createElement("a");
    link.href = await view.toImageURL(kind, kind === "png" ? 3 : 1);
    link.download = `${name}.${kind}`;
    link.click();
  };

  const saving = (shown, name) => {
    const line = document.createElement("p");
    line.className = "save";
    const buttons = KINDS.map((kind) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = kind.toUpperCase();
      button.setAttribute("aria-label", `Save ${name.replace("-", " ")} as ${kind.toUpperCase()}`);
      button.addEventListener("click", () => save(shown.view, kind, name));
      return button;
    });
    line.append("Save as ", buttons[0], ", ", buttons[1]);
    return line;
  };

  // In a page with an explorer, a click on a mark of a session opens it there.
  const sessionOf = (item) => document.getElementById("explorer-widget") ? item?.datum?.session_id : undefined;
  const openSessions = (view, place) => {
    view.addEventListener("click", (_, item) => {
      if (sessionOf(item) !== undefined) location.hash = `#session=${encodeURIComponent(sessionOf(item))}`;
    });
    view.addEventListener("mousemove", (_, item) => { place.style.cursor = sessionOf(item) === undefined ? "" : "pointer"; });
  };

  // Draws a spec, whose description is read aloud, and returns what draws it again where its place has become narrower, or wider,
  // than what it was made for; `shown` has the view.
  const draw = async (place, spec, shown = {}) => {
    const again = async () => {
      const room = isLaidOut(spec) && SCROLLS.matches ? place.clientWidth : Math.min(place.clientWidth, NARROW);
      if (room === shown.room || (!room && shown.view)) return;
      shown.room = room;
      shown.view?.finalize();
      ({view: shown.view} = await window.vegaEmbed(place, fitted(spec, room), options));
      const excess = place.querySelector("svg").getAttribute("width") - room;
      if (isNarrow(spec, room) && excess > 0) {  // texts beside the plot are wide
        shown.view.finalize();
        ({view: shown.view} = await window.vegaEmbed(place, fitted(spec, room, excess), options));
      }
      place.classList.toggle("laid-out", isLaidOut(spec));
      if (isLaidOut(spec)) place.tabIndex = 0;  // so that the keyboard can scroll it
      openSessions(shown.view, place);
      shown.numbers?.remove();
      if (isNarrow(spec, room) && numbersBeside(spec).length) place.after(shown.numbers = numbersBelow(spec));
      const drawn = place.querySelector("svg");
      for (const told of ["role", "aria-label", "aria-roledescription"]) drawn.parentElement.removeAttribute(told);
      drawn.setAttribute("role", "img");
      drawn.setAttribute("aria-label", spec.description ?? document.title);
      for (const part of drawn.children) part.setAttribute("aria-hidden", "true");
    };
    await again();
    return again;
  };
  window.sessionkitDraw = draw;

  const drawScript = async (script) => {
    const [name, shown] = [script.dataset.chart, {}];
    const place = document.getElementById(name);
    const again = await draw(place, JSON.parse(script.textContent), shown);
    (place.closest("figure") ?? place).append(saving(shown, name));
    return again;
  };

  const scripts = [...document.querySelectorAll('script[type="application/json"][data-chart]')];
  Promise.allSettled(scripts.map(drawScript)).then((all) => {
    for (const one of all) if (one.status === "rejected") console.error(one.reason);
    const made = all.filter((one) => one.status === "fulfilled").map((one) => one.value);
    let wait = 0;
    window.addEventListener("resize", () => {
      clearTimeout(wait);
      wait = setTimeout(() => made.forEach((again) => again().catch(console.error)), 150);
    });
    document.documentElement.dataset.charts = String(made.length);
  });
})();
