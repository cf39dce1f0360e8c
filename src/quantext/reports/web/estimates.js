"use strict";
// The page of estimates: the trend of each class, one bag at a time, drift, and the whole table.

(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { html, svg, scale, briefPercent } = quantext;
  const place = (id) => document.getElementById(id);
  const on = (id, event, act) => place(id)?.addEventListener(event, act);

  const { batches: bags, classes, size, count } = data;
  const [K, B] = [classes.length, bags.length];
  const last = B - 1;
  const timely = data.in_time;
  const share = (millionths) => millionths < 0 ? null : millionths / 1e6;
  const rows = (grid) => grid?.map((row) => row.map(share));
  const [p, low, high, truth, train] = [rows(data.share), rows(data.low), rows(data.high), rows(data.truth),
    data.train.map(share)];

  const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
  const percent = (v) => v === null ? "–" : `${(100 * v).toFixed(v === 0 || v >= 0.00995 ? 1 : 2)}%`;
  const range = (k, b) => low && low[k][b] !== null ? `${percent(low[k][b])} to ${percent(high[k][b])}` : "";
  const level = `${+(100 * data.level).toFixed(2)}%`;

  const ESTIMATE = { name: low ? `Estimate, with ${level} interval` : "Estimate", colour: "var(--c0)", low };
  const TRAIN = { name: "Training share", colour: "var(--soft)", dash: "5 4", bare: true };
  const TRUE = { name: "True share", colour: "var(--c1)", dots: true };
  const TRUTH = truth ? [TRUE] : [];

  const growing = (id, spec) => quantext.growing(place(id), spec);

  // Trends: one class large, all of them small ---------------------------------------------------------

  // What is shown as the share of a class: of the last bag or, if there is none, of all together.
  const documents = size.reduce((a, b) => a + b, 0);
  const overall = p.map((row) => row.reduce((sum, v, b) => sum + v * size[b], 0) / documents);
  const now = timely ? p.map((row) => row[last]) : overall;
  const moves = p.map((row, k) => timely ? Math.abs(row[last] - train[k]) : Math.max(...row) - Math.min(...row));
  const compare = {
    share: (a, b) => overall[b] - overall[a],
    move: (a, b) => moves[b] - moves[a],
    name: (a, b) => classes[a].localeCompare(classes[b], undefined, { numeric: true }),
  };
  const numbers = classes.map((_, k) => k);

  const trends = () => {
    let current = numbers.toSorted(compare.move)[0];
    const redraw = quantext.lineChart(place("trend-plot"), () => ({
      labels: bags, spread: !timely, format: percent, tickFormat: briefPercent, label: `Share of ${classes[current]} in each batch`,
      series: [
        { ...TRAIN, values: bags.map(() => train[current]) },
        { ...ESTIMATE, name: "Estimate", values: p[current], ...(low ? { low: low[current], high: high[current] } : {}),
          ...(timely ? {} : { dots: true, whiskers: true }) },
        ...(truth ? [{ ...TRUE, values: truth[current] }] : []),
      ],
    }));
    const select = (k) => {
      minis.get(current)?.setAttribute("aria-pressed", "false");
      current = k;
      minis.get(k)?.setAttribute("aria-pressed", "true");
      place("trend-name").textContent = classes[k];
      const inside = timely && range(k, last);
      const [where, n, of] = timely ? [bags[last], count[k][last], size[last]]
        : ["All batches", count[k].reduce((a, b) => a + b, 0), documents];
      place("trend-text").textContent = `${where}: ${percent(now[k])}${inside ? ` (${inside})` : ""}, about `
        + `${whole.format(n)} of ${whole.format(of)} documents. In training: ${percent(train[k])}.`;
      redraw();
    };

    const [width, height] = [200, 56];
    const mini = (k) => {
      const values = [p[k], high ? high[k] : [], truth ? truth[k] : []].flat();
      const y = scale({ low: 0, high: Math.max(...values, train[k], 1e-6), from: height - 3, to: 4 });
      const x = (i) => 4 + (i / last) * (width - 8);
      const plot = { x, y, there: (v) => v !== null };
      const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true", preserveAspectRatio: "none" });
      picture.append(svg("line", { class: "guide", x1: 0, x2: width, y1: y(train[k]), y2: y(train[k]) }));
      if (low && timely) picture.append(svg("polygon", { class: "band", colour: ESTIMATE.colour,
        points: quantext.bandPoints(low[k], high[k], plot) }));
      if (truth) picture.append(svg("path", { class: "marks", d: quantext.dotPath(truth[k], plot), colour: TRUE.colour }));
      picture.append(timely
        ? svg("path", { class: "line", d: quantext.linePath(p[k], plot), colour: ESTIMATE.colour })
        : svg("path", { class: "marks", d: quantext.dotPath(p[k], plot), colour: ESTIMATE.colour }));
      const button = html("button", { type: "button", class: "mini", "aria-pressed": String(k === current) },
        html("span", { class: "name", title: classes[k] }, classes[k]), html("span", { class: "value" }, percent(now[k])), picture);
      button.addEventListener("click", () => {
        select(k);
        place("trend").scrollIntoView({ block: "nearest", behavior: "smooth" });
      });
      return button;
    };
    const minis = new Map();
    const draw = () => {
      const words = place("find").value.toLowerCase().split(/\s+/).filter(Boolean);
      const found = numbers.filter((k) => words.every((word) => classes[k].toLowerCase().includes(word)))
        .sort(compare[place("order").value]);
      const some = found.slice(0, show(found.length));
      for (const k of some) if (!minis.has(k)) minis.set(k, mini(k));
      place("minis").replaceChildren(...some.map((k) => minis.get(k)));
      place("found").textContent = found.length === K ? `${K} classes` : `${found.length} of ${K} classes`;
    };
    const show = growing("more-minis", { first: 24, draw, noun: "classes" });
    on("find", "input", draw);
    on("order", "change", draw);
    quantext.legend(place("trend-legend"), [{ ...ESTIMATE, dots: !timely }, TRAIN, ...TRUTH]);
    draw();
    select(current);

    const drift = [{ name: "Drift", colour: "var(--c0)", values: data.drift, dots: !timely },
      ...data.headlines.slice(1).map((name, i) => ({ name, dots: true, colour: i ? "var(--warn)" : "var(--c4)",
        values: data.drift.map((v, b) => data.verdicts[b] === i + 1 ? v : null) }))]
      .filter(({ values }) => values.some((v) => v !== null));
    quantext.legend(place("drift-legend"), drift.slice(1));
    quantext.lineChart(place("drift-plot"), () => ({
      labels: bags, spread: !timely, format: (v) => `${(100 * v).toFixed(1)} points`, tickFormat: (v) => String(+(100 * v).toPrecision(3)),
      height: 200, label: "Drift of each batch from training",
      series: drift,
    }));
  };

  // One bag: a bar per class ---------------------------------------------------------------------------

  let bag = timely ? last : 0;
  const drawBars = quantext.barChart(place("bars-plot"), () => {
    const order = numbers.toSorted((a, b) => p[b][bag] - p[a][bag]);
    const bar = (k) => ({
      name: classes[k], value: p[k][bag], low: low?.[k][bag], high: high?.[k][bag],
      marks: [{ ...TRAIN, name: "Training", value: train[k] },
        ...(truth ? [{ ...TRUE, name: "True", value: truth[k][bag] }] : [])],
      note: `about ${whole.format(count[k][bag])} of ${whole.format(size[bag])} documents`,
    });
    return { rows: order.slice(0, showBars(K)).map(bar), name: "Estimate", colour: ESTIMATE.colour, format: percent, level,
             label: `Share of each class in ${bags[bag]}` };
  });
  // What the bag deserves, why, and the words behind it: a bar each for training and for the bag.
  const HERE = { name: "This batch", colour: "var(--c0)", bar: true };
  const THERE = { name: "Training", colour: "var(--soft)", bar: true };
  const drawWords = quantext.frame(place("words-plot"), (width) => {
    const words = data.words[bag];
    const [row, top] = [34, 2];
    const left = Math.min(7 * Math.max(...words.map(([word]) => word.length), 4) + 16, 0.4 * width);
    const right = width - 56;
    const x = scale({ low: 0, high: Math.max(...words.flatMap(([, here, train]) => [here, train]), 1e-6), from: left, to: right });
    const picture = svg("svg", { viewBox: `0 0 ${width} ${top + Math.max(1, words.length) * row}`, role: "img",
      "aria-label": `Words that have changed in ${bags[bag]}` });
    const letters = Math.floor((left - 14) / 7);
    words.forEach(([word, here, train], i) => {
      const at = top + i * row;
      picture.append(svg("text", { class: "strong", x: left - 10, y: at + 20, "text-anchor": "end" },
        word.length > letters ? `${word.slice(0, letters - 1)}…` : word));
      [[here, HERE], [train, THERE]].forEach(([value, { colour }], j) => {
        picture.append(svg("rect", { class: "bar", x: left, y: at + 3 + 13 * j, width: Math.max(0.5, x(value) - left), height: 11, colour }),
          svg("text", { x: Math.max(left, x(value)) + 6, y: at + 13 + 13 * j }, percent(value)));
      });
    });
    return picture;
  });
  quantext.legend(place("words-legend"), [HERE, THERE]);
  const tellVerdict = () => {
    const [number, reasons] = [data.verdicts[bag], data.reasons[bag]];
    place("verdict").replaceChildren(html("p", { class: data.levels[number] }, data.headlines[number]),
      ...(reasons.length ? [html("ul", {}, ...reasons.map((text) => html("li", {}, text)))] : []));
    place("words").hidden = number === 0 || data.words[bag].length === 0;
    if (!place("words").hidden) drawWords();
  };
  const showBars = growing("more-bars", { first: 25, draw: drawBars, noun: "classes" });
  const choose = (b) => {
    bag = Math.max(0, Math.min(last, b));
    if (place("batch")) {
      place("batch").value = String(bag);
      place("earlier").disabled = bag === 0;
      place("later").disabled = bag === last;
    }
    place("bars-name").textContent = `${B > 1 ? `${bags[bag]}, ` : ""}${whole.format(size[bag])} documents`;
    tellVerdict();
    drawBars();
    quantext.showQuotes?.(bag, bags[bag]);
  };
  place("batch")?.append(...bags.map((name, b) => html("option", { value: b }, name)));
  on("batch", "change", () => choose(Number(place("batch").value)));
  on("earlier", "click", () => choose(bag - 1));
  on("later", "click", () => choose(bag + 1));
  quantext.legend(place("bars-legend"), [{ ...ESTIMATE, low: null, bar: true }, TRAIN, ...TRUTH]);
  if (B > 1) trends();
  choose(bag);

  // The table: rows are numbers, b·K + k, so that any size is sorted at once and few are drawn ----------

  const rank = new Map(numbers.toSorted(compare.name).map((k, i) => [k, i]));
  const bagOf = (i) => Math.floor(i / K);
  const cell = (grid) => (i) => grid[i % K][bagOf(i)];
  const asPercent = (v) => v === null ? "–" : (100 * v).toFixed(2);
  const column = (label, value, text = asPercent) => ({ label, value, text });
  const columns = [
    { label: "batch", value: bagOf, text: (b) => bags[b], name: true },
    { label: "class", value: (i) => rank.get(i % K), text: (_, i) => classes[i % K], name: true },
    column("share", cell(p)),
    ...(low ? [column("low", cell(low)), column("high", cell(high))] : []),
    column("count", cell(count), (v) => whole.format(v)),
    column("training", (i) => train[i % K]),
    column("change", (i) => cell(p)(i) - train[i % K], (v) => `${v < 0 ? "−" : "+"}${Math.abs(100 * v).toFixed(2)}`),
    ...(truth ? [column("true", cell(truth))] : []),
  ];
  const table = place("estimates");
  let [sorted, down] = [null, false];
  const headers = columns.map((one) => {
    const header = html("th", { scope: "col", class: one.name ? "" : "n" }, html("button", { type: "button" }, one.label));
    header.firstChild.addEventListener("click", () => {
      [sorted, down] = [one, sorted === one && !down];
      for (const other of headers) other.removeAttribute("aria-sort");
      header.setAttribute("aria-sort", down ? "descending" : "ascending");
      drawTable();
    });
    return header;
  });
  table.tHead.append(html("tr", {}, ...headers));
  const lower = [classes, bags].map((names) => names.map((name) => name.toLowerCase()));
  const drawTable = () => {
    const words = place("table-find").value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = Array.from({ length: B * K }, (_, i) => i).filter((i) =>
      words.every((word) => lower[0][i % K].includes(word) || lower[1][bagOf(i)].includes(word)));
    if (sorted) {
      const sign = down ? -1 : 1;
      const keyed = found.map((i) => [sorted.value(i), i]);
      found = keyed.sort(([a, i], [b, j]) =>
        a === null || b === null ? (a === null) - (b === null) || i - j : sign * (a - b) || i - j).map(([, i]) => i);
    }
    table.tBodies[0].replaceChildren(...found.slice(0, showRows(found.length)).map((i) => html("tr", {},
      ...columns.map((one, c) => html(c ? "td" : "th", { class: one.name ? "name" : "n", scope: c ? null : "row" },
        one.text(one.value(i), i))))));
    place("table-count").textContent = found.length === B * K ? `${whole.format(B * K)} rows`
      : `${whole.format(found.length)} of ${whole.format(B * K)} rows`;
  };
  const showRows = growing("more-rows", { first: 50, draw: drawTable, noun: "rows" });
  on("table-find", "input", drawTable);
  drawTable();

  // With a byte order mark, spreadsheets read the letters of other languages right.
  const quoted = (text) => /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  on("download", "click", () => {
    const names = ["batch", "class", "share", "count", ...(low ? ["low", "high"] : []), "size", "p_train", "verdict",
      ...(truth ? ["true_share"] : [])];
    const lines = Array.from({ length: B * K }, (_, i) => [
      quoted(bags[bagOf(i)]), quoted(classes[i % K]), cell(p)(i), cell(count)(i), ...(low ? [cell(low)(i), cell(high)(i)] : []),
      size[bagOf(i)], train[i % K], data.levels[data.verdicts[bagOf(i)]], ...(truth ? [cell(truth)(i)] : [])].join(","));
    const url = URL.createObjectURL(new Blob(["\ufeff", [names.join(","), ...lines, ""].join("\r\n")], { type: "text/csv" }));
    html("a", { href: url, download: "estimates.csv" }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  });
})();
