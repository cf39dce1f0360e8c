"use strict";
// The page of a correction: corrected shares beside those that the model says, one batch at a time and over batches.

(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { html } = quantext;
  const place = (id) => document.getElementById(id);
  const on = (id, event, act) => place(id)?.addEventListener(event, act);

  const { batches: bags, classes } = data;
  const [K, last] = [classes.length, bags.length - 1];
  const rows = (grid) => grid.map((row) => row.map((millionths) => millionths < 0 ? null : millionths / 1e6));
  const [p, low, high, raw, gold] = [data.share, data.low, data.high, data.raw, data.gold].map(rows);
  const hasRaw = raw.some((row) => row.some((v) => v !== null));

  const whole = new Intl.NumberFormat("en");
  const percent = (v) => v === null ? "–" : `${(100 * v).toFixed(v === 0 || v >= 0.00995 ? 1 : 2)}%`;
  const level = `${+(100 * data.level).toFixed(2)}%`;
  const SHARE = { name: `Corrected, with ${level} interval`, colour: "var(--c0)" };
  const RAW = { name: "As the model says", colour: "var(--c1)", dots: true };
  const GOLD = { name: "Known truths alone", colour: "var(--soft)", dash: "5 4", bare: true };
  const RAWS = hasRaw ? [RAW] : [];

  let bag = data.first;
  const numbers = classes.map((_, k) => k);
  const drawBars = quantext.barChart(place("bars-plot"), () => {
    const order = numbers.toSorted((a, b) => (p[b][bag] ?? raw[b][bag]) - (p[a][bag] ?? raw[a][bag]));
    const bar = (k) => ({
      name: classes[k], value: p[k][bag], low: low[k][bag], high: high[k][bag], note: data.ways[k][bag],
      marks: [{ ...GOLD, value: gold[k][bag] }, ...RAWS.map((mark) => ({ ...mark, value: raw[k][bag] }))],
    });
    return { rows: order.slice(0, showBars(K)).map(bar), name: "Corrected", colour: SHARE.colour, format: percent, level,
             label: `Corrected share of each class in ${bags[bag]}` };
  });
  const showBars = quantext.growing(place("more-bars"), { first: 25, draw: drawBars, noun: "classes" });
  const turnTo = place("batch") && quantext.choices(place("batch"), bags);
  const choose = (b) => {
    bag = Math.max(0, Math.min(last, b));
    if (turnTo) {
      turnTo(bag);
      place("earlier").disabled = bag === 0;
      place("later").disabled = bag === last;
    }
    place("bars-name").textContent = `${last ? `${bags[bag]}: ` : ""}${whole.format(data.size[bag])} documents, `
      + `${whole.format(data.n_gold[bag])} known truths`;
    place("bars-text").textContent = data.reasons[bag];
    drawBars();
  };
  on("batch", "change", () => choose(Number(place("batch").value)));
  on("earlier", "click", () => choose(bag - 1));
  on("later", "click", () => choose(bag + 1));
  quantext.legend(place("bars-legend"), [{ ...SHARE, bar: true }, ...RAWS, GOLD]);
  choose(bag);

  if (!last) return;
  let current = data.moved;
  const dots = data.in_time ? {} : { dots: true, whiskers: true };
  const over = quantext.lineChart(place("over-plot"), () => ({
    labels: bags, times: data.times, spread: !data.in_time, ends: data.in_time, height: 360, format: percent, tickFormat: quantext.briefPercent,
    label: `Corrected share of ${classes[current]} in each batch`,
    series: [
      { ...SHARE, name: "Corrected", values: p[current], low: low[current], high: high[current], ...dots },
      ...RAWS.map((one) => ({ ...one, values: raw[current] })),
    ],
  }));
  const select = (k) => {
    current = k;
    place("class").value = String(k);
    place("over-name").textContent = classes[k];
    over();
  };
  place("class").append(...classes.map((name, k) => html("option", { value: k }, name)));
  on("class", "change", () => select(Number(place("class").value)));
  quantext.legend(place("over-legend"), [{ ...SHARE, low: true, dots: !data.in_time }, ...RAWS]);
  select(current);
})();
