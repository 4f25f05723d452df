// What page_checks.py and page_controls.py ask of a page, from within it. Each function returns complaints,
// one sentence each, unless it says otherwise.
(() => {
const nameOf = table =>
  table.closest("[role=region]")?.getAttribute("aria-label") || table.caption?.textContent || table.id;
// The cell of the last row of heads that stands over each column, whatever spans what.
const headsOf = table => {
  const grid = [];
  [...table.tHead.rows].forEach((row, r) => {
    let column = 0;
    for (const cell of row.cells) {
      while (grid[r]?.[column]) column++;
      for (let down = 0; down < cell.rowSpan; down++)
        for (let right = 0; right < cell.colSpan; right++)
          (grid[r + down] ??= [])[column + right] = cell;
    }
  });
  return grid[table.tHead.rows.length - 1];
};
// The words of a cell, without the sign that opens the dialog of its row.
const wordsOf = cell => {
  const copy = cell.cloneNode(true);
  copy.querySelectorAll(".more").forEach(e => e.remove());
  return copy.textContent.trim();
};
const cellAt = (row, column) => {
  for (const cell of row.cells) {
    if (column < cell.colSpan) return cell;
    column -= cell.colSpan;
  }
};
return {
  overflow: () => {
    const root = document.documentElement, width = root.clientWidth;
    if (root.scrollWidth <= width) return [];
    const scrolls = element => {
      for (let e = element.parentElement; e && e !== document.body; e = e.parentElement)
        if (getComputedStyle(e).overflowX !== "visible") return true;
      return false;
    };
    const name = e => e.tagName.toLowerCase() + (e.id ? "#" + e.id : "") +
      [...e.classList].map(word => "." + word).join("");
    const wide = [...document.body.querySelectorAll("*")]
      .map(e => [e, Math.round(e.getBoundingClientRect().right + scrollX)])
      .filter(([e, right]) => right > width && !scrolls(e))
      .sort((a, b) => b[1] - a[1]).slice(0, 3)
      .map(([e, right]) => `${name(e)} (to ${right}: "${e.textContent.trim().slice(0, 40)}")`);
    return [`At ${width} pixels the page is ${root.scrollWidth} wide: ${wide.join("; ") || "nothing sticks out"}.`];
  },
  withoutWords: () => {
    const short = e => e.outerHTML.slice(0, 80).replace(/\s+/g, " ");
    const blank = text => !(text || "").trim();
    const hidden = e => e.closest("[aria-hidden=true], [role=presentation], [role=none]");
    const found = [];
    for (const e of document.querySelectorAll("img"))
      if (blank(e.getAttribute("alt")) && !hidden(e)) found.push(`An image has no alt text: ${short(e)}`);
    for (const e of document.querySelectorAll("svg"))
      if (!hidden(e) && !e.parentElement.closest("svg") && !(e.getAttribute("role") === "img" &&
          (!blank(e.getAttribute("aria-label")) || e.hasAttribute("aria-labelledby"))))
        found.push(`A drawing has no role img with a label, and is not hidden from readers: ${short(e)}`);
    for (const e of document.querySelectorAll("figure"))
      if (blank(e.querySelector("figcaption")?.textContent)) found.push(`A figure has no caption: ${short(e)}`);
    return found;
  },
  twice: () => {
    const counts = {};
    for (const e of document.querySelectorAll("[id]")) counts[e.id] = (counts[e.id] || 0) + 1;
    return Object.entries(counts).filter(([, count]) => count > 1)
      .map(([id, count]) => `${count} elements have the id ${id}.`);
  },
  // A link of the page may set filters behind its goal (#goal?filters); what leads to fits is clicked elsewhere.
  dead: () => {
    const ends = new Set(["", "top"]);
    for (const e of document.querySelectorAll("[id]")) ends.add(e.id);
    return [...document.querySelectorAll("a[href^='#']")]
      .filter(e => !e.closest("[data-fits], .more, .chip"))
      .filter(e => !ends.has(decodeURIComponent(e.getAttribute("href").slice(1).split("?")[0])))
      .map(e => `The link “${e.textContent.trim()}” leads to ${e.getAttribute("href")}, which is nowhere.`);
  },
  onPaper: () => {
    const shown = e => e.checkVisibility();
    const found = [];
    for (const e of document.querySelectorAll("input, select, textarea, button, dialog"))
      if (shown(e) && !e.closest("th")) found.push(`In print a control is shown: ${e.outerHTML.slice(0, 80)}`);
    for (const e of document.querySelectorAll("table.data thead tr:last-child th"))
      if (e.textContent.trim() && shown(e) && !e.innerText.trim())
        found.push(`In print the head of a column is lost: ${e.textContent.trim()}`);
    for (const e of document.querySelectorAll(".scroll"))
      if (shown(e) && e.scrollHeight > e.clientHeight + 1)
        found.push(`In print a table is cut: ${e.getAttribute("aria-label")}`);
    return found;
  },
  unreadable: () => {
    const found = [];
    for (const e of document.querySelectorAll("table.data")) {
      if (!e.tBodies[0]?.rows.length) found.push(`Without scripts ${nameOf(e)} has no rows.`);
      else if (!e.checkVisibility() && !e.closest("details:not([open])"))
        found.push(`Without scripts ${nameOf(e)} is not shown.`);
    }
    for (const e of document.querySelectorAll("input, select"))
      if (e.checkVisibility()) found.push(`Without scripts a control does nothing: ${e.outerHTML.slice(0, 80)}`);
    return found;
  },
  sorting: () => {
    const found = [];
    const numberOf = cell => {
      const value = (cell?.dataset.value ?? "").trim();
      if (value === "") return null;
      if (/^[-+]?inf/i.test(value)) return value[0] === "-" ? -Infinity : Infinity;
      return Number(value);
    };
    if (!document.querySelector("table.data")) return ["The page has no table.data to sort."];
    const ordered = (keys, sign) =>
      keys.every((key, i) => i === 0 || (sign > 0 ? keys[i - 1] <= key : keys[i - 1] >= key));
    for (const table of document.querySelectorAll("table.data")) {
      const name = nameOf(table), body = table.tBodies[0], before = [...body.rows];
      if (before.length < 2) continue;
      const heads = headsOf(table);
      if (!heads.some(head => head.querySelector("button"))) {
        found.push(`Nothing sorts the table ${name}: its heads have no buttons.`);
        continue;
      }
      heads.forEach((head, column) => {
        const button = head.querySelector("button"), what = `${name}, ${head.textContent.trim()}`;
        if (!button || head.colSpan > 1) {
          if (head.textContent.trim() && head.colSpan === 1) found.push(`No button sorts ${what}.`);
          return;
        }
        const numeric = before.some(row => numberOf(cellAt(row, column)) !== null);
        const keys = () => [...body.rows].map(row => {
          const cell = cellAt(row, column);
          if (numeric) return numberOf(cell);
          return (cell ? wordsOf(cell) : "").toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");
        });
        const seen = [];
        for (const click of ["first", "second"]) {
          button.click();
          const said = head.getAttribute("aria-sort"), all = keys();
          const known = all.filter(key => key !== null && key !== "");
          seen.push([said, known]);
          if (!["ascending", "descending"].includes(said))
            found.push(`After the ${click} click aria-sort of ${what} is ${said}.`);
          else if (numeric && known.some(Number.isNaN)) found.push(`A data-value of ${what} is no number.`);
          else if (numeric && !ordered(known, said === "ascending" ? 1 : -1))
            found.push(`After the ${click} click ${what} is not ${said}: ${known.slice(0, 6).join(", ")}.`);
          if (all.slice(0, known.length).some(key => key === null || key === ""))
            found.push(`After the ${click} click what is missing stands before the rest: ${what}.`);
          if (body.rows.length !== before.length) found.push(`Sorting changes the number of rows: ${what}.`);
        }
        const [[first, up], [second, down]] = seen;
        if (first === second) found.push(`The second click sorts ${what} as the first did.`);
        if (up.join("\n") !== [...down].reverse().join("\n"))
          found.push(`The two orders of ${what} are not each other's reverse.`);
        button.click();
        if ([...body.rows].some((row, i) => row !== before[i]))
          found.push(`The third click does not restore the order: ${what}.`);
        if (!["none", null].includes(head.getAttribute("aria-sort")))
          found.push(`After the third click aria-sort of ${what} is ${head.getAttribute("aria-sort")}.`);
      });
    }
    return found;
  },
  filtering: async () => {
    const found = [];
    const until = async holds => {
      for (let i = 0; i < 40 && !holds(); i++) await new Promise(done => setTimeout(done, 25));
      return holds();
    };
    const set = (control, value) => {
      control.value = value;
      control.dispatchEvent(new Event("input", {bubbles: true}));
      control.dispatchEvent(new Event("change", {bubbles: true}));
    };
    const plain = e => (e ? wordsOf(e) : "").replace(/\s+/g, " ").trim();
    if (!document.querySelector("table.data[data-filter]")) return ["No table of the page has filters."];
    for (const table of document.querySelectorAll("table.data[data-filter]")) {
      const name = nameOf(table);
      const folded = table.closest("details:not([open])");
      if (folded) folded.open = true;
      // The bar is the largest part of the page around the search box above the table that holds no table.
      const above = e => e.compareDocumentPosition(table) & Node.DOCUMENT_POSITION_FOLLOWING;
      const search = [...document.querySelectorAll("input[type=search]")].filter(above).at(-1);
      let bar = search;
      while (bar && !bar.parentElement.querySelector("table")) bar = bar.parentElement;
      const next = [...document.querySelectorAll("table.data")].find(
        e => bar && bar.compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING);
      if (next !== table) {
        found.push(`No search box stands above ${name}.`);
        continue;
      }
      const live = "output, [role=status], [aria-live]";
      const count = bar.querySelector(live) ?? bar.parentElement.querySelector(live);
      const reset = [...bar.querySelectorAll("button")].at(-1);
      const all = [...table.tBodies[0].rows];
      const shown = () => all.filter(row => row.isConnected && row.checkVisibility());
      const counted = () => new RegExp("(^|\\D)" + shown().length + "(\\D|$)").test(plain(count));
      const whole = async what => {
        if (reset) reset.click();
        else found.push(`No button takes back the filters of ${name}.`);
        if (!await until(() => shown().length === all.length && search.value === ""))
          found.push(`After ${what} the button does not show all ${all.length} rows of ${name} again.`);
      };
      const words = plain(all.at(-1).querySelector("th") ?? all.at(-1).cells[0]).split(" ");
      const word = words.sort((a, b) => b.length - a.length)[0].toLowerCase();
      const holding = all.filter(row => plain(row).toLowerCase().includes(word));
      set(search, word);
      if (!await until(() => shown().length === holding.length && shown().every(row => holding.includes(row))))
        found.push(`A search for “${word}” shows ${shown().length} rows of ${name}, not ${holding.length}.`);
      else if (!await until(counted)) found.push(`A search does not change the count of ${name}: “${plain(count)}”.`);
      await whole("a search");
      set(search, "no row has these words");
      if (!await until(() => shown().length === 0)) found.push(`A search for nonsense finds rows of ${name}.`);
      else if (!/\b(no|none|nothing|0)\b/i.test(plain(count) + plain(table.tFoot)))
        found.push(`Nothing says that no row of ${name} is left.`);
      await whole("an empty search");
      const selects = [...bar.querySelectorAll("select")];
      // A column, then what stands in the dialogs of the rows under a name to choose by.
      const asides = row => JSON.parse(row.dataset.more || "[]");
      const keys = new Set(all.flatMap(row => asides(row).map(([, , key]) => key)).filter(Boolean));
      const columns = [
        ...[...headsOf(table).entries()].filter(([, head]) => head.hasAttribute("data-choices"))
          .map(([column]) => row => {
            const copy = cellAt(row, column).cloneNode(true);
            copy.querySelectorAll("small").forEach(e => e.remove());
            return plain(copy);
          }),
        ...[...keys].map(key => row => asides(row).find(([, , one]) => one === key)?.[1].trim()),
      ];
      if (selects.length !== columns.length)
        found.push(`${name} has ${selects.length} select boxes, not ${columns.length}.`);
      for (const [i, select] of selects.slice(0, columns.length).entries()) {
        const choice = [...select.options].at(-1), said = columns[i];
        const having = all.filter(row => said(row) === plain(choice));
        set(select, choice.value);
        if (!await until(() => shown().length === having.length && shown().every(row => having.includes(row))))
          found.push(`The choice “${plain(choice)}” shows ${shown().length} rows of ${name}, not ${having.length}.`);
        else if (!await until(counted)) found.push(`A choice does not change the count of ${name}.`);
        await whole("a choice");
      }
      if (folded) folded.open = false;
    }
    return found;
  },
  // The elements that lead to fits: numbers, and the rows of which a number does (a row may have no fits).
  leading: () => [...document.querySelectorAll("[data-fits]")]
    .filter(e => e.checkVisibility() && (e.matches("[data-value]") || e.querySelector("td.num :is(a, button)"))),
  // What the open dialog shows: the number of rows, and what is written as code.
  dialog: () => {
    const open = document.querySelector("dialog[open]");
    const commands = [...open.querySelectorAll("code, pre")].map(e => e.textContent);
    return {rows: open.querySelectorAll("tbody tr, li").length, commands};
  },
  // What the first figure offers under a word, or null.
  download: word => {
    const ways = [...document.querySelectorAll("figure")[0].querySelectorAll("a, button")];
    return ways.find(e => e.checkVisibility() && new RegExp(`\\b${word}\\b`, "i").test(e.textContent)) ?? null;
  },
};
})()
