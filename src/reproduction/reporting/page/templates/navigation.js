  // ---- Contents: folded on a phone; what is being read is marked.
  function contents() {
    const fold = document.querySelector("nav > details");
    const wide = matchMedia("(min-width: 64rem)");
    const adapt = () => { fold.open = wide.matches; };
    adapt();
    wide.addEventListener("change", adapt);
    const links = new Map(all("nav a[href^='#']").map((link) => [link.hash.slice(1), link]));
    fold.addEventListener("click", (event) => { if (event.target.closest("a") && !wide.matches) fold.open = false; });
    // What is read is the first one that begins near the upper edge of the window, else the last one above.
    const places = [...links.keys()].map((id) => document.getElementById(id));
    let waits = false;
    function mark() {
      waits = false;
      if (!places.length) return;
      const top = (place) => place.getBoundingClientRect().top;
      const above = places.filter((place) => top(place) <= 96);
      links.forEach((link) => link.removeAttribute("aria-current"));
      links.get((above.find((place) => top(place) >= 0) || above.at(-1) || places[0]).id).setAttribute("aria-current", "true");
    }
    addEventListener("scroll", () => {
      if (!waits) requestAnimationFrame(mark);
      waits = true;
    }, { passive: true });
    requestAnimationFrame(mark); // not at once: places are known after a layout of the whole page
  }

  // ---- A link to each heading, for a mouse: who reads with keys has the contents.
  function permalink(heading) {
    const part = heading.closest("figure, section");
    const id = heading.id || (part && part.querySelector("h2, h3") === heading ? part.id : "");
    if (!id) return;
    heading.append(make("a", { class: "permalink", href: `#${id}`, tabindex: "-1", "aria-hidden": "true" }, "#"));
  }

  // ---- One stop of the tab key in a table; the arrows lead from there.
  function stops(table) {
    const found = () => all("a, thead button, summary", table).filter((node) => node.offsetParent !== null);
    all("a, thead button, summary", table).forEach((node, i) => { if (i) node.tabIndex = -1; });
    table.addEventListener("keydown", (event) => {
      const ways = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
      if (!(event.key in ways) || !table.contains(document.activeElement)) return;
      const nodes = found();
      const next = nodes[nodes.indexOf(document.activeElement) + ways[event.key]];
      if (!next) return;
      event.preventDefault();
      document.activeElement.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    });
  }

  // ---- In print a single page is open everywhere; a page of a site is printed as it stands.
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = window.reportData ? [] : all("details:not([open])");
    folded.forEach((details) => { details.open = true; });
  });
  addEventListener("afterprint", () => folded.forEach((details) => { details.open = false; }));
