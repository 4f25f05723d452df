// Sorting, filters, the fits behind a number, downloads of figures. Without it everything can still be read.
"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  // What scripts alone read: in a site it stands in files beside the page, in a single page in the page itself.
  const stored = (name) => window.reportData?.[name] ?? JSON.parse(document.getElementById(`data-${name}`).textContent);
  async function load(name) {
    if (window.reportData && !(name in window.reportData)) {
      await new Promise((done, failed) => {
        document.head.append(make("script", { src: `${name}.js`, onload: done, onerror: failed }));
      });
    }
    return stored(name);
  }
  const text = (node) => node.textContent.trim();
  // The words of a cell, without the sign that opens its dialog.
  const words = (cell) => {
    const copy = cell.cloneNode(true);
    all(".more", copy).forEach((node) => node.remove());
    return text(copy);
  };

  // An element with attributes and children; a child that is a string becomes text, never markup.
  function make(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (value !== false && value !== null) node.setAttribute(name, value === true ? "" : value);
    }
    node.append(...children);
    return node;
  }

  // The head cells that stand over exactly one column, by that column: those that reach the last row.
  function headsOf(table) {
    const rows = table.tHead ? [...table.tHead.rows] : [];
    const taken = rows.map(() => []);
    const heads = new Map();
    rows.forEach((row, i) => {
      let column = 0;
      for (const cell of row.cells) {
        while (taken[i][column]) column += 1;
        for (let r = i; r < Math.min(i + cell.rowSpan, rows.length); r += 1) {
          for (let c = column; c < column + cell.colSpan; c += 1) taken[r][c] = true;
        }
        if (cell.colSpan === 1 && i + cell.rowSpan >= rows.length) heads.set(column, cell);
        column += cell.colSpan;
      }
    });
    return heads;
  }

  // ---- Sorting: up, down, and the third time as it was.
  const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

  function keyOf(row, column, numeric) {
    const cell = row.cells[column];
    if (!cell) return null;
    const value = cell.dataset.value;
    if (value !== undefined) return value === "inf" ? Infinity : Number(value);
    if (numeric) return null;
    return words(cell) || null;
  }

  function inOrder(a, b, sign) {
    if (a === null || b === null) return (a === null) - (b === null); // what is missing is last in either order
    if (typeof a === "number" && typeof b === "number") return a === b ? 0 : sign * (a < b ? -1 : 1);
    const [first, second] = [String(a), String(b)];
    // To the collator 0.01 and 0.001 are alike: the digits behind the point are numbers to it.
    return sign * (collator.compare(first, second) || (first < second ? -1 : Number(first > second)));
  }

  function sortable(table) {
    const body = table.tBodies[0];
    if (!body) return;
    const places = new Map(); // of a row, as it came
    const heads = headsOf(table);
    const sorts = new Map();
    heads.forEach((head, column) => {
      const button = make("button", { type: "button" }, ...head.childNodes);
      head.append(button);
      const sort = (next) => {
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        const rows = [...body.rows];
        rows.forEach((row) => { if (!places.has(row)) places.set(row, places.size); });
        rows.sort((a, b) => places.get(a) - places.get(b));
        if (next) {
          head.setAttribute("aria-sort", next);
          const numeric = rows.some((row) => row.cells[column]?.dataset.value !== undefined);
          const keys = new Map(rows.map((row) => [row, keyOf(row, column, numeric)]));
          const sign = next === "ascending" ? 1 : -1;
          rows.sort((a, b) => inOrder(keys.get(a), keys.get(b), sign));
        }
        body.append(...rows);
      };
      sorts.set(text(button), sort);
      button.addEventListener("click", () => {
        const before = head.getAttribute("aria-sort");
        const next = before === "ascending" ? "descending" : before === "descending" ? null : "ascending";
        sort(next);
        table.dispatchEvent(new CustomEvent("sorted", { detail: next ? `${text(button)} ${next}` : "" }));
      });
    });
    return sorts;
  }

  // What the dialog of a row says beside its cells: heading, words, and by what name it filters.
  const asides = (row) => JSON.parse(row.dataset.more || "[]");

  // ---- Filters: a search box, and a choice for each column that asks for one.
  const filters = new Map();

  function filterable(table, sorts) {
    const name = table.dataset.filter.trim();
    const region = table.closest(".scroll");
    const label = region.getAttribute("aria-label");
    const rows = [...table.tBodies[0].rows];
    const search = make("input", { type: "search", autocomplete: "off" });
    const form = make("form", { class: "filter", role: "search", "aria-label": `Filter: ${label}` });
    form.append(make("label", {}, "Search", search));
    const choices = new Map();
    const choose = (key, heading, of) => {
      const select = make("select", {}, make("option", { value: "" }, "all"));
      new Set(of.values()).forEach((value) => select.append(make("option", { value }, value)));
      choices.set(key, { textOf: (row) => of.get(row), select });
      form.append(make("label", {}, heading, select));
    };
    headsOf(table).forEach((head, column) => {
      const key = head.dataset.choices;
      if (key) choose(key, text(head), new Map(rows.map((row) => [row, plainText(row.cells[column])])));
    });
    // What stands in the dialogs of the rows can choose among them as well.
    const further = new Map();
    rows.forEach((row) => asides(row).forEach(([heading, note, key]) => {
      if (!key) return;
      if (!further.has(key)) further.set(key, { heading, of: new Map() });
      further.get(key).of.set(row, note);
    }));
    further.forEach(({ heading, of }, key) => choose(key, heading, of));
    const count = make("output", { "aria-live": "polite" });
    form.append(make("button", { type: "reset", class: "plain" }, "Reset"), count);
    region.before(form);
    const rowTexts = rows.map((row) => row.textContent.toLowerCase());

    function apply() {
      const wanted = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      rows.forEach((row, i) => {
        let fits = wanted.every((word) => rowTexts[i].includes(word));
        choices.forEach(({ textOf, select }) => {
          fits = fits && (!select.value || textOf(row) === select.value);
        });
        row.hidden = !fits;
        shown += fits;
      });
      count.textContent = `${shown} of ${rows.length}`;
    }
    let order = "";
    let typing = false; // letters of one search are one step back
    function remember(isSearch) {
      if (!name) return;
      const state = new URLSearchParams();
      choices.forEach(({ select }, key) => { if (select.value) state.set(key, select.value); });
      if (search.value) state.set("search", search.value);
      if (order) state.set("sort", order);
      const query = state.toString();
      const step = isSearch && typing ? "replaceState" : "pushState";
      typing = isSearch;
      history[step](null, "", query ? `#${name}?${query}` : `#${name}`);
    }
    function set(state) {
      if ([...state].length) showAll(region);
      search.value = state.get("search") || "";
      choices.forEach(({ select }, key) => {
        select.value = state.get(key) || "";
        if (select.selectedIndex < 0) select.value = "";
      });
      const wanted = state.get("sort") || "";
      if (wanted !== order) {
        order = wanted;
        const [, head, way] = order.match(/^(.*) (ascending|descending)$/) || [null, [...sorts.keys()][0], null];
        sorts.get(head)?.(way);
      }
      apply();
    }
    const changed = (event) => { showAll(region); apply(); remember(event?.target === search); };
    form.addEventListener("input", changed);
    table.addEventListener("sorted", (event) => { order = event.detail; remember(false); });
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(changed));
    apply();
    if (name) filters.set(name, { set, place: form });
  }

