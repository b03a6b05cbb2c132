// Unfolds the navigation where it stands beside the page, marks in it the section that is read, opens what a link leads into, and draws anew what was folded.
"use strict";
(() => {
  const [folded, wide] = [document.querySelector("nav details"), matchMedia("(min-width: 80rem)")];
  const beside = () => { folded.open = wide.matches; };
  wide.addEventListener("change", beside);
  beside();

  const links = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
  const read = new IntersectionObserver((seen) => {
    for (const {target, isIntersecting} of seen) {
      if (!isIntersecting) continue;
      for (const [name, link] of links) {
        if (name === target.id) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
    }
  }, {rootMargin: "-20% 0px -75% 0px"});
  for (const section of document.querySelectorAll("main > section")) read.observe(section);

  const opened = () => {
    let place = document.getElementById(location.hash.slice(1));  // letters and hyphens; what else an address says is the explorer's
    const aim = place;
    for (; place; place = place.parentElement) if (place.tagName === "DETAILS") place.open = true;
    aim?.scrollIntoView();
  };
  window.addEventListener("hashchange", opened);
  if (location.hash) opened();
  // The meaning of a term shows below it, or above where there is no room: while the pointer is on either, or the term has the focus.
  let [meaning, leaving] = [null, 0];
  const hide = () => { meaning?.hidePopover(); meaning = null; };
  const reveal = (term) => {
    clearTimeout(leaving);
    hide();
    meaning = document.getElementById(term.getAttribute("aria-describedby"));
    meaning.showPopover();
    const [at, box] = [term.getClientRects()[0], meaning.getBoundingClientRect()];
    const below = at.bottom + 4 + box.height <= innerHeight;
    meaning.style.left = `${Math.max(8, Math.min(at.left, document.documentElement.clientWidth - box.width - 8))}px`;
    meaning.style.top = `${below ? at.bottom + 4 : Math.max(0, at.top - 4 - box.height)}px`;
  };
  const leave = () => { leaving = setTimeout(hide, 200); };
  for (const term of document.querySelectorAll("dfn")) {
    for (const event of ["pointerenter", "focus", "click"]) term.addEventListener(event, () => reveal(term));
    term.addEventListener("pointerleave", () => { if (document.activeElement !== term) leave(); });
    term.addEventListener("blur", hide);
  }
  for (const tip of document.querySelectorAll(".tooltip")) {
    tip.addEventListener("pointerenter", () => clearTimeout(leaving));
    tip.addEventListener("pointerleave", leave);
  }
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
  window.addEventListener("scroll", hide, {passive: true});

  for (const detail of document.querySelectorAll("main details")) {
    detail.addEventListener("toggle", () => window.dispatchEvent(new Event("resize")));
  }
})();
