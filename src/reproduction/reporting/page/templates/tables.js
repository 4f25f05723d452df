  // ---- A table to take along, as it is shown, as CSV.
  function cellsOf(table) {
    const said = (cell) => {
      const copy = cell.cloneNode(true);
      all(".more, .hidden", copy).forEach((node) => node.remove());
      const parts = all("small", copy).map((node) => { node.remove(); return text(node); });
      return [text(copy), ...parts].filter(Boolean).join("; ").replace(/\s+/g, " ");
    };
    const rows = [...table.tBodies[0].rows].filter((row) => !row.hidden);
    const further = rows.length ? asides(rows[0]).map(([heading]) => heading) : [];
    return [
      [...table.tHead.rows[0].cells].map(said).concat(further),
      ...rows.map((row) => [...row.cells].map(said).concat(asides(row).map(([, words]) => words))),
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

  // ---- Two methods beside one another; the first pair stands there without scripts.
  function compare(part) {
    const name = part.dataset.compare;
    const found = stored("data-pairs")[name];
    const table = part.querySelector("table");
    const selects = ["First", "Second"].map((label, which) => {
      const options = found.methods.map((method, i) => make("option", { value: i, selected: i === found.first[which] }, method));
      return [label, make("select", {}, ...options)];
    });
    // with many data sets one metric at a time is enough
    const measureOf = (row) => found.cells[row[3]][0];
    const metrics = [...new Set(found.rows.map(measureOf))];
    const isOfFirst = ([a, b]) => a === found.first[0] && b === found.first[1];
    const usual = found.rows.filter(isOfFirst).length > 60 ? metrics[0] : "";
    const measured = make("select", {}, ...["", ...metrics].map((words) => make("option", { value: words, selected: words === usual }, words || "all")));
    selects.push(["Metric", measured]);
    const form = make("form", { class: "filter", "aria-label": `Two methods of ${name.slice(0, -"-compare".length)}` },
      ...selects.map(([label, select]) => make("label", {}, label, select)), make("output", { "aria-live": "polite" }));
    part.querySelector(".scroll").before(form);
    const details = found.rows.length ? found.rows[0].length - found.details : 0;
    const headings = [...table.tBodies[0].rows].slice(0, 1).flatMap((row) => asides(row)).map(([heading]) => heading);
    const template = table.tHead.rows[0];
    function show(first, second, metric) {
      const wanted = found.rows
        .filter(([a, b]) => (a === first && b === second) || (a === second && b === first))
        .filter((row) => !metric || measureOf(row) === metric)
        .map(([a, b, ...places]) => [a, b, ...places.map((place) => found.cells[place])]);
      const isTurned = wanted.length && wanted[0][0] !== first;
      const [one, two] = isTurned ? [second, first] : [first, second];
      const rows = wanted.map((row) => make("tr", { "data-more": JSON.stringify(row.slice(details).map(([words], i) => [headings[i], words, ""])) },
        ...row.slice(2, details).map(([words, value], i) => {
          const [said, ...below] = words.split("; ");
          const key = [name.slice(0, -"-compare".length), row[2][0].split("; ")[0], row[2][0].split("; ")[1] || "raw", found.names[row[i - 2]]];
          const style = template.cells[i].classList.contains("num") ? "num" : i === 1 ? "also" : false;
          return make(i ? "td" : "th", { class: style, scope: i ? false : "row", "data-value": value || false, "data-fits": (i === 2 || i === 3) && key.join("/") },
            said, ...below.map((line) => make("small", {}, line)));
        })));
      table.tBodies[0].replaceChildren(...rows);
      openers(table, name);
      all("tbody a", table).forEach((node) => { node.tabIndex = -1; });
      form.querySelector("output").textContent = wanted.length
        ? `${wanted.length} rows.` : "No data set has numbers of both.";
      part.querySelector(".which")?.remove();
      [one, two].forEach((method, i) => {
        selects[i][1].value = method;
        template.cells[2 + i].querySelector("button").textContent = found.methods[method];
      });
      measured.value = metric;
    }
    const set = (state) => {
      const at = (key, place) => (found.methods.includes(state.get(key)) ? found.methods.indexOf(state.get(key)) : place);
      const metric = state.get("metric");
      show(at("first", found.first[0]), at("second", found.first[1]), ["", ...metrics].includes(metric) ? metric : usual);
    };
    form.addEventListener("input", () => {
      const both = selects.slice(0, 2).map(([, select]) => Number(select.value));
      show(...both, measured.value);
      const said = new URLSearchParams({ first: found.methods[both[0]], second: found.methods[both[1]], metric: measured.value });
      history.pushState(null, "", `#${name}?${said}`);
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    filters.set(name, { set, place: form });
    show(...found.first, usual);
  }

  // ---- The glossary: a term of ours says what it means where it stands.
  function explain() {
    const terms = new Map(all("#glossary dt").map((term) => [text(term).toLowerCase(), text(term.nextElementSibling)]));
    all("thead th, .chip, main em, main summary").forEach((node) => {
      const meaning = terms.get(text(node).toLowerCase());
      if (meaning && !node.title) node.title = meaning;
    });
  }
