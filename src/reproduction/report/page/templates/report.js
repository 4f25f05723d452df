// Sorting, filters, the fits behind a number, downloads of figures. Without it everything can still be read.
"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const stored = (id) => JSON.parse(document.getElementById(id).textContent);
  const text = (node) => node.textContent.trim();

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

  function keyOf(row, column) {
    const cell = row.cells[column];
    if (!cell) return null;
    const value = cell.dataset.value;
    if (value !== undefined) return value === "inf" ? Infinity : Number(value);
    if (cell.classList.contains("num")) return null;
    return text(cell) || null;
  }

  function compare(a, b, sign) {
    if (a === null || b === null) return (a === null) - (b === null); // what is missing is last in either order
    if (typeof a === "number" && typeof b === "number") return a === b ? 0 : sign * (a < b ? -1 : 1);
    const [first, second] = [String(a), String(b)];
    // To the collator 0.01 and 0.001 are alike: the digits behind the point are numbers to it.
    return sign * (collator.compare(first, second) || (first < second ? -1 : Number(first > second)));
  }

  function sortable(table) {
    const body = table.tBodies[0];
    if (!body) return;
    const original = [...body.rows];
    const heads = headsOf(table);
    const sorts = new Map();
    heads.forEach((head, column) => {
      const button = make("button", { type: "button" }, ...head.childNodes);
      head.append(button);
      const sort = (next) => {
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        let rows = original;
        if (next) {
          head.setAttribute("aria-sort", next);
          const keys = new Map(original.map((row) => [row, keyOf(row, column)]));
          const sign = next === "ascending" ? 1 : -1;
          rows = [...original].sort((a, b) => compare(keys.get(a), keys.get(b), sign));
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
    headsOf(table).forEach((head, column) => {
      if (head.dataset.choices === undefined) return;
      const title = text(head);
      const select = make("select", {}, make("option", { value: "" }, "all"));
      const values = new Set(rows.map((row) => text(row.cells[column])));
      values.forEach((value) => select.append(make("option", { value }, value)));
      choices.set(head.dataset.choices || title.toLowerCase(), { column, select });
      form.append(make("label", {}, title, select));
    });
    const count = make("output", { "aria-live": "polite" });
    form.append(make("button", { type: "reset", class: "plain" }, "Reset"), count);
    region.before(form);
    const words = rows.map((row) => row.textContent.toLowerCase());

    function apply() {
      const wanted = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      rows.forEach((row, i) => {
        let fits = wanted.every((word) => words[i].includes(word));
        choices.forEach(({ column, select }) => {
          fits = fits && (!select.value || text(row.cells[column]) === select.value);
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
      const said = state.toString();
      const step = isSearch && typing ? "replaceState" : "pushState";
      typing = isSearch;
      history[step](null, "", said ? `#${name}?${said}` : `#${name}`);
    }
    function set(state) {
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
    const changed = (event) => { apply(); remember(event?.target === search); };
    form.addEventListener("input", changed);
    table.addEventListener("sorted", (event) => { order = event.detail; remember(false); });
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(changed));
    apply();
    if (name) filters.set(name, set);
  }

  // ---- The fits behind a number.
  const dialog = document.getElementById("fits");
  const fits = stored("data-fits");
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

  function describe(found, key) {
    const { study, group, columns } = found;
    const [, dataset, features] = key.split("/");
    const names = ["Split", "Status", ...columns, "Parameters"];
    const hasMessage = group.rows.some((row) => fits.words[row[2]]);
    if (hasMessage) names.push("Message");
    const head = make("tr", {}, ...names.map((name, i) =>
      make("th", { scope: "col", class: i === 0 || (i > 1 && i < 2 + columns.length) ? "num" : false }, name)));
    const body = group.rows.map(([split, status, message, params, ...numbers]) =>
      make("tr", {}, numeric(split), make("td", {}, fits.words[status]), ...numbers.map(numeric),
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
    const commands = group.files.map((file) => {
      const command = `${fits.command} ${file}`;
      return make("div", { class: "command" }, make("pre", {}, command), copyButton(command));
    });
    const close = make("button", { type: "button", class: "plain close", onclick: () => dialog.close() }, "Close");
    dialog.replaceChildren(
      make("h2", { id: "fits-title" }, `${group.label} on ${dataset}, ${features}`),
      make("p", { class: "lead" }, `The fits of ${study} with the chosen parameters: ${group.rows.length}. Numbers in short; all digits stand in the files.`),
      make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Chosen fits" }, table),
      ...(commands.length ? [make("p", {}, "To make them again:"), ...commands] : []),
      close,
    );
  }

  let cameFrom = "";
  dialog.addEventListener("close", () => {
    if (location.hash.startsWith("#fits/")) history.replaceState(null, "", cameFrom || location.pathname + location.search);
  });
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });

  // ---- Where the address leads.
  function route() {
    const hash = location.hash;
    if (hash.startsWith("#fits/")) {
      const key = decodeURIComponent(hash.slice("#fits/".length));
      const found = groupOf(key);
      if (found) {
        describe(found, key);
        if (!dialog.open) dialog.showModal();
        return;
      }
    }
    cameFrom = hash;
    if (dialog.open) dialog.close();
    const [name, query] = hash.slice(1).split("?");
    if (filters.has(name)) {
      filters.get(name)(new URLSearchParams(query || ""));
      if (query !== undefined) document.getElementById(name).scrollIntoView();
      return;
    }
    const target = name && document.getElementById(name);
    if (target && target.hidden) target.hidden = false; // a row that a filter had hidden
  }

  // ---- Downloads of figures.
  const drawn = stored("data-drawn");
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
    if (drawn[figure.id]) {
      button("Data (CSV)", "data", () => save(`${name}.csv`, "text/csv", drawn[figure.id]));
    }
    figure.querySelector("figcaption").after(line);
  }

{% include "navigation.js" %}
  all("table.data").forEach((table) => {
    const sorts = sortable(table);
    if (table.dataset.filter !== undefined) filterable(table, sorts);
  });
  all("td[data-fits]").forEach((cell) => leadToFits(cell, cell.dataset.fits));
  all("table.data").forEach(stops);
  all("figure[data-file]").forEach(downloads);
  contents();
  all("main h2, main h3").forEach(permalink);
  addEventListener("popstate", route);
  route();
})();
