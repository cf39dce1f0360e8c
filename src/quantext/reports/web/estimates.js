"use strict";
// The page of estimates: what is shown, the large chart of it, and a small one of each class. The chosen batch and the tables are in
// files of their own; they find here, as quantext.estimates, what all of them need.

(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { html, svg, whole, scale, largest, briefPercent, isolated } = quantext;
  const place = (id) => document.getElementById(id);
  const on = (id, event, act) => place(id)?.addEventListener(event, act);

  const { batches: bags, classes, size, count, keys, verdicts } = data;
  const [K, B] = [classes.length, bags.length];
  const last = B - 1;
  const share = (millionths) => millionths < 0 ? null : millionths / 1e6;
  const rows = (grid) => grid?.map((row) => row.map(share));
  const [p, low, high, truth, train] = [rows(data.share), rows(data.low), rows(data.high), rows(data.truth),
    data.train.map(share)];
  const numbers = classes.map((_, k) => k);
  const every = bags.map((_, b) => b);

  const percent = (v) => v === null ? "–" : v > 0 && v < 5e-5 ? "< 0.01%" : `${(100 * v).toFixed(v === 0 || v >= 0.00995 ? 1 : 2)}%`;
  const points = (v) => { // what rounds to nothing has no sign
    const text = Math.abs(100 * v).toFixed(1);
    return text === "0.0" ? text : `${v < 0 ? "−" : "+"}${text}`;
  };
  const level = `${+(100 * data.level).toFixed(2)}%`;
  const counted = (n, one, several) => `${whole.format(n)} ${n === 1 ? one : several}`;
  const byName = (a, b) => classes[a].localeCompare(classes[b], undefined, { numeric: true });

  const ESTIMATE = { name: low ? `Estimate, with ${level} interval` : "Estimate", colour: "var(--c0)", low };
  const TRAIN = { name: "Training share", colour: "var(--soft)", dash: "5 4", bare: true };
  const TRUE = { name: "True share", colour: "var(--c1)", dots: true };
  const TRUTH = truth ? [TRUE] : [];
  // From the worst to the best, as they are drawn; signs are seen without their colours, too.
  const FLAGS = [{ colour: "var(--care)", triangle: true }, { colour: "var(--warn)", cross: true }]
    .map((look, i) => ({ ...look, number: i + 1, name: data.headlines[i + 1] })).reverse();

  // What is shown: all batches, or those that have the chosen values of the columns they were made by ------------

  const chosenValues = keys.map(() => -1);
  const dated = keys.findIndex(({ times }) => times);
  const open = (c) => chosenValues[c] < 0;
  const namedBy = (b, columns) => columns.map((c) => keys[c].values[keys[c].at[b]]).join(" · ");
  const MOST = 600; // points of a line; of more, some that follow each other are drawn as one

  // How to draw them: "time" (a line a class), "groups" (a line a group, of one class) or "rows" (dots, by name).
  const layout = (from) => {
    const members = every.filter((b) => keys.every((key, c) => open(c) || key.at[b] === chosenValues[c]));
    const columns = keys.map((_, c) => c).filter(open);
    if (!keys.length && data.in_time) return timeline({ members: members.slice(-from), name: (b) => bags[b], time: data.times && ((b) => data.times[b]) });
    const others = columns.filter((c) => c !== dated);
    const days = dated >= 0 && open(dated) ? [...new Set(members.map((b) => keys[dated].at[b]))].sort((a, b) => a - b).slice(-from) : [];
    if (days.length < 2) return { kind: "rows", members, name: (b) => namedBy(b, columns) || bags[b] };
    const at = new Map(days.map((day, i) => [day, i]));
    const within = members.filter((b) => at.has(keys[dated].at[b]));
    const line = { name: (b) => keys[dated].values[keys[dated].at[b]], time: (b) => keys[dated].times[keys[dated].at[b]] };
    const groups = Map.groupBy(within, (b) => namedBy(b, others));
    if (groups.size === 1) return timeline({ ...line, members: within.sort((a, b) => keys[dated].at[a] - keys[dated].at[b]) });
    const some = new Map(within.map((b) => [keys[dated].at[b], b]));
    const total = (list) => list.reduce((sum, b) => sum + size[b], 0);
    const lines = [...groups].sort((a, b) => total(b[1]) - total(a[1])).map(([name, list]) => {
      const row = days.map(() => null);
      for (const b of list) row[at.get(keys[dated].at[b])] = b;
      return { name, row };
    });
    return { ...timeline({ ...line, members: days.map((day) => some.get(day)), most: Infinity }), kind: "groups", members: within, lines, by: others.map((c) => keys[c].name).join(" and ") };
  };
  const timeline = ({ members, name, time, most = MOST }) => {
    const step = Math.ceil(members.length / most) || 1;
    const number = Math.ceil(members.length / step);
    const begin = (r) => Math.floor(r * members.length / number); // so that no run is shorter than others by more than one
    const runs = Array.from({ length: number }, (_, r) => members.slice(begin(r), begin(r + 1)));
    const edge = (run, r) => r === runs.length - 1 ? run.at(-1) : run[0];
    return { kind: "time", members, runs, step, labels: runs.map((run, r) => name(edge(run, r))), times: time ? runs.map((run, r) => time(edge(run, r))) : null,
      tells: runs.map((run) => run.length > 1 ? `${name(run[0])} to ${name(run.at(-1))}` : name(run[0])) };
  };
  const mean = (row, run) => {
    if (run.length === 1) return row[run[0]];
    const [sum, weight] = run.reduce(([s, w], b) => row[b] === null ? [s, w] : [s + row[b] * size[b], w + size[b]], [0, 0]);
    return weight ? sum / weight : null;
  };
  // A class along the runs; the band is that of the interval or, of several batches, the range of their estimates.
  const trendOf = (k, { runs, step }) => ({
    values: runs.map((run) => mean(p[k], run)),
    ...(step > 1 ? { low: runs.map((run) => run.reduce((a, b) => Math.min(a, p[k][b]), 1)), high: runs.map((run) => largest(run.map((b) => p[k][b]), 0)) }
      : low ? { low: runs.map(([b]) => low[k][b]), high: runs.map(([b]) => high[k][b]) } : {}),
  });
  const flagsOf = (runs) => FLAGS.map(({ number, ...look }) => ({ ...look,
    at: runs.flatMap((run, r) => run.reduce((worst, b) => Math.max(worst, verdicts[b]), 0) === number ? [r] : []) }))
    .filter(({ at }) => at.length);
  const flagOf = (b) => FLAGS.find(({ number }) => number === verdicts[b]);

  // The share of each class that is shown beside its name: of the last batch in time, else of all together.
  const shownShares = ({ kind, members }) => {
    if (kind === "time") return p.map((row) => row[members.at(-1)]);
    return p.map((row) => mean(row, members));
  };
  const moves = ({ kind, members }) => p.map((row, k) => {
    if (kind === "time") return Math.abs(row[members.at(-1)] - train[k]);
    const values = members.map((b) => row[b]);
    return largest(values, 0) - values.reduce((a, b) => Math.min(a, b), 1);
  });

  let bag = data.in_time ? last : 0;
  const told = [];
  const E = {
    data, bags, classes, size, count, p, low, high, truth, train, K, B, last, numbers, every, level, percent, points, counted, byName, place, on,
    ESTIMATE, TRAIN, TRUE, TRUTH, FLAGS, timeline, mean, flagsOf,
    get bag() { return bag; },
    // Show another batch, where one is shown; whoever wants to know of it asks by onBag.
    choose: (b) => {
      bag = Math.max(0, Math.min(last, b));
      for (const act of told) act(bag);
    },
    onBag: (act) => told.push(act),
  };
  quantext.estimates = E;
  if (B === 1) return;

  // The large chart --------------------------------------------------------------------------------------------

  const MOST_LINES = 6;
  const ALL = "all";
  let view = layout(B);
  let now = shownShares(view);
  const together = () => view.kind !== "groups" && K > 1 && place("what").value === ALL;
  const current = () => Number(place("what").value);
  const order = numbers.toSorted((a, b) => now[b] - now[a]);
  const chosen = new Set(order.slice(0, K <= 8 ? K : MOST_LINES).map((k) => classes[k]));
  const look = (k) => ({ name: classes[k], ...quantext.style(order.indexOf(k)) });
  const groupLook = ({ name }, i) => ({ name, ...quantext.style(i) });
  let chosenGroups = new Set();

  // Ranges of several batches each would hide the lines of several classes.
  const banded = (n) => n <= MOST_LINES && (n === 1 || !(view.step > 1));
  // Batches behind each place along the axis, of the lines that are drawn.
  const behind = () => view.kind !== "groups" ? view.runs : view.labels.map((_, i) => view.lines.filter(({ name }) => chosenGroups.has(name))
    .map(({ row }) => row[i]).filter((b) => b !== null));

  const lines = () => {
    if (view.kind === "groups") return view.lines.map((one, i) => ({ ...groupLook(one, i), values: one.row.map((b) => b === null ? null : p[current()][b]) }))
      .filter(({ name }) => chosenGroups.has(name));
    if (!together()) {
      const k = current();
      return [{ ...TRAIN, values: view.runs.map(() => train[k]) }, { ...ESTIMATE, name: "Estimate", ...trendOf(k, view) },
        ...(truth ? [{ ...TRUE, values: view.runs.map((run) => mean(truth[k], run)) }] : [])];
    }
    const some = order.filter((k) => chosen.has(classes[k]));
    return some.map((k) => {
      const { values, ...band } = trendOf(k, view);
      return { ...look(k), values, ...(banded(some.length) ? { ...band, faint: some.length > 2 } : {}) };
    });
  };
  const drawLines = quantext.lineChart(place("trend-plot"), () => ({
    labels: view.labels, tells: view.tells, times: view.times, format: percent, tickFormat: briefPercent, series: lines(),
    height: innerWidth < 640 ? 320 : 390, ends: view.kind === "groups" || together(), label: place("trend-name").textContent,
    flags: flagsOf(behind()),
    chosen: view.kind === "groups" ? null : (i) => E.choose(view.runs[i].at(-1)),
  }));
  const drawRows = quantext.rowChart(place("rows-plot"), () => {
    const one = together() ? null : current();
    const shown = one === null ? view.members : view.members.toSorted((a, b) => p[one][b] - p[one][a]);
    const dot = (k, b) => ({ name: classes[k], value: p[k][b], low: low?.[k][b], high: high?.[k][b] });
    return {
      rows: shown.slice(0, showRows(shown.length)).map((b) => ({ name: view.name(b), flag: flagOf(b), chosen: () => E.choose(b),
        dots: one === null ? order.filter((k) => chosen.has(classes[k])).map((k) => ({ ...dot(k, b), ...look(k) }))
          : [{ ...dot(one, b), name: "Estimate", colour: ESTIMATE.colour }, ...(truth ? [{ ...TRUE, value: truth[one][b], open: true }] : [])] })),
      guide: one === null ? null : train[one], format: percent, label: place("trend-name").textContent,
    };
  });
  const draw = () => (view.kind === "rows" ? drawRows : drawLines)();
  const showRows = quantext.growing(place("more-plot"), { first: 25, draw: () => { if (view.kind === "rows") drawRows(); }, noun: "batches" });

  // What is shown: the one batch, all of them, or those that have the chosen values.
  const shownName = () => {
    const { members } = view;
    if (members.length === 1) return isolated(bags[members[0]]);
    const values = keys.flatMap((key, c) => open(c) ? [] : [isolated(key.values[chosenValues[c]])]);
    return values.length ? `${values.join(" · ")}, ${whole.format(members.length)} batches together` : `The ${whole.format(members.length)} batches together`;
  };
  const caption = () => {
    const parts = [];
    const shared = whole.format(view.members.reduce((sum, b) => sum + size[b], 0));
    const ranged = low && together() && view.step !== undefined ? view.step === 1 && chosen.size <= MOST_LINES : low && together();
    if (together() || view.kind === "groups") {
      const values = keys.flatMap((key, c) => open(c) ? [] : [isolated(key.values[chosenValues[c]])]).join(" · ");
      parts.push(`${values ? `${values}: share` : "Share"} of the documents of ${view.members.length > 1 ? "each" : "the"} batch${ranged ? `, with ${level} ${view.members.length * chosen.size > 1 ? "intervals" : "interval"}` : ""}; ${shared} documents in all.`);
    }
    else {
      const k = current();
      const b = view.kind === "time" || view.members.length === 1 ? view.members.at(-1) : null;
      const inside = b !== null && low && low[k][b] !== null ? ` (${percent(low[k][b])} to ${percent(high[k][b])})` : "";
      const [where, n, of] = b === null ? [shownName(), view.members.reduce((sum, i) => sum + count[k][i], 0), shared]
        : [isolated(bags[b]), count[k][b], whole.format(size[b])];
      parts.push(`${where}: ${percent(now[k])}${inside}, about ${whole.format(n)} of ${of} documents. In training: ${percent(train[k])}.`);
    }
    if (view.step > 1) {
      const [few, many] = [Math.min, Math.max].map((of) => view.runs.reduce((n, run) => of(n, run.length), view.runs[0].length));
      parts.push(`A point stands for ${few === many ? many : `${few} or ${many}`} batches that follow each other: their mean${together() && !banded(chosen.size) ? "" : ", and the range of their estimates"}.`);
    }
    else if (low && view.kind !== "rows" && ((together() && chosen.size > MOST_LINES) || view.kind === "groups"))
      parts.push(view.kind === "groups" ? "Intervals are in the table." : "Choose six classes or fewer to see intervals.");
    return parts.join(" ");
  };
  const title = () => {
    if (view.kind === "groups") return `${classes[current()]}, by ${view.by}`;
    if (!together()) return classes[current()];
    return chosen.size === K ? (K === 2 ? "Both classes" : `All ${K} classes`) : `${chosen.size} of ${K} classes`;
  };
  const legend = () => {
    const chips = place("trend-legend");
    const changed = () => { tell(); draw(); };
    const signs = FLAGS.filter(({ number }) => view.members.some((b) => verdicts[b] === number));
    if (view.kind === "groups") quantext.picker(chips, { series: view.lines.slice(0, 24).map(groupLook), chosen: chosenGroups, changed });
    else if (together()) quantext.picker(chips, { series: order.slice(0, 12).map((k) => ({ ...look(k), dots: view.kind === "rows" })), chosen, changed });
    else quantext.legend(chips, [{ ...ESTIMATE, dots: view.kind === "rows", low: view.kind === "rows" ? null : low }, TRAIN, ...TRUTH]);
    chips.append(...signs.map((flag) => html("span", {}, quantext.swatch(flag), html("span", {}, flag.name))));
  };
  const tell = () => {
    place("trend-name").textContent = title();
    place("trend-text").textContent = caption();
    place("minis-where").textContent = view.kind === "time" || view.members.length === 1 ? `for ${isolated(bags[view.members.at(-1)])}` : "over all that is shown";
    for (const [k, button] of minis) button.setAttribute("aria-pressed", String(!together() && k === current()));
  };
  const show = () => {
    const was = view.kind;
    view = layout(Number(place("span")?.value ?? B));
    now = shownShares(view);
    place("trend-plot").hidden = view.kind === "rows";
    place("rows-plot").hidden = place("more-plot").hidden = view.kind !== "rows";
    if (view.kind === "groups" && (was !== "groups" || !view.lines.some(({ name }) => chosenGroups.has(name))))
      chosenGroups = new Set(view.lines.slice(0, MOST_LINES).map(({ name }) => name));
    offer();
    minis.clear();
    drawMinis();
    legend();
    tell();
    draw();
  };
  const offer = () => { // together is for lines of classes; those of groups are of one class
    const kept = place("what").value;
    const all = view.kind !== "groups" && K > 1;
    place("what").replaceChildren(...(all ? [html("option", { value: ALL }, K > 12 ? "the largest classes" : "all classes")] : []),
      ...numbers.map((k) => html("option", { value: k }, classes[k])));
    place("what").value = kept && (all || kept !== ALL) ? kept : all ? ALL : String(order[0]);
  };
  const select = (k) => {
    place("what").value = String(k);
    legend();
    tell();
    draw();
  };
  on("what", "change", () => select(place("what").value));

  keys.forEach((key, c) => {
    const choice = html("select", {}, html("option", { value: -1 }, "all"), ...key.values.map((name, i) => html("option", { value: i }, name)));
    choice.addEventListener("change", () => { chosenValues[c] = Number(choice.value); show(); });
    place("view").append(html("label", {}, html("span", {}, key.name), " ", choice));
  });
  const positions = dated >= 0 ? keys[dated].values.length : data.in_time ? B : 0;
  const spans = [100, 500, 2000].filter((n) => n < positions);
  if (spans.length) {
    const choice = html("select", { id: "span" }, html("option", { value: B }, `all ${whole.format(positions)}`),
      ...spans.reverse().map((n) => html("option", { value: n }, `the last ${whole.format(n)}`)));
    choice.addEventListener("change", show);
    place("view").append(html("label", {}, html("span", {}, "Batches"), " ", choice));
  }

  // Every class, small ------------------------------------------------------------------------------------------

  const minis = new Map();
  const [width, height, fine] = [200, 56, 100];
  const mini = (k) => {
    const line = view.kind === "time";
    const few = line && view.members.length > fine
      ? timeline({ members: view.members, name: String, time: data.times && ((b) => data.times[b]), most: fine }) : view;
    const { values, ...band } = line ? trendOf(k, few) : { values: view.members.map((b) => p[k][b]) };
    const true_ = truth ? (line ? few.runs.map((run) => mean(truth[k], run)) : view.members.map((b) => truth[k][b])) : [];
    const y = scale({ low: 0, high: largest([...values, ...(band.high ?? []), ...true_, train[k]], 1e-6), from: height - 3, to: 4 });
    const end = values.length - 1;
    const along = line && few.times ? (i) => (few.times[i] - few.times[0]) / (few.times[end] - few.times[0]) : (i) => i / end;
    const plot = { x: (i) => end ? 4 + along(i) * (width - 8) : width / 2, y, there: (v) => v !== null };
    const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true", preserveAspectRatio: "none" });
    picture.append(svg("line", { class: "guide", x1: 0, x2: width, y1: y(train[k]), y2: y(train[k]) }));
    if (band.low) picture.append(svg("polygon", { class: "band", colour: ESTIMATE.colour, points: quantext.bandPoints(band.low, band.high, plot) }));
    if (truth) picture.append(svg("path", { class: "marks", d: quantext.dotPath(true_, plot), colour: TRUE.colour }));
    picture.append(line ? svg("path", { class: "line", d: quantext.linePath(values, plot), colour: ESTIMATE.colour })
      : svg("path", { class: "marks", d: quantext.dotPath(values, plot), colour: ESTIMATE.colour }));
    const button = html("button", { type: "button", class: "mini", "aria-pressed": String(!together() && k === current()) },
      html("span", { class: "name", title: classes[k] }, classes[k]), html("span", { class: "value" }, percent(now[k])), picture);
    button.addEventListener("click", () => {
      select(k);
      place("trend").scrollIntoView({ block: "nearest", behavior: "smooth" });
    });
    return button;
  };
  const drawMinis = () => {
    const words = place("find").value.toLowerCase().split(/\s+/).filter(Boolean);
    const moved = moves(view);
    const compare = { share: (a, b) => now[b] - now[a], move: (a, b) => moved[b] - moved[a], name: byName };
    const found = numbers.filter((k) => words.every((word) => classes[k].toLowerCase().includes(word)))
      .sort(compare[place("order").value]);
    const some = found.slice(0, showMinis(found.length));
    for (const k of some) if (!minis.has(k)) minis.set(k, mini(k));
    place("minis").replaceChildren(...some.map((k) => minis.get(k)));
    place("found").textContent = found.length === K ? counted(K, "class", "classes") : `${found.length} of ${counted(K, "class", "classes")}`;
  };
  const showMinis = quantext.growing(place("more-minis"), { first: 24, draw: drawMinis, noun: "classes" });
  on("find", "input", drawMinis);
  on("order", "change", drawMinis);
  show();

  // Batches that deserve care, as buttons beside the verdict.
  const MOST_NAMED = 12;
  const doubted = every.filter((b) => verdicts[b]).sort((a, b) => verdicts[b] - verdicts[a] || (data.in_time ? b - a : a - b));
  place("doubted").append(...(doubted.length ? [html("span", {}, "Batches that are not fine:")] : []), ...doubted.slice(0, MOST_NAMED).map((b) => {
    const button = html("button", { type: "button", class: `plain ${data.levels[verdicts[b]]}`, title: data.headlines[verdicts[b]] }, bags[b]);
    button.addEventListener("click", () => {
      E.choose(b);
      place("one-batch").scrollIntoView({ behavior: "smooth" });
    });
    return button;
  }), ...(doubted.length > MOST_NAMED ? [html("span", {}, `and ${whole.format(doubted.length - MOST_NAMED)} more, in the table of batches`)] : []));
})();
