"use strict";
// The page of a labelling by hand: the share of each class as a bar, with its interval.

(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const [share, low, high] = [data.share, data.low, data.high].map((row) => row.map((millionths) => millionths / 1e6));
  const percent = (v) => v === null ? "–" : `${(100 * v).toFixed(v === 0 || v >= 0.00995 ? 1 : 2)}%`;
  const level = `${+(100 * data.level).toFixed(2)}%`;
  const colour = "var(--c0)";
  const draw = quantext.barChart(document.getElementById("bars-plot"), () => ({
    rows: data.classes.map((name, k) => ({ name, value: share[k], low: low[k], high: high[k], note: "", marks: [] })),
    name: "Share", colour, format: percent, level, label: "Share of each class",
  }));
  quantext.legend(document.getElementById("bars-legend"), [{ name: `Share, with ${level} interval`, colour, bar: true }]);
  draw();
})();
