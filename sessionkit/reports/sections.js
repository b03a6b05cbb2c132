// Marks in the navigation the section that is read, opens what a link leads into, and draws anew what was folded.
"use strict";
(() => {
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
  for (const folded of document.querySelectorAll("details")) {
    folded.addEventListener("toggle", () => window.dispatchEvent(new Event("resize")));
  }
})();
