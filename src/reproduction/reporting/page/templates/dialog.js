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

