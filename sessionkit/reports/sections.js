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
  for (const detail of document.querySelectorAll("main details")) {
    detail.addEventListener("toggle", () => window.dispatchEvent(new Event("resize")));
  }
})();
