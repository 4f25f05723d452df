  // ---- Search over all pages of a site; the index is loaded when a reader begins to type.
  const MAX_RESULTS = 12;
  function search() {
    const place = document.getElementById("search");
    if (!place) return;
    const input = make("input", { type: "search", autocomplete: "off" });
    const count = make("output", { "aria-live": "polite" });
    const results = make("ol", {});
    const form = make("form", { role: "search", "aria-label": "Search all pages" }, make("label", {}, "Search all pages", input), count, results);
    place.append(form);
    form.addEventListener("submit", (event) => event.preventDefault());
    input.addEventListener("input", async () => {
      const { pages, entries } = await load("search");
      const wanted = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      const holds = (words) => wanted.every((word) => words.toLowerCase().includes(word));
      const matches = wanted.length ? entries.filter(([, , title, words]) => holds(`${title} ${words}`)) : [];
      matches.sort((a, b) => holds(b[2]) - holds(a[2])); // headings first; else in the order of the pages
      count.textContent = wanted.length ? `${matches.length} places` : "";
      results.replaceChildren(...matches.slice(0, MAX_RESULTS).map(([page, anchor, title, words]) =>
        make("li", {}, make("a", { href: `${pages[page][0]}#${anchor}` }, title), make("small", {}, `${pages[page][1]}. ${words}`))));
    });
  }
