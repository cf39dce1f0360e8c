"use strict";
// The page of an experiment: charts of the errors, and the trend of each class.

(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { html, scientific, percent, briefPercent, power } = quantext;
  const place = (id) => document.getElementById(id);

  const REFERENCE = { name: data.reference, colour: "var(--soft)", dash: "6 4" };
  const look = (name) => name === data.reference ? REFERENCE
    : { name, ...quantext.style(data.order.indexOf(name)) };
  const share = (millionths) => millionths < 0 ? null : millionths / 1e6;

  const errors = (id, { labels, times, series }, extra) => {
    const methods = data.order.concat(data.reference).filter((name) => name in series);
    const chosen = new Set(methods.filter((name) => data.featured.includes(name) || name === data.reference));
    const redraw = quantext.lineChart(place(`${id}-plot`), () => ({
      labels, times, log: true, format: scientific, tickFormat: power, ...extra,
      series: methods.filter((name) => chosen.has(name)).map((name) => ({ ...look(name), values: series[name] })),
    }));
    quantext.picker(place(`${id}-chips`), { series: methods.map(look), chosen, changed: redraw });
  };
  if (data.by_period) errors("by-period", data.by_period, { label: "Mean KLD by period" });
  const groups = data.along_drift.labels.length;
  const quarter = (k) => k * groups / 4 - 0.5;
  errors("along-drift", data.along_drift, {
    label: "Mean KLD by drift",
    marks: data.drift_groups.flatMap((name, k) => [{ at: quarter(k + 0.5), label: name },
      ...(k ? [{ at: quarter(k), rule: true }] : [])]),
  });

  // One class at a time: the truth, the estimates of the chosen methods, their intervals.
  const { labels, times, names, truth, methods, estimates, low, high } = data.classes;
  const trend = new Set(methods.filter((name) => data.trend.includes(name)));
  let current = 0;
  const TRUE = { name: "True prevalence", colour: "var(--ink)", heavy: true };
  const redrawTrend = quantext.lineChart(place("trend-plot"), () => ({
    labels, times, format: percent, tickFormat: briefPercent, label: `True and estimated prevalence of ${names[current]}`,
    series: [
      ...methods.flatMap((name, m) => trend.has(name) ? [{
        ...look(name), values: estimates[m][current].map(share),
        ...(low && name !== data.reference ? { low: low[m][current].map(share), high: high[m][current].map(share) } : {}),
      }] : []),
      { ...TRUE, values: truth[current].map(share) },
    ],
  }));
  quantext.picker(place("trend-chips"), { series: methods.map(look), chosen: trend, changed: redrawTrend });
  const rows = [...place("classes").tBodies[0].rows];
  const byClass = new Map(rows.map((row) => [Number(row.dataset.class), row]));
  const select = (k) => {
    byClass.get(current).classList.remove("selected");
    current = k;
    byClass.get(k).classList.add("selected");
    place("trend-name").textContent = names[k];
    redrawTrend();
  };
  place("classes").tBodies[0].addEventListener("click", (event) => {
    const row = event.target.closest("tr");
    if (row) select(Number(row.dataset.class));
  });
  quantext.filterable(place("filter"), { table: place("classes"), count: place("count"), noun: "classes" });
  select(0);

  // Every test set around the diagonal, one method at a time.
  const pick = place("diagonal-method");
  // By number: of a name that is its own value, the browser would make one blank of two.
  for (const [m, name] of methods.entries()) pick.append(html("option", { value: m }, name));
  pick.value = Math.max(0, methods.indexOf(data.featured[0]));
  const n = labels.length;
  const smooth = (millionths, size) => (millionths / 1e6 + 0.5 / size) / (1 + 1 / size);
  const redrawDiagonal = quantext.scatterChart(place("diagonal-plot"), () => {
    const m = Number(pick.value);
    const sets = names.flatMap((_, k) => labels.map((__, b) => k * n + b))
      .filter((i) => truth[Math.floor(i / n)][i % n] >= 0 && estimates[m][Math.floor(i / n)][i % n] >= 0);
    const at = (i) => [Math.floor(sets[i] / n), sets[i] % n];
    const x = sets.map((_, i) => { const [k, b] = at(i); return smooth(truth[k][b], data.classes.sizes[b]); });
    const y = sets.map((_, i) => { const [k, b] = at(i); return smooth(estimates[m][k][b], data.classes.sizes[b]); });
    const smallest = x.concat(y).reduce((a, b) => Math.min(a, b), 1);
    return {
      x, y, colour: look(methods[m]).colour, low: 10 ** Math.floor(Math.log10(smallest)), format: power,
      xLabel: "True prevalence", yLabel: "Estimated", label: `Estimated against true prevalence, ${methods[m]}`,
      describe: (i) => {
        const [k, b] = at(i);
        return [html("b", {}, names[k]), labels[b],
          quantext.tipRow(TRUE, "True", percent(share(truth[k][b]))),
          quantext.tipRow(look(methods[m]), methods[m], percent(share(estimates[m][k][b])))];
      },
      chosen: (i) => { select(at(i)[0]); place("class-section").scrollIntoView({ behavior: "smooth" }); },
    };
  });
  pick.addEventListener("change", redrawDiagonal);

  if (data.coverage) quantext.dotChart(place("coverage-plot"), () => ({
    names: data.coverage.methods, values: data.coverage.shares, guide: data.coverage.level,
    format: (v) => `${percent(v)} hold the true prevalence`, label: "Coverage of the intervals by method",
  }));
})();
