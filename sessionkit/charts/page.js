// Draws the charts of a page: each an image with its text, as wide as its place, with buttons that save it.
"use strict";
(() => {
  const NARROW = 600;
  const KINDS = ["svg", "png"];
  const options = {actions: false, ast: true, mode: "vega-lite", renderer: "svg"};

  // On a narrow screen the plot shrinks, and legends stand below it.
  const fitted = (spec, room) => {
    if (!room || room >= NARROW) return spec;
    const {config = {}} = spec;
    const side = Math.max(170, room - 100);
    const limited = {labelLimit: room - 60, titleLimit: room - 20};
    return {...spec, config: {...config,
      view: {...config.view, continuousWidth: side, discreteWidth: side},
      legend: {...config.legend, ...limited, orient: "bottom", direction: "vertical"},
      title: {...config.title, limit: room - 20},
      axisX: {...config.axisX, titleLimit: room - 60}}};
  };

  const save = async (view, kind, name) => {
    const link = document.createElement("a");
    link.href = await view.toImageURL(kind, kind === "png" ? 3 : 1);
    link.download = `${name}.${kind}`;
    link.click();
  };

  const saving = (view, name) => {
    const line = document.createElement("p");
    line.className = "save";
    const buttons = KINDS.map((kind) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = kind.toUpperCase();
      button.setAttribute("aria-label", `Save ${name.replace("-", " ")} as ${kind.toUpperCase()}`);
      button.addEventListener("click", () => save(view, kind, name));
      return button;
    });
    line.append("Save as ", buttons[0], ", ", buttons[1]);
    return line;
  };

  const draw = async (script) => {
    const name = script.dataset.chart;
    const place = document.getElementById(name);
    const spec = JSON.parse(script.textContent);
    const {view} = await window.vegaEmbed(place, fitted(spec, place.clientWidth), options);
    const drawn = place.querySelector("svg");
    for (const told of ["role", "aria-label", "aria-roledescription"]) drawn.parentElement.removeAttribute(told);
    drawn.setAttribute("role", "img");
    drawn.setAttribute("aria-label", spec.description ?? document.title);
    for (const part of drawn.children) part.setAttribute("aria-hidden", "true");
    (place.closest("figure") ?? place).append(saving(view, name));
  };

  const scripts = [...document.querySelectorAll('script[type="application/json"][data-chart]')];
  Promise.allSettled(scripts.map(draw)).then((all) => {
    for (const one of all) if (one.status === "rejected") console.error(one.reason);
    document.documentElement.dataset.charts = String(all.filter((one) => one.status === "fulfilled").length);
  });
})();
