"use strict";
// The chosen batch: its shares, what they deserve and the words that moved; and what two batches differ by.

(() => {
  const { html, whole, largest, isolated } = quantext;
  const E = quantext.estimates;
  const { data, bags, classes, size, count, p, low, high, truth, train, K, B, last, numbers, level, percent, points, place, on } = E;

  // One batch: a bar per class ---------------------------------------------------------------------------------

  const drawBars = quantext.barChart(place("bars-plot"), () => {
    const b = E.bag;
    const order = numbers.toSorted((i, j) => p[j][b] - p[i][b]);
    const bar = (k) => ({
      name: classes[k], value: p[k][b], low: low?.[k][b], high: high?.[k][b],
      marks: [{ ...E.TRAIN, name: "Training", value: train[k] },
        ...(truth ? [{ ...E.TRUE, name: "True", value: truth[k][b] }] : [])],
      note: `about ${whole.format(count[k][b])} of ${E.counted(size[b], "document", "documents")}`,
    });
    return { rows: order.slice(0, showBars(K)).map(bar), name: "Estimate", colour: E.ESTIMATE.colour, format: percent, level,
             label: `Share of each class in ${bags[b]}` };
  });
  const showBars = quantext.growing(place("more-bars"), { first: 25, draw: drawBars, noun: "classes" });
  quantext.legend(place("bars-legend"), [{ ...E.ESTIMATE, low: null, bar: true }, E.TRAIN, ...E.TRUTH]);

  const tellVerdict = (b) => {
    const [number, reasons] = [data.verdicts[b], data.reasons[b]];
    place("verdict").replaceChildren(html("p", { class: data.levels[number] }, data.headlines[number]),
      ...(reasons.length ? [html("ul", {}, ...reasons.map((text) => html("li", {}, text)))] : []));
  };

  // The words that moved: of each a bar for the batch and one for training, and an arrow.
  const MUCH = 10; // so many times as often is said in times, too
  const moved = (here, there) => {
    const times = here / there;
    const by = `${points(here - there)} points`;
    if (here === there) return "the same";
    return `${here > there ? "▲" : "▼"} ${by}${here > there && times >= MUCH && Number.isFinite(times) ? ` (${Math.round(times)}×)` : ""}`;
  };
  const wordBar = (value, { most, css }) => {
    const bar = html("span", { class: `wordbar ${css}` });
    bar.style.setProperty("--w", `${(100 * value / most).toFixed(1)}%`);
    return html("td", { class: "bars" }, html("span", { class: "track" }, bar), html("span", { class: "value" }, percent(value)));
  };
  const tellWords = (b) => {
    const words = data.words[b] ?? [];
    const where = B > 1 ? isolated(bags[b]) : "these documents";
    place("words-name").textContent = words.length ? `${B > 1 ? isolated(bags[b]) : "Here"}, against training` : `No word has moved beyond what the shares explain, in ${where}`;
    if (!data.words[b]) place("words-name").textContent = `Not known of ${where}`;
    place("words-text").textContent = words.length ? `Share of the documents that have the word, where the shares of classes do not explain the difference; those that `
      + `matter most to the model first.${data.verdicts[b] ? "" : " In this batch they differ too little to matter."}` : "";
    const most = largest(words.flatMap(([, here, there]) => [here, there]), 1e-6);
    place("words-table").hidden = !words.length;
    place("words-table").tBodies[0].replaceChildren(...words.map(([word, here, there]) => html("tr", {},
      html("th", { scope: "row", class: "word" }, word), wordBar(here, { most, css: "here" }), wordBar(there, { most, css: "" }),
      html("td", { class: here > there ? "more" : "less" }, moved(here, there)))));
  };
  if (place("words-copies")) quantext.copies(place("words-copies"), () => ({
    head: ["word", B > 1 ? bags[E.bag] : "here", "training", ["difference", "difference (points)"]], numeric: [false, true, true, true],
    rows: (data.words[E.bag] ?? []).map(([word, here, there]) => [word, [here, percent(here)], [there, percent(there)],
      [here - there, points(here - there)]]),
  }));

  const turnTo = place("batch") && quantext.choices(place("batch"), bags);
  E.onBag((b) => {
    if (turnTo) {
      turnTo(b);
      place("earlier").disabled = b === 0;
      place("later").disabled = b === last;
    }
    place("bars-name").textContent = `${B > 1 ? `${isolated(bags[b])}, ` : "Share of each class in "}${E.counted(size[b], "document", "documents")}`;
    tellVerdict(b);
    if (place("words-table")) tellWords(b);
    drawBars();
  });
  on("batch", "change", () => E.choose(Number(place("batch").value)));
  on("earlier", "click", () => E.choose(E.bag - 1));
  on("later", "click", () => E.choose(E.bag + 1));
  E.choose(E.bag);
  if (B === 1) return;

  // Two batches: what each class differs by --------------------------------------------------------------------

  const clip = (v, least, most) => Math.max(least, Math.min(most, v));
  // The interval of a difference from those of both, as quantifiers/intervals.py makes it (Newcombe 1998, Zou & Donner 2008).
  const bounds = (k, a, b) => {
    if (!low || [low[k][a], low[k][b], high[k][a], high[k][b]].includes(null)) return [null, null];
    const [from, to] = [a, b].map((i) => clip(p[k][i], low[k][i], high[k][i]));
    return [Math.max(-1, to - from - Math.hypot(to - low[k][b], high[k][a] - from)),
      Math.min(1, to - from + Math.hypot(high[k][b] - to, from - low[k][a]))];
  };
  const compared = () => {
    const [a, b] = ["first", "second"].map((id) => Number(place(id).value));
    const rows = numbers.map((k) => {
      const [least, most] = bounds(k, a, b);
      return { k, name: classes[k], first: p[k][a], second: p[k][b], value: p[k][b] - p[k][a], low: least, high: most };
    });
    return { a, b, rows: rows.sort((x, y) => Math.abs(y.value) - Math.abs(x.value)) };
  };
  const interval = ({ low: least, high: most }) => least === null ? "–" : `${points(least)} to ${points(most)}`;
  const sure = ({ low: least, high: most }) => least !== null && (least > 0 || most < 0);
  const shares = ({ first, second }, a, b) => `${percent(first)} in ${isolated(bags[a])} and ${percent(second)} in ${isolated(bags[b])}`;
  const sentence = ({ a, b, rows }) => {
    if (a === b) return "Choose two different batches.";
    const [most] = rows;
    if (points(most.value) === "0.0") return "No class differs between the two, as far as is shown here.";
    const said = `“${isolated(most.name)}” differs most: ${points(most.value)} points, ${shares(most, a, b)}.`;
    if (most.low === null) return said;
    const n = rows.filter(sure).length;
    const beyond = K === 1 ? (n ? "Its interval does not hold 0." : "Its interval holds 0: it may not differ at all.")
      : n ? `For ${n} of ${K} classes the interval of the difference does not hold 0.`
        : "Each interval of a difference holds 0: it may be that no class differs.";
    return `${said} ${beyond}`;
  };
  const drawDifferences = quantext.differenceChart(place("differences-plot"), () => {
    const { a, b, rows } = compared();
    return { rows: rows.slice(0, showDifferences(K)).map((one) => ({ ...one, note: `${shares(one, a, b)}${one.low === null ? "" : `; ${level} interval ${interval(one)}`}` })),
             format: points, label: `What each class differs by between ${bags[a]} and ${bags[b]}, in percentage points` };
  });
  const drawCompared = () => {
    const found = compared();
    place("differences-text").textContent = sentence(found);
    const doubts = [...new Set([found.a, found.b])].filter((i) => data.verdicts[i]).map((i) => `${isolated(bags[i])}: ${data.headlines[data.verdicts[i]].toLowerCase()}.`);
    place("differences-doubt").textContent = doubts.join(" ");
    const heads = [bags[found.a], bags[found.b], "points", ...(low ? [`${level} interval`] : [])];
    place("differences-table").tHead.replaceChildren(html("tr", {}, html("th", { scope: "col" }, "class"),
      ...heads.map((name) => html("th", { scope: "col", class: "n" }, name))));
    place("differences-table").tBodies[0].replaceChildren(...found.rows.slice(0, showDifferences(K)).map((one) => html("tr", {},
      html("th", { scope: "row", class: "name" }, one.name), ...[percent(one.first), percent(one.second), points(one.value), ...(low ? [interval(one)] : [])]
        .map((text, i) => html("td", { class: "n", "data-label": heads[i] }, text)))));
    drawDifferences();
  };
  const showDifferences = quantext.growing(place("more-differences"), { first: 25, draw: () => drawCompared(), noun: "classes" });
  quantext.copies(place("differences-copies"), () => {
    const { a, b, rows } = compared();
    const inPoints = (v) => [v ?? "", v === null ? "–" : points(v)];
    const differences = ["difference", ...(low ? ["difference low", "difference high"] : [])];
    return { head: ["class", bags[a], bags[b], ...differences.map((name) => [name, `${name} (points)`])], numeric: [false, true, true, true, ...(low ? [true, true] : [])],
      rows: rows.map((one) => [one.name, [one.first, percent(one.first)], [one.second, percent(one.second)], inPoints(one.value),
        ...(low ? [inPoints(one.low), inPoints(one.high)] : [])]) };
  });
  for (const [id, b] of [["first", 0], ["second", data.in_time ? last : 1]]) {
    quantext.choices(place(id), bags)(b);
    on(id, "change", drawCompared);
  }
  drawCompared();
})();
