  // ---- One number: what stands in the dialog of its row, and the fits behind it.
  const dialog = document.getElementById("fits");
  const fits = stored("data-fits");
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
      if (!row.dataset.more) return;
      const keys = new Set(cells.map((cell) => cell.dataset.fits).filter(groupOf));
      const key = keys.size === 1 ? [...keys][0] : "";
      const isFirst = key && !rowsOf.has(`fits/${key}`);
      const address = isFirst ? `fits/${key}` : `row/${place}/${i}`;
      rowsOf.set(address, { row, key });
      opener(row, address);
    });
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
    const { row, key } = rowsOf.get(address) || { key: address.startsWith("fits/") ? address.slice(5) : "" };
    const found = groupOf(key);
    if (!found && !row) return null;
    return () => {
      const [, dataset, features] = key.split("/");
      const title = found ? `${found.group.label} on ${dataset}, ${features}` : leads(row).join(", ");
      const close = make("button", { type: "button", class: "plain close", onclick: () => dialog.close() }, "Close");
      dialog.replaceChildren(make("h2", { id: "fits-title" }, title));
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
    if (/^#(fits|row)\//.test(location.hash)) history.replaceState(null, "", cameFrom || location.pathname + location.search);
  });
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });

