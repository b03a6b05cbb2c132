// What the report's own scripts draw with: elements whose text is never markup, and lines over slots with their names.
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

  const shape = (tag, attributes = {}, ...children) => {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
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

  // A text that fits into so many pixels, cut where it does not.
  const pen = document.createElement("canvas").getContext("2d");
  const wide = (text) => {
    pen.font = `12px ${getComputedStyle(document.body).fontFamily}`;
    return pen.measureText(text).width;
  };
  const fitted = (text, room) => {
    if (wide(text) <= room) return text;
    const letters = [...text];
    while (letters.length > 1 && wide(`${letters.join("")}\u2026`) > room) letters.pop();
    return `${letters.join("")}\u2026`;
  };

  // Heights of texts near those they belong to, none on another, all between the lowest and the highest.
  const LINE = 14;
  const apart = (wanted, least, most) => {
    const order = wanted.map((_, text) => text).sort((a, b) => wanted[a] - wanted[b] || a - b);
    const found = [...wanted];
    let edge = least - LINE;
    for (const text of order) edge = found[text] = Math.max(wanted[text], edge + LINE);
    edge = most + LINE;
    for (const text of order.reverse()) edge = found[text] = Math.min(found[text], edge - LINE);
    return found;
  };

  // So many lines at most are all named, where leaders lead from the ends of lines to names that would overlap.
  const ALL_NAMED = 6;

  // Lines over slots 1, 2, ...: each {color, number, values, name, more}, with its name at its end, or gray and thin where it is a
  // `ghost`; what is `unnamed` has room for a name all the same. Beyond ALL_NAMED lines, names are those of lines that are `picked`, of
  // the highest, of the lowest, and of others whose names stand free at their ends. Rules at the ends of queries; at least so high and
  // so many slots. Returns how many lines are named, and of how many.
  const NAMES = 20;
  const lines = (place, {series, xTitle, yTitle, label, ends, high = 0, long = 1, from = 0}) => {
    const width = Math.max(280, Math.min(900, place.clientWidth || 640));
    const above = [yTitle].flat();
    const [left, top, bottom] = [56, 8 + LINE * above.length, 46];
    const height = Math.round(Math.max(220, Math.min(width * 0.6, 120 + width * 0.3),
      top + bottom + LINE * Math.min(series.length, NAMES)));
    const room = Math.ceil(Math.min(width * 0.36, Math.max(0, ...series.map(({name, more = ""}) => wide(name + more)))));
    const right = room + 26;
    const slots = Math.max(long, ...series.map((one) => one.values.length));
    const highest = series.reduce((most, one) => one.values.reduce((a, b) => (b > a ? b : a), most), high);
    const levels = ticks(highest, 5);
    const x = (slot) => left + (width - left - right) * slot / slots;
    const y = (value) => height - bottom - (height - top - bottom) * value / levels[levels.length - 1];
    const drawn = shape("svg", {viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label,
      style: `display:block;width:100%;max-width:${width}px`, "font-size": 12, fill: "#222"});
    for (const level of levels) {
      drawn.append(shape("line", {x1: left, x2: width - right, y1: y(level), y2: y(level), stroke: "#e8e8e8"}));
      const decimals = Math.max(0, Math.min(8, 1 - Math.floor(Math.log10(levels[1]))));
      drawn.append(shape("text", {x: left - 6, y: y(level) + 4, "text-anchor": "end", class: "tick"},
        String(Number(level.toFixed(decimals)))));
    }
    if (ends.length * 10 <= width) {
      for (const end of ends) drawn.append(shape("line", {x1: x(end), x2: x(end), y1: top, y2: height - bottom,
        stroke: "#c8c8c8", "stroke-dasharray": "2 3"}));
    }
    for (const slot of ticks(slots, Math.max(3, Math.round((width - right) / 90)))) {
      if (slot <= slots && Number.isInteger(slot)) {
        drawn.append(shape("text", {x: x(slot), y: height - bottom + 16, "text-anchor": "middle", class: "tick"}, String(slot)));
      }
    }
    drawn.append(shape("line", {x1: left, x2: width - right, y1: y(0), y2: y(0), stroke: "#767676"}));
    drawn.append(shape("text", {x: (left + width - right) / 2, y: height - 8, "text-anchor": "middle"}, xTitle));
    above.forEach((text, line) => drawn.append(shape("text", {x: 4, y: 12 + LINE * line, "text-anchor": "start"}, fitted(text, width - 8))));
    const every = Math.max(1, Math.ceil(slots / 1500));
    for (const {color, number, values, name, more = "", ghost, picked} of [...series].sort((a, b) => Boolean(a.picked) - Boolean(b.picked))) {
      let [path, begun] = from ? ["", false] : [`M${x(0).toFixed(1)} ${y(0).toFixed(1)}`, true];
      for (let slot = 1; slot <= values.length; slot += 1) {
        if (!Number.isFinite(values[slot - 1])) { begun = false; continue; }
        if (begun && slot % every && slot !== values.length) continue;
        path += `${begun ? "L" : "M"}${x(slot).toFixed(1)} ${y(values[slot - 1]).toFixed(1)}`;
        if (!begun && slot === values.length) path += "h0";
        begun = true;
      }
      drawn.append(shape("path", {d: path, fill: "none", stroke: ghost ? "#767676" : color, "stroke-width": ghost ? 1.3 : picked ? 4.4 : 2.2,
        "stroke-linejoin": "round", "stroke-linecap": values.length > 1 ? "butt" : "round",
        "stroke-dasharray": DASHES[number % DASHES.length], class: ghost ? "ghost" : "curve"}));
      // what is thin is hard to point at
      drawn.append(shape("path", {d: path, fill: "none", stroke: "transparent", "stroke-width": 11, class: "target"},
        shape("title", {}, `${name}${more}`)));
    }
    const end = (one) => one.values[one.values.length - 1];
    const ranked = series.filter((one) => !one.unnamed && Number.isFinite(end(one)))
      .sort((a, b) => Boolean(a.ghost) - Boolean(b.ghost) || end(b) - end(a));
    const isFree = (one, names) => names.every((neighbor) => Math.abs(y(end(one)) - y(end(neighbor))) >= LINE);
    const picks = ranked.filter(({picked}) => picked).slice(0, NAMES);
    const named = ranked.length <= ALL_NAMED ? ranked
      : [ranked[0], ranked.at(-1), ...ranked].reduce((names, one) => (isFree(one, names) ? [...names, one] : names), picks);
    const heights = apart(named.map((one) => y(end(one))), top, height - bottom);
    named.forEach((one, text) => {
      const {color, name, more = "", ghost} = one;
      const at = width - right;
      drawn.append(shape("path", {d: `M${at + 2} ${y(end(one)).toFixed(1)}L${at + 14} ${heights[text].toFixed(1)}h5`, fill: "none",
        stroke: ghost ? "#767676" : color, "stroke-width": ghost ? 1 : 1.6, class: "leader"}));
      const words = shape("text", {x: at + 22, y: (heights[text] + 4).toFixed(1), fill: ghost ? "#5c5c5c" : "#222", class: "name"});
      words.append(shape("tspan", {style: "unicode-bidi:isolate"}, fitted(name, room - wide(more))), more);
      drawn.append(words);
    });
    place.replaceChildren(drawn);
    return [named.length, ranked.length];
  };

  // The address with these values in place of its own, null for none; it no longer leads to a section.
  const address = (changes) => {
    const state = new URLSearchParams([...new URLSearchParams(location.hash.slice(1))].filter(([, value]) => value !== ""));
    for (const [key, value] of Object.entries(changes)) {
      if (value === null) state.delete(key);
      else state.set(key, value);
    }
    return `#${state}`;
  };

  return Object.freeze({address, made, shape, told, lines, ALL_NAMED});
})();
