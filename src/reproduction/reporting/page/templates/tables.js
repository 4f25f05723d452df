  // ---- A table to take along, as it is shown, as CSV.
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
  }
