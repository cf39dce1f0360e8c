"use strict";
// Tables: sorted, filtered, copied as CSV or LaTeX.

(() => {
  const { html, whole, growing } = quantext;

  const sortable = (table) => {
    const headers = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
    const sort = (header, column) => {
      const down = header.getAttribute("aria-sort") === "ascending";
      for (const other of headers) other.removeAttribute("aria-sort");
      header.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = (row) => {
        const cell = row.cells[column];
        if (!header.classList.contains("n")) return cell.textContent.trim();
        return cell.dataset.v === undefined ? null : Number(cell.dataset.v);
      };
      const compare = (a, b) => typeof a === "number" ? a - b : a.localeCompare(b, undefined, { numeric: true });
      const rows = [...table.tBodies[0].rows].map((row) => [key(row), row]);
      rows.sort(([a], [b]) => // what is missing stays last either way
        a === null || b === null ? (a === null) - (b === null) : down ? compare(b, a) : compare(a, b));
      table.tBodies[0].append(...rows.map(([, row]) => row));
    };
    for (const [column, header] of headers.entries())
      header.querySelector("button")?.addEventListener("click", () => sort(header, column));
  };
  const filterable = (input, { table, count, noun }) => {
    const rows = [...table.tBodies[0].rows];
    const show = () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of rows) {
        const text = row.cells[0].textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
        shown += !row.hidden;
      }
      count.textContent = shown === rows.length ? `${shown} ${noun}` : `${shown} of ${rows.length} ${noun}`;
    };
    input.addEventListener("input", show);
    show();
  };

  // A table as text. A table is { head, rows, numeric }: texts, rows of texts or numbers, and which columns have numbers.
  // Where a cell or a head is shown otherwise than it is, it is a pair: [what it is, how it is shown].
  const given = (cell) => Array.isArray(cell) ? cell[0] : cell;
  const shown = (cell) => String(Array.isArray(cell) ? cell[1] : cell);
  const quoted = (value) => { // six digits are what the page has of a share; more would be noise of its arithmetic
    const text = String(typeof value === "number" ? +value.toFixed(6) : value ?? "");
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const csv = ({ head, rows }) => [head, ...rows].map((row) => `${row.map((cell) => quoted(given(cell))).join(",")}\r\n`).join("");
  const SPECIAL = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "<": "$<$", ">": "$>$",
    "−": "$-$", "–": "--", "\n": " " };
  // What begins with [ or * would be read as an option of the row's end before it.
  const escaped = (text) => (/^\s*[[*]/.test(text) ? "{}" : "") + text.replace(/[\\~^<>−–\n&%$#_{}]/g, (c) => SPECIAL[c] ?? `\\${c}`);
  const latex = ({ head, rows, numeric }) => {
    const line = (row) => `${row.map((cell) => escaped(shown(cell))).join(" & ")} \\\\`;
    return ["% needs \\usepackage{booktabs}", `\\begin{tabular}{${numeric.map((n) => n ? "r" : "l").join("")}}`, "\\toprule", line(head), "\\midrule",
      ...rows.map(line), "\\bottomrule", "\\end{tabular}", ""].join("\n");
  };

  // Two buttons that copy what table() gives. Where a browser forbids that, the text is there, selected.
  const copies = (place, table) => {
    const said = html("span", { class: "count", role: "status" });
    const text = html("textarea", { readonly: "", rows: 4, "aria-label": "The table, to be copied", hidden: "" });
    const copy = async (write, name) => {
      const made = table();
      const content = write(made);
      text.hidden = true;
      try {
        await navigator.clipboard.writeText(content);
        said.textContent = `Copied ${whole.format(made.rows.length)} ${made.rows.length === 1 ? "row" : "rows"} as ${name}.`;
      } catch {
        text.value = content;
        text.hidden = false;
        text.select();
        said.textContent = "Press Ctrl+C or ⌘C to copy what is selected.";
      }
    };
    place.append(...[[csv, "CSV"], [latex, "LaTeX"]].map(([write, name]) => {
      const button = html("button", { type: "button", class: "plain" }, `Copy ${name}`);
      button.addEventListener("click", () => copy(write, name));
      return button;
    }), said, text);
  };
  // The same for a table that is on the page as a whole; rows that are filtered away stay away.
  const readTable = (table) => {
    const header = table.tHead.rows[table.tHead.rows.length - 1];
    const numeric = [...header.cells].map((cell) => cell.classList.contains("n"));
    return {
      head: [...header.cells].map((cell) => cell.textContent.trim()), numeric,
      rows: [...table.tBodies[0].rows].filter((row) => !row.hidden).map((row) => [...row.cells].map((cell, i) =>
        [numeric[i] ? cell.dataset.v ?? "" : cell.textContent.trim(), cell.textContent.trim()])),
    };
  };
  const copyable = (table) => {
    const controls = html("div", { class: "controls copies" });
    copies(controls, () => readTable(table));
    (table.closest(".scroll") ?? table).before(controls);
  };

  const SHORT = 24; // letters of a name that paper has in one line

  // A table of any size, of which some rows are drawn: rows are numbers. spec: columns of {label, value(i), text(value, i), css,
  // name: true for text, given(value, i): what copies have, unit: of what is shown, for copies of that}; rows, in order; texts(i): what is searched; find, count, more,
  // copied: elements; noun.
  const bigTable = (table, { columns, rows, texts, find, count, more, copied, noun }) => {
    let [sorted, down, found] = [null, false, rows];
    const text = (one, i) => one.text(one.value(i), i);
    const headers = columns.map((one) => {
      const header = html("th", { scope: "col", class: one.name ? "" : "n" }, html("button", { type: "button" }, one.label));
      header.firstChild.addEventListener("click", () => {
        [sorted, down] = [one, sorted === one && !down];
        for (const other of headers) other.removeAttribute("aria-sort");
        header.setAttribute("aria-sort", down ? "descending" : "ascending");
        search();
      });
      return header;
    });
    table.tHead.append(html("tr", {}, ...headers));
    const rest = html("p", { class: "note", hidden: "" });
    more.parentElement.after(rest);
    const css = (one, i) => one.css?.(i) ?? (!one.name ? "n" : text(one, i).length <= SHORT ? "name short" : "name");
    const draw = () => {
      const some = found.slice(0, show(found.length));
      table.tBodies[0].replaceChildren(...some.map((i) => html("tr", {}, ...columns.map((one, c) =>
        html(c ? "td" : "th", { class: css(one, i), scope: c ? null : "row", "data-label": one.label }, text(one, i))))));
      rest.hidden = !quantext.paper || some.length === found.length;
      rest.textContent = `These are the first ${whole.format(some.length)} of ${whole.format(found.length)} ${noun}. The page on a screen has all of them, to be copied or downloaded as CSV.`;
    };
    const search = () => {
      const words = find ? find.value.toLowerCase().split(/\s+/).filter(Boolean) : [];
      found = words.length ? rows.filter((i) => words.every((word) => texts(i).some((where) => where.includes(word)))) : rows;
      if (sorted) {
        const sign = down ? -1 : 1;
        found = found.map((i) => [sorted.value(i), i]).sort(([a, i], [b, j]) => // what is missing stays last either way
          a === null || b === null ? (a === null) - (b === null) || i - j : sign * (a - b) || i - j).map(([, i]) => i);
      }
      if (count) count.textContent = found.length === rows.length ? `${whole.format(rows.length)} ${noun}`
        : `${whole.format(found.length)} of ${whole.format(rows.length)} ${noun}`;
      draw();
    };
    const show = growing(more, { first: 50, draw, noun });
    find?.addEventListener("input", search);
    copies(copied, () => ({
      head: columns.map(({ label, unit }) => unit ? [label, `${label} (${unit})`] : label), numeric: columns.map(({ name }) => !name),
      rows: found.map((i) => columns.map((one) => {
        const value = one.value(i);
        return [one.given ? one.given(value, i) : one.name ? text(one, i) : value, text(one, i)];
      })),
    }));
    search();
  };

  document.querySelectorAll("table.sortable").forEach(sortable);
  document.querySelectorAll("table.copied").forEach(copyable);
  Object.assign(quantext, { filterable, copies, csv, bigTable });
})();
