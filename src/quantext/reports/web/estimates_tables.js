"use strict";
// All batches and all estimates: drift, and two tables of which some rows are drawn and all are sorted, found, copied and printed.

(() => {
  const { html, whole } = quantext;
  const { data, bags, classes, size, count, p, low, high, truth, train, K, B, numbers, every, percent, points, byName, place, on,
    timeline, mean, flagsOf } = quantext.estimates;
  const ids = data.ids ?? bags;
  const share = (millionths) => millionths < 0 ? null : millionths / 1e6;
  const [drift, known, width] = [data.drift, data.known, data.width].map((row) => row?.map(share));
  const lower = [classes, bags].map((names) => names.map((name) => name.toLowerCase()));

  // How far each batch is from training ------------------------------------------------------------------------

  if (B > 1) {
    const line = timeline({ members: every, name: (b) => bags[b], time: data.times && ((b) => data.times[b]) });
    const flags = flagsOf(line.runs);
    quantext.legend(place("drift-legend"), flags);
    quantext.lineChart(place("drift-plot"), () => ({
      ...line, spread: !data.in_time, format: (v) => `${(100 * v).toFixed(1)} points`, tickFormat: (v) => String(+(100 * v).toPrecision(3)),
      height: 220, label: "Drift of each batch from training", flags,
      series: [{ name: "Drift", colour: "var(--c0)", values: line.runs.map((run) => mean(drift, run)), dots: !data.in_time }],
      chosen: (i) => quantext.estimates.choose(line.runs[i].at(-1)),
    }));
  }

  const column = (label, value, text) => ({ label, value, text });
  const asPercent = (v) => v === null ? "–" : v > 0 && v < 5e-5 ? "< 0.01" : (100 * v).toFixed(2);
  const asPoints = (v) => v === null ? "–" : (100 * v).toFixed(1);
  const shares = (label, value) => ({ label, value, text: asPercent, unit: "%" });
  const moved = (label, value, text = asPoints) => ({ label, value, text, unit: "points" });
  const brief = ([first = "", ...others]) => others.length ? `${first} And ${others.length} more ${others.length === 1 ? "reason" : "reasons"}.` : first;
  const most = every.map((b) => numbers.reduce((best, k) => Math.abs(p[k][b] - train[k]) > Math.abs(p[best][b] - train[best]) ? k : best, 0));
  const rank = new Map(numbers.toSorted(byName).map((k, i) => [k, i]));
  quantext.bigTable(place("batches"), {
    rows: data.in_time ? every.toReversed() : every, noun: B === 1 ? "batch" : "batches", texts: (b) => [lower[1][b]],
    find: place("batches-find"), count: place("batches-count"), more: place("more-batches"), copied: place("batches-copies"),
    columns: [
      { label: "batch", value: (b) => b, text: (b) => bags[b], given: (b) => ids[b], name: true },
      { label: "verdict", value: (b) => data.verdicts[b], text: (v) => data.headlines[v], given: (v) => data.levels[v], css: (b) => data.levels[data.verdicts[b]], name: true },
      ...(data.reasons.some(({ length }) => length) ? [{ label: "why", value: (b) => -data.reasons[b].length, text: (_, b) => brief(data.reasons[b]),
        given: (_, b) => data.reasons[b].join(" "), css: () => "wrap", name: true }] : []),
      column("documents", (b) => size[b], (v) => whole.format(v)),
      ...(data.single_label ? [moved("drift", (b) => drift[b])] : []),
      moved("largest move", (b) => p[most[b]][b] - train[most[b]], points),
      { label: "of class", value: (b) => rank.get(most[b]), text: (_, b) => classes[most[b]], name: true },
      ...(known ? [column("known words", (b) => known[b], percent)] : []),
      ...(width ? [moved("interval width", (b) => width[b])] : []),
    ],
  });

  // All estimates: rows are numbers, b·K + k ---------------------------------------------------------------------

  const bagOf = (i) => Math.floor(i / K);
  const cell = (grid) => (i) => grid[i % K][bagOf(i)];
  const all = Array.from({ length: B * K }, (_, i) => i);
  quantext.bigTable(place("estimates"), {
    rows: all, noun: B * K === 1 ? "row" : "rows", texts: (i) => [lower[0][i % K], lower[1][bagOf(i)], ids[bagOf(i)]],
    find: place("table-find"), count: place("table-count"), more: place("more-rows"), copied: place("table-copies"),
    columns: [
      { label: "batch", value: bagOf, text: (b) => bags[b], given: (b) => ids[b], name: true },
      { label: "class", value: (i) => rank.get(i % K), text: (_, i) => classes[i % K], name: true },
      shares("share", cell(p)),
      ...(low ? [shares("low", cell(low)), shares("high", cell(high))] : []),
      column("count", cell(count), (v) => whole.format(v)),
      shares("training", (i) => train[i % K]),
      moved("change", (i) => cell(p)(i) - train[i % K], (v) => `${v < 0 ? "−" : "+"}${Math.abs(100 * v).toFixed(2)}`),
      ...(truth ? [shares("true", cell(truth))] : []),
    ],
  });

  // What `--out` writes. With a byte order mark, spreadsheets read the letters of other languages right.
  on("download", "click", () => {
    const { keys } = data;
    const head = ["batch", ...keys.map((key) => key.column), "class", "share", "count", ...(low ? ["low", "high"] : []), "size", "p_train", "verdict", ...(truth ? ["true_share"] : [])];
    const rows = all.map((i) => [ids[bagOf(i)], ...keys.map((key) => key.ids[key.at[bagOf(i)]]), classes[i % K], cell(p)(i), cell(count)(i), ...(low ? [cell(low)(i), cell(high)(i)] : []),
      size[bagOf(i)], train[i % K], data.levels[data.verdicts[bagOf(i)]], ...(truth ? [cell(truth)(i)] : [])]);
    const url = URL.createObjectURL(new Blob(["\ufeff", quantext.csv({ head, rows })], { type: "text/csv" }));
    html("a", { href: url, download: "estimates.csv" }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  });

  // When all is drawn: what a test of large pages looks at.
  requestAnimationFrame(() => setTimeout(() => performance.mark("drawn")));
})();
