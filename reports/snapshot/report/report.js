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

  // ---- One number, or one verdict: published and ours, the reason, what its row says further, and the fits.
  const dialog = document.getElementById("fits");
  const fits = stored("fits");
  const verdicts = stored("verdicts"); // address of a dialog -> what is published, and our verdict on it
  const verdictsOf = new Map(); // fits -> the addresses of the verdicts on their numbers
  for (const [address, { fits: key }] of Object.entries(verdicts)) {
    if (key) verdictsOf.set(key, [...(verdictsOf.get(key) || []), address]);
  }
  const rowsOf = new Map(); // the address of a dialog -> the row that it is about
  const groupOf = (key) => {
    const [study, ...rest] = key.split("/");
    const group = fits.studies[study]?.groups[rest.join("/")];
    return group && { study, group, columns: fits.studies[study].columns };
  };

  // Makes a number a link to its fits; one that has none stays plain.
  function leadToFits(cell, key) {
    if (!key || !cell || cell.querySelector("a") || !groupOf(key)) return;
    const link = make("a", { class: "fits", href: `#fits/${key}` });
    const first = [];
    for (const node of cell.childNodes) {
      if (node.nodeName === "SMALL") break;
      first.push(node);
    }
    cell.prepend(link);
    link.append(...first);
  }

  // The address of the dialog of a row: its fits, or the row itself.
  function openers(table, place) {
    all("tbody tr", table).forEach((row, i) => {
      const cells = all("td[data-fits]", row);
      cells.forEach((cell) => leadToFits(cell, cell.dataset.fits));
      const address = row.dataset.more ? addressOf(row, cells, `row/${place}/${i}`) : "";
      if (address) opener(row, address);
      all(".chip", row).forEach((chip) => leadToReason(chip, chip.dataset.opens || address));
    });
  }
  // A row about one published number has the dialog of its verdict, one of a single fit that of the fit.
  function addressOf(row, cells, other) {
    const verdict = row.querySelector(":scope > td > span.chip[data-opens]")?.dataset.opens;
    if (verdict) return verdict;
    const keys = new Set(cells.map((cell) => cell.dataset.fits).filter(groupOf));
    const key = keys.size === 1 ? [...keys][0] : "";
    const address = key && !rowsOf.has(`fits/${key}`) ? `fits/${key}` : other;
    rowsOf.set(address, { row, key });
    return address;
  }
  // A badge leads to the reason of its verdict.
  function leadToReason(chip, address) {
    if (!address || chip.querySelector("a")) return;
    const link = make("a", { href: `#${address}`, "aria-label": `${text(chip)}: why?` }, ...chip.childNodes);
    chip.append(link);
  }
  function opener(row, address) {
    const name = leads(row).join(", ");
    row.cells[0].append(make("a", { class: "more", href: `#${address}`, "aria-label": `Details of ${name}` }, "⋯"));
  }
  const plainText = (cell) => {
    const copy = cell.cloneNode(true);
    all("small, .more", copy).forEach((node) => node.remove());
    return text(copy);
  };
  const leads = (row) => [row.cells[0], ...all("td.also", row)].map(plainText);

  const shown = (value) => {
    if (value === null) return "–";
    const size = Math.abs(value);
    if (Number.isInteger(value) && size < 1e6) return String(value);
    return size >= 1e6 || size < 1e-3 ? value.toExponential(2) : String(Number(value.toPrecision(4)));
  };
  const numeric = (value) =>
    make("td", { class: "num", "data-value": value }, shown(value));

  function copyButton(command) {
    const button = make("button", { type: "button", class: "plain" }, "Copy");
    button.addEventListener("click", async () => {
      const code = button.previousElementSibling;
      try {
        await navigator.clipboard.writeText(command);
      } catch {
        getSelection().selectAllChildren(code);
        document.execCommand("copy");
      }
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    return button;
  }

  // What the row says beside its cells.
  function aboutRow(row) {
    return make("dl", { class: "about" }, ...asides(row).map(([heading, words]) =>
      make("div", {}, make("dt", {}, heading), make("dd", {}, words))));
  }

  // Published and ours, by default and under the combination that explains the row, with verdict and reason.
  function valuesTable(addresses) {
    const entries = addresses.map((address) => verdicts[address]);
    const isExplained = entries.some((entry) => entry.explained);
    const columns = [["Quantity", ""], ["Published", "num"], ["Ours, by default", "num"],
      ...(isExplained ? [["Ours, with the combination", "num"], ["Combination", "words"]] : []),
      ["Verdict", ""], ["Reason", "text"], ["Margin", "num"]];
    const head = columns.map(([name, style]) => make("th", { scope: "col", class: style || false }, name));
    const rows = entries.map((entry) => make("tr", {},
      ...[entry.quantity, entry.published, entry.ours, ...(isExplained ? [entry.explained || "–", entry.combination || "none"] : []),
        make("span", { class: `chip ${entry.css}` }, entry.verdict),
        entry.zero && entry.zero !== "–" ? `${entry.reason}; w = 0 on ${entry.zero} splits` : entry.reason, entry.margin,
      ].map((content, i) => make(i ? "td" : "th", { scope: i ? false : "row", class: columns[i][1] || false }, content))));
    const table = make("table", { class: "data" }, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows));
    return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Published and ours" }, table);
  }

  function fitsTable({ group, columns }) {
    const names = ["Split", "Ended", ...columns, "Parameters"];
    const hasMessage = group.rows.some((row) => fits.words[row[2]]);
    if (hasMessage) names.push("Message");
    const head = make("tr", {}, ...names.map((name, i) =>
      make("th", { scope: "col", class: i === 0 || (i > 1 && i < 2 + columns.length) ? "num" : false }, name)));
    const body = group.rows.map(([split, status, message, params, ...numbers]) =>
      make("tr", {}, numeric(split), make("td", { class: "words" }, fits.words[status]), ...numbers.map(numeric),
        make("td", {}, fits.words[params]), ...(hasMessage ? [make("td", { class: "text" }, fits.words[message])] : [])));
    const means = columns.map((_, i) => {
      const known = group.rows.map((row) => row[4 + i]).filter((value) => value !== null);
      return known.length ? known.reduce((sum, value) => sum + value, 0) / known.length : null;
    });
    const foot = make("tr", {}, make("th", { scope: "row" }, "Mean"), make("td"), ...means.map(numeric), make("td"),
      ...(hasMessage ? [make("td")] : []));
    const table = make("table", { class: "data" }, make("thead", {}, head), make("tbody", {}, ...body),
      group.rows.length > 1 ? make("tfoot", {}, foot) : "");
    sortable(table);
    return make("div", { class: "scroll long", tabindex: "0", role: "region", "aria-label": "Chosen fits" }, table);
  }

  // Where the fits come from, and how to make them again.
  function origin(group) {
    return group.files.flatMap(({ path, provenance }) => {
      const command = `${fits.command} ${path}`;
      return [make("p", { class: "origin" }, provenance),
        make("div", { class: "command" }, make("pre", {}, command), copyButton(command))];
    });
  }

  function dialogOf(address) {
    const verdict = verdicts[address];
    const { row, key } = rowsOf.get(address) || { key: verdict?.fits || (address.startsWith("fits/") ? address.slice(5) : "") };
    const found = groupOf(key);
    if (!found && !row && !verdict) return null;
    const published = verdict ? [address] : verdictsOf.get(key) || [];
    return () => {
      const [, dataset, features] = key.split("/");
      const title = verdict?.title || (found ? `${found.group.label} on ${dataset}, ${features}` : leads(row).join(", "));
      const close = make("button", { type: "button", class: "plain close", onclick: () => dialog.close() }, "Close");
      dialog.replaceChildren(make("h2", { id: "fits-title" }, title));
      if (published.length) dialog.append(valuesTable(published));
      if (row) dialog.append(aboutRow(row));
      if (found) {
        const lead = `The fits of ${found.study} with the chosen parameters: ${found.group.rows.length}. ${found.group.data}`;
        dialog.append(make("p", { class: "lead" }, lead), fitsTable(found), ...origin(found.group));
      }
      dialog.append(close);
    };
  }

  let cameFrom = "";
  dialog.addEventListener("close", () => {
    if (/^#(fits|row|verdict)\//.test(location.hash)) history.replaceState(null, "", cameFrom || location.pathname + location.search);
  });
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
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
  addEventListener("afterprint", () => folded.forEach((details) => { details.open = false; }));  // ---- Search over all pages of a site; the index is loaded when a reader begins to type.
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
  }  // ---- A table to take along, as it is shown, as CSV.
  function cellsOf(table) {
    const cellText = (cell) => {
      const copy = cell.cloneNode(true);
      all(".more, .hidden", copy).forEach((node) => node.remove());
      const parts = all("small", copy).map((node) => { node.remove(); return text(node); });
      return [text(copy), ...parts].filter(Boolean).join("; ").replace(/\s+/g, " ");
    };
    const rows = [...table.tBodies[0].rows].filter((row) => !row.hidden);
    const further = rows.length ? asides(rows[0]).map(([heading]) => heading) : [];
    return [
      [...table.tHead.rows[0].cells].map(cellText).concat(further),
      ...rows.map((row) => [...row.cells].map(cellText).concat(asides(row).map(([, words]) => words))),
    ];
  }
  const asCsv = (rows) => rows.map((row) => row.map((cell) =>
    /[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell).join(",")).join("\n") + "\n";
  function taken(table) {
    const region = table.closest(".scroll");
    const label = region.getAttribute("aria-label");
    const name = label.toLowerCase().replace(/[^a-z0-9]+/g, "_");
    const line = make("p", { class: "downloads" });
    const action = () => save(`${name}.csv`, "text/csv", asCsv(cellsOf(table)));
    line.append(make("button", { type: "button", "aria-label": `CSV: ${label}`, onclick: action }, "CSV"));
    region.after(line);
  }

  // ---- A brief table: the rows with a verdict, until a reader asks for the others.
  function brief(table) {
    const region = table.closest(".scroll.brief");
    const beyond = all("tr.beyond", table).length;
    if (!region || !beyond) return;
    const button = make("button", { type: "button", class: "plain", onclick: () => showAll(region) }, `Show ${beyond} more rows, beyond the paper`);
    region.after(button);
  }
  function showAll(region) {
    if (!region?.classList.contains("brief")) return;
    region.classList.remove("brief");
    region.nextElementSibling.remove();
  }

  // ---- The rows of a long table beyond the first screen, once the page has loaded or when one is wanted.
  const showLater = () => all(".later").forEach((region) => region.classList.remove("later"));

  // ---- Two methods beside one another; the first pair stands there without scripts.
  // Their numbers are many: they are read after the page has loaded.
  async function compareAll() {
    const parts = all("[data-compare]");
    if (!parts.length) return;
    await load("pairs");
    parts.forEach(compare);
    if (filters.has(location.hash.slice(1).split("?")[0])) route();
  }
  function compare(part) {
    const name = part.dataset.compare;
    const pairs = stored("pairs")[name];
    const table = part.querySelector("table");
    const selects = ["First", "Second"].map((label, which) => {
      const options = pairs.methods.map((method, i) => make("option", { value: i, selected: i === pairs.first[which] }, method));
      return [label, make("select", {}, ...options)];
    });
    // with many data sets one metric at a time is enough
    const metricOf = (row) => pairs.cells[row[3]][0];
    const metrics = [...new Set(pairs.rows.map(metricOf))];
    const isOfFirst = ([a, b]) => a === pairs.first[0] && b === pairs.first[1];
    const usual = pairs.rows.filter(isOfFirst).length > 60 ? metrics[0] : "";
    const metricSelect = make("select", {}, ...["", ...metrics].map((words) => make("option", { value: words, selected: words === usual }, words || "all")));
    selects.push(["Metric", metricSelect]);
    const form = make("form", { class: "filter", "aria-label": `Two methods of ${name.slice(0, -"-compare".length)}` },
      ...selects.map(([label, select]) => make("label", {}, label, select)), make("output", { "aria-live": "polite" }));
    part.querySelector(".scroll").before(form);
    const details = pairs.rows.length ? pairs.rows[0].length - pairs.details : 0;
    const headings = [...table.tBodies[0].rows].slice(0, 1).flatMap((row) => asides(row)).map(([heading]) => heading);
    const template = table.tHead.rows[0];
    function show(first, second, metric) {
      const wanted = pairs.rows
        .filter(([a, b]) => (a === first && b === second) || (a === second && b === first))
        .filter((row) => !metric || metricOf(row) === metric)
        .map(([a, b, ...places]) => [a, b, ...places.map((place) => pairs.cells[place])]);
      const isTurned = wanted.length && wanted[0][0] !== first;
      const [one, two] = isTurned ? [second, first] : [first, second];
      const rows = wanted.map((row) => make("tr", { "data-more": JSON.stringify(row.slice(details).map(([words], i) => [headings[i], words, ""])) },
        ...row.slice(2, details).map(([words, value], i) => {
          const [headline, ...below] = words.split("; ");
          const key = [name.slice(0, -"-compare".length), row[2][0].split("; ")[0], row[2][0].split("; ")[1] || "raw", pairs.names[row[i - 2]]];
          const style = template.cells[i].classList.contains("num") ? "num" : i === 1 ? "also" : false;
          return make(i ? "td" : "th", { class: style, scope: i ? false : "row", "data-value": value || false, "data-fits": (i === 2 || i === 3) && key.join("/") },
            headline, ...below.map((line) => make("small", {}, line)));
        })));
      table.tBodies[0].replaceChildren(...rows);
      openers(table, name);
      all("tbody a", table).forEach((node) => { node.tabIndex = -1; });
      form.querySelector("output").textContent = wanted.length
        ? `${wanted.length} rows.` : "No data set has numbers of both.";
      part.querySelector(".which")?.remove();
      [one, two].forEach((method, i) => {
        selects[i][1].value = method;
        template.cells[2 + i].querySelector("button").textContent = pairs.methods[method];
      });
      metricSelect.value = metric;
    }
    const set = (state) => {
      const at = (key, place) => (pairs.methods.includes(state.get(key)) ? pairs.methods.indexOf(state.get(key)) : place);
      const metric = state.get("metric");
      show(at("first", pairs.first[0]), at("second", pairs.first[1]), ["", ...metrics].includes(metric) ? metric : usual);
    };
    form.addEventListener("input", () => {
      const indices = selects.slice(0, 2).map(([, select]) => Number(select.value));
      show(...indices, metricSelect.value);
      const query = new URLSearchParams({ first: pairs.methods[indices[0]], second: pairs.methods[indices[1]], metric: metricSelect.value });
      history.pushState(null, "", `#${name}?${query}`);
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    filters.set(name, { set, place: form });
    show(...pairs.first, usual);
  }

  // ---- The glossary: a term of ours says what it means where it stands.
  function explain() {
    const terms = new Map(window.reportData ? Object.entries(stored("glossary"))
      : all("#glossary dt").map((term) => [text(term).toLowerCase(), text(term.nextElementSibling)]));
    all("thead th, .chip, main em, main summary").forEach((node) => {
      const meaning = terms.get(text(node).toLowerCase());
      if (meaning && !node.title) node.title = meaning;
    });
  }  all("table.data").forEach((table) => {
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