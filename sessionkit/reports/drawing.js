// What the report's own scripts draw with: elements whose text is never markup, and lines over slots.
"use strict";
window.sessionkitDrawing = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const DASHES = ["", "7 3", "2 3", "9 3 2 3", "12 4", "1 4"];

  // An HTML element with attributes and children; children that are text stay text.
  const made = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };

  const shape = (tag, attributes = {}, text = "") => {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (text !== "") element.textContent = text;
    return element;
  };

  // A short line as it is drawn, for a table that is the legend too.
  const swatch = (color, number) => {
    const place = shape("svg", {width: 30, height: 8, class: "swatch", "aria-hidden": "true"});
    place.append(shape("line", {x1: 1, x2: 29, y1: 4, y2: 4, stroke: color, "stroke-width": 2.5,
      "stroke-dasharray": DASHES[number % DASHES.length]}));
    return place;
  };

  // Round numbers from 0 to at least the highest.
  const ticks = (highest, many) => {
    const rough = (highest > 0 ? highest : 1) / many;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one >= rough * 0.999);
    const found = [];
    for (let number = 0; found.length < 2 || found[found.length - 1] < highest; number += 1) found.push(number * step);
    return found;
  };

  const told = (value, decimals = 4) => {
    if (value === null || !Number.isFinite(value)) return "\u2013";
    const small = value !== 0 && Math.abs(value) < 0.5 * 10 ** -decimals;
    return small ? value.toExponential(1) : value.toFixed(decimals);
  };

  // Lines over slots 1, 2, ...: each {color, number, values}; rules at the ends of queries.
  const lines = (place, {series, xTitle, yTitle, label, ends}) => {
    const width = Math.max(280, Math.min(900, place.clientWidth || 640));
    const height = Math.round(Math.max(220, Math.min(width * 0.6, 120 + width * 0.3)));
    const [left, right, top, bottom] = [56, 14, 22, 46];
    const slots = Math.max(1, ...series.map((one) => one.values.length));
    const highest = series.reduce((most, one) => one.values.reduce((a, b) => Math.max(a, b), most), 0);
    const levels = ticks(highest, 5);
    const x = (slot) => left + (width - left - right) * slot / slots;
    const y = (value) => height - bottom - (height - top - bottom) * value / levels[levels.length - 1];
    const drawn = shape("svg", {viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label,
      style: `display:block;width:100%;max-width:${width}px`, "font-size": 12, fill: "#222"});
    for (const level of levels) {
      drawn.append(shape("line", {x1: left, x2: width - right, y1: y(level), y2: y(level), stroke: "#e8e8e8"}));
      const decimals = Math.max(0, Math.min(8, 1 - Math.floor(Math.log10(levels[1]))));
      drawn.append(shape("text", {x: left - 6, y: y(level) + 4, "text-anchor": "end"},
        String(Number(level.toFixed(decimals)))));
    }
    if (ends.length * 10 <= width) {
      for (const end of ends) drawn.append(shape("line", {x1: x(end), x2: x(end), y1: top, y2: height - bottom,
        stroke: "#c8c8c8", "stroke-dasharray": "2 3"}));
    }
    for (const slot of ticks(slots, Math.max(3, Math.round(width / 90)))) {
      if (slot <= slots && Number.isInteger(slot)) {
        drawn.append(shape("text", {x: x(slot), y: height - bottom + 16, "text-anchor": "middle"}, String(slot)));
      }
    }
    drawn.append(shape("line", {x1: left, x2: width - right, y1: y(0), y2: y(0), stroke: "#767676"}));
    drawn.append(shape("text", {x: (left + width - right) / 2, y: height - 8, "text-anchor": "middle"}, xTitle));
    drawn.append(shape("text", {x: 4, y: 12, "text-anchor": "start"}, yTitle));
    const every = Math.max(1, Math.ceil(slots / 1500));
    for (const {color, number, values} of series) {
      let path = `M${x(0).toFixed(1)} ${y(0).toFixed(1)}`;
      for (let slot = 1; slot <= values.length; slot += 1) {
        if (slot % every && slot !== values.length) continue;
        path += `L${x(slot).toFixed(1)} ${y(values[slot - 1]).toFixed(1)}`;
      }
      drawn.append(shape("path", {d: path, fill: "none", stroke: color, "stroke-width": 2.2, "stroke-linejoin": "round",
        "stroke-dasharray": DASHES[number % DASHES.length]}));
    }
    place.replaceChildren(drawn);
  };

  return Object.freeze({made, swatch, told, lines});
})();