{% include "dialog.js" %}
  // ---- Where the address leads.
  function reveal(node) {
    for (let fold = node.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  }
  function route() {
    const hash = location.hash;
    const opens = dialogOf(decodeURIComponent(hash.slice(1)));
    if (opens) {
      opens();
      if (!dialog.open) dialog.showModal();
      return;
    }
    cameFrom = hash;
    if (dialog.open) dialog.close();
    const [name, query] = hash.slice(1).split("?");
    if (filters.has(name)) {
      const { set, place } = filters.get(name);
      set(new URLSearchParams(query || ""));
      if (query !== undefined) {
        reveal(place);
        place.scrollIntoView();
      }
      return;
    }
    const target = name && document.getElementById(name);
    if (!target) return;
    if (target.hidden) target.hidden = false; // a row that a filter had hidden
    if (target.matches(".beyond")) {
      showAll(target.closest(".scroll"));
      target.scrollIntoView();
    }
    if (target.closest("details")) {
      reveal(target);
      target.scrollIntoView();
    }
  }

  // ---- Downloads of figures.
  async function unpack(packed) {
    const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).text();
  }
  function save(name, type, content) {
    const link = make("a", { href: URL.createObjectURL(new Blob([content], { type })), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }
  function downloads(figure) {
    const name = figure.dataset.file;
    const title = text(figure.querySelector("h3"));
    const line = make("p", { class: "downloads" });
    const button = (label, what, action) =>
      line.append(make("button", { type: "button", "aria-label": `${label}: ${what} of ${title}`, onclick: action }, label));
    button("SVG", "drawing", () => {
      const svg = figure.querySelector("svg").cloneNode(true);
      svg.setAttribute("xmlns", "http://www.w3.org/2000/svg");
      save(`${name}.svg`, "image/svg+xml", new XMLSerializer().serializeToString(svg));
    });
    if (figure.dataset.drawn !== undefined) {
      button("Data (CSV)", "data", async () => save(`${name}.csv`, "text/csv", await unpack((await load("drawn"))[figure.id])));
    }
    figure.querySelector("figcaption").after(line);
  }

{% include "navigation.js" %}
{% include "search.js" %}
{% include "tables.js" %}
  all("table.data").forEach((table) => {
    const sorts = sortable(table);
    if (table.dataset.filter !== undefined) filterable(table, sorts);
  });
  all("table.data").forEach((table, i) => { if (!table.closest("[data-compare]")) openers(table, i); });
  all("table.data").forEach(taken);
  all("table.data").forEach(brief);
  all("table.data").forEach(stops);
  all("figure[data-file]").forEach(downloads);
  document.getElementById("configuration")?.append(make("p", { class: "downloads" }, make("button", { type: "button",
    "aria-label": "JSON: the whole configuration",
    onclick: async () => save("config.json", "application/json", JSON.stringify(await load("config"), null, 2)) }, "JSON")));
  explain();
  search();
  contents();
  all("main h2, main h3, main h4").forEach(permalink);
  addEventListener("popstate", route);
  if (location.hash) showLater();
  route();
  addEventListener("load", () => { setTimeout(showLater); compareAll(); });
})();
