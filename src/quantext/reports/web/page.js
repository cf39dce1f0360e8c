"use strict";
// What every page of quantext can do: sort and filter tables, draw charts, change its theme.
// Text goes in as text nodes, never as markup.

// biome-ignore lint/correctness/noUnusedVariables: the scripts of the pages use it
const quantext = (() => {
  const SVG = "http://www.w3.org/2000/svg";

  const build = (node, attributes, children) => {
    for (const [name, value] of Object.entries(attributes)) {
      if (name === "colour") node.style.setProperty("--c", value);
      else if (value !== null && value !== false) node.setAttribute(name, value);
    }
    node.append(...children);
    return node;
  };
  const html = (tag, attributes = {}, ...children) =>
    build(document.createElement(tag), attributes, children);
  const svg = (tag, attributes = {}, ...children) =>
    build(document.createElementNS(SVG, tag), attributes, children);

  // Numbers -------------------------------------------------------------------------------------

  const scientific = (value) =>
    value === 0 ? "0" : value.toExponential(2).replace(/e([+-])(\d)$/, "e$10$2");
  const percent = (value) => {
    const share = 100 * value;
    const digits = share === 0 || share >= 10 ? 1 : share >= 1 ? 2 : share >= 0.1 ? 3 : 4;
    return `${share.toFixed(share === 100 ? 0 : digits)}%`;
  };
  const briefPercent = (value) => `${+(100 * value).toPrecision(3)}%`;
  const power = (value) =>
    value >= 0.001 && value <= 1 ? String(+value.toPrecision(2))
      : value.toExponential(0).replace(/e([+-])(\d)$/, "e$10$2");

  const niceTicks = (low, high, count = 5) => {
    const rough = (high - low) / count || 1;
    const unit = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 2.5, 5, 10].map((m) => m * unit).find((s) => s >= rough * 0.999);
    const ticks = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) ticks.push(i * step);
    return ticks;
  };
  const logTicks = (low, high) => {
    const decades = Math.log10(high / low);
    const multiples = decades > 2.5 ? [1] : decades > 1.2 ? [1, 3] : [1, 2, 5];
    const ticks = [];
    for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++)
      for (const m of multiples) {
        const tick = m * 10 ** e;
        if (tick >= low * 0.999 && tick <= high * 1.001) ticks.push(tick);
      }
    return ticks;
  };
  // Where a value is drawn: the low one at from, the high one at to.
  const scale = ({ low, high, from, to, log = false }) => {
    const f = log ? Math.log : (v) => v;
    const [a, b] = [f(low), f(high)];
    return (v) => from + ((f(v) - a) / (b - a || 1)) * (to - from);
  };

  // Styles of lines: a colour, then the same colours dashed, then dotted ----------------------------

  const DASHES = [null, "7 4", "2 4"];
  const style = (i) => ({ colour: `var(--c${i % 8})`, dash: DASHES[Math.floor(i / 8) % 3] });
  const swatch = ({ colour, dash, heavy, dots, low, bar }) =>
    svg("svg", { viewBox: "0 0 18 8", "aria-hidden": "true" },
      ...(low || bar ? [svg("rect", { x: 0, y: -1, width: 18, height: 10, class: bar ? "bar" : "band", colour })] : []),
      bar ? "" : dots ? svg("circle", { class: "dot", cx: 9, cy: 4, r: 3.5, colour })
        : svg("line", { x1: 1, x2: 17, y1: 4, y2: 4, class: heavy ? "line heavy" : "line",
                        "stroke-dasharray": dash, colour }));
  const legend = (place, series) => place.replaceChildren(...series.map((one) =>
    html("span", {}, swatch(one), one.name)));

  // Buttons that choose among named series; they are the legend too.
  const picker = (place, { series, chosen, changed }) => {
    place.replaceChildren(...series.map((one) => {
      const button = html("button", { type: "button", "aria-pressed": String(chosen.has(one.name)) },
        swatch(one), one.name);
      button.addEventListener("click", () => {
        if (!chosen.delete(one.name)) chosen.add(one.name);
        button.setAttribute("aria-pressed", chosen.has(one.name));
        changed();
      });
      return button;
    }));
  };

  // Charts: a frame that redraws when its width changes, and a tip that follows the pointer ----------

  const frame = (place, draw) => {
    const tip = html("div", { class: "tip", hidden: "" });
    let width = 0;
    const redraw = () => {
      if (!width) return;
      tip.hidden = true;
      place.replaceChildren(draw(width, tip), tip);
    };
    new ResizeObserver(([entry]) => {
      const now = Math.round(entry.contentRect.width);
      if (now && now !== width) { width = now; redraw(); }
    }).observe(place);
    return redraw;
  };
  const showTip = (tip, { x, y, width, height }, ...content) => {
    tip.replaceChildren(...content);
    tip.hidden = false;
    // The picture is scaled when it is printed or zoomed; the tip stays within it.
    tip.style.left = `${Math.max(0, x > width / 2 ? x - tip.offsetWidth - 14 : x + 14)}px`;
    tip.style.top = `${Math.max(0, Math.min(y, height - tip.offsetHeight - 4))}px`;
  };
  const tipRow = (look, name, value) => html("div", {}, swatch(look), html("span", {}, name),
    html("span", {}, value));
  const axes = ({ picture, left, right, bottom, y }, yTicks, format) => {
    for (const tick of yTicks) {
      const at = Math.round(y(tick)) + 0.5;
      picture.append(svg("line", { class: "grid", x1: left, x2: right, y1: at, y2: at }),
        svg("text", { x: left - 8, y: at + 4, "text-anchor": "end" }, format(tick)));
    }
    picture.append(svg("line", { class: "axis", x1: left, x2: right, y1: bottom + 0.5, y2: bottom + 0.5 }));
  };

  // A line through the values that are there, as the d of a path; dots as a line of no length.
  const linePath = (values, { x, y, there }) => {
    let pen = "M";
    return values.map((v, i) => {
      const step = there(v) ? `${pen}${x(i).toFixed(1)} ${y(v).toFixed(1)}` : "";
      pen = step ? "L" : "M";
      return step;
    }).join("");
  };
  const dotPath = (values, { x, y, there }) => values.map((v, i) =>
    there(v) ? `M${x(i).toFixed(1)} ${y(v).toFixed(1)}h0` : "").join("");
  const bandPoints = (low, high, { x, y, there }) => {
    const inside = low.map((_, i) => i).filter((i) => there(low[i]) && there(high[i]));
    const edge = (values) => (i) => `${x(i).toFixed(1)},${y(values[i]).toFixed(1)}`;
    return [...inside.map(edge(high)), ...inside.reverse().map(edge(low))].join(" ");
  };

  // What stands below the axis: given marks, or as many of the labels as there is room for.
  const drawMarks = ({ picture, x, top, bottom, height }, marks) => {
    for (const { at, label, rule } of marks) {
      if (rule) picture.append(svg("line", { class: "grid", x1: x(at), x2: x(at), y1: top, y2: bottom }));
      else picture.append(svg("text", { x: x(at), y: height - 10, "text-anchor": "middle" }, label));
    }
  };
  const drawLabels = ({ picture, x, room, width, height }, labels) => {
    const longest = Math.max(...labels.map((text) => text.length), 1);
    const wide = longest * 7 + 14;
    const step = Math.max(1, Math.ceil((labels.length - 1) * wide / room));
    for (let i = 0; i < labels.length; i += step) {
      const at = Math.max(wide / 2, Math.min(x(i), width - wide / 2));
      if (i + step < labels.length || at === x(i) || i === 0)
        picture.append(svg("text", { x: at, y: height - 10, "text-anchor": "middle" }, labels[i]));
    }
  };

  // A series of a line chart: its band or whiskers, then its line or dots.
  const drawSeries = (plot, { values, low, high, colour, dash, heavy, dots, whiskers, bare }) => {
    const { picture, x, y, there } = plot;
    const each = (points, draw) => points.forEach((v, i) => { if (there(v)) picture.append(draw(v, i)); });
    if (low && whiskers) each(low, (v, i) => svg("line",
      { class: "whisker", x1: x(i), x2: x(i), y1: y(v), y2: y(high[i]), colour }));
    else if (low) picture.append(svg("polygon", { class: "band", colour, points: bandPoints(low, high, plot) }));
    if (dots) picture.append(svg("path", { class: "marks", d: dotPath(values, plot), colour }));
    else picture.append(svg("path", { class: heavy ? "line heavy" : "line", colour, d: linePath(values, plot),
      "stroke-dasharray": dash }));
    if (values.length <= 12 && !dots && !bare) each(values, (v, i) => svg("circle",
      { class: "dot", cx: x(i), cy: y(v), r: 3.5, colour }));
  };

  // The range of a vertical axis that holds all values, and a little more.
  const extent = (values, log) => {
    if (!values.length) return log ? [1e-4, 1e-2] : [0, 1];
    const high = Math.max(...values);
    if (log) return [Math.min(...values) / 1.25, high * 1.25];
    return [0, high ? high * 1.06 : 0.01];
  };

  // Lines over labelled positions. spec(): labels; series of {name, values, low, high, colour, dash, heavy,
  // dots: true for no line, whiskers: true for no band, bare: true for no dots on the line}; log, format,
  // tickFormat, height; marks: [{at, label}] instead of labels below the axis; spread: true for labels that
  // stand for themselves and not for points in time.
  const lineChart = (place, spec) => frame(place, (width, tip) => {
    const { labels, series, log, format, tickFormat = format, height = 300, marks, label, spread } = spec();
    const [left, right, top, bottom] = [58, width - 12, 10, height - 30];
    const inset = spread ? (right - left) / (2 * labels.length) : 6;
    const room = right - left - 2 * inset;
    const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", tabindex: "0",
      "aria-label": label });
    const drawable = (v) => v !== null && v !== undefined && (!log || v > 0);
    const [low, high] = extent(series.flatMap((s) => [s.values, s.low ?? [], s.high ?? []].flat()).filter(drawable), log);
    const y = scale({ low, high, from: bottom, to: top, log });
    const x = (i) => labels.length < 2 ? (left + right) / 2 : left + inset + (i / (labels.length - 1)) * room;
    const plot = { picture, left, right, top, bottom, width, height, room, x, y, there: drawable };
    axes(plot, log ? logTicks(low, high) : niceTicks(low, high), tickFormat);
    if (marks) drawMarks(plot, marks);
    else drawLabels(plot, labels);
    for (const one of series) drawSeries(plot, one);
    const cursor = svg("g", { visibility: "hidden" });
    picture.append(cursor);
    let current = 0;
    const point = (i) => {
      current = Math.max(0, Math.min(labels.length - 1, i));
      cursor.replaceChildren(
        svg("line", { class: "cursor", x1: x(current), x2: x(current), y1: top, y2: bottom }),
        ...series.filter((s) => drawable(s.values[current])).map((s) =>
          svg("circle", { class: "dot", cx: x(current), cy: y(s.values[current]), r: 4, colour: s.colour })));
      cursor.setAttribute("visibility", "visible");
      const rows = series.filter((s) => s.values[current] !== null && s.values[current] !== undefined)
        .sort((a, b) => b.values[current] - a.values[current])
        .map((s) => tipRow(s, s.name, s.low && s.low[current] !== null
          ? `${format(s.values[current])} [${format(s.low[current])}, ${format(s.high[current])}]`
          : format(s.values[current])));
      showTip(tip, { x: x(current), y: top, width, height }, html("b", {}, labels[current]), ...rows);
    };
    const leave = () => { tip.hidden = true; cursor.setAttribute("visibility", "hidden"); };
    const follow = (event) => {
      const box = picture.getBoundingClientRect();
      const at = ((event.clientX - box.left) / box.width) * width;
      point(Math.round(((at - left - inset) / room) * (labels.length - 1)));
    };
    picture.addEventListener("pointermove", follow);
    picture.addEventListener("pointerdown", follow);
    picture.addEventListener("pointerleave", leave);
    picture.addEventListener("blur", leave);
    picture.addEventListener("keydown", (event) => {
      const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (move) { event.preventDefault(); point(current + move); }
    });
    return picture;
  });

  // Points around the diagonal, on logarithmic scales; the pointer finds the nearest.
  // spec(): x, y (arrays), colour, low, describe(i) -> nodes, chosen(i), xLabel, yLabel, format.
  const scatterChart = (place, spec) => frame(place, (width, tip) => {
    const { x: xs, y: ys, colour, low, describe, chosen, xLabel, yLabel, format, label } = spec();
    const height = Math.min(width, 460);
    const [left, right, top, bottom] = [58, width - 12, 22, height - 44];
    const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
    const x = scale({ low, high: 1, from: left, to: right, log: true });
    const y = scale({ low, high: 1, from: bottom, to: top, log: true });
    axes({ picture, left, right, bottom, y }, logTicks(low, 1), format);
    for (const tick of logTicks(low, 1))
      picture.append(svg("line", { class: "grid", x1: x(tick), x2: x(tick), y1: top, y2: bottom }),
        svg("text", { x: x(tick), y: bottom + 18, "text-anchor": "middle" }, format(tick)));
    picture.append(
      svg("text", { x: (left + right) / 2, y: height - 6, "text-anchor": "middle" }, xLabel),
      svg("text", { x: left - 50, y: 12 }, yLabel),
      svg("line", { class: "guide", x1: x(low), y1: y(low), x2: x(1), y2: y(1) }));
    // In one path, points that overlap look like one; in a few layers, density shows.
    const dots = xs.map((v, i) => `M${x(v).toFixed(1)} ${y(ys[i]).toFixed(1)}h0`);
    for (let layer = 0; layer < 8; layer++) picture.append(svg("path", { class: "points", colour,
      d: dots.filter((_, i) => i % 8 === layer).join("") }));
    const spot = svg("circle", { class: "dot", r: 5, visibility: "hidden", colour });
    picture.append(spot);
    const nearest = (event) => {
      const box = picture.getBoundingClientRect();
      const px = ((event.clientX - box.left) / box.width) * width;
      const py = ((event.clientY - box.top) / box.height) * height;
      let [best, least] = [-1, 24 ** 2];
      for (let i = 0; i < xs.length; i++) {
        const away = (x(xs[i]) - px) ** 2 + (y(ys[i]) - py) ** 2;
        if (away < least) [best, least] = [i, away];
      }
      return best;
    };
    const leave = () => { tip.hidden = true; spot.setAttribute("visibility", "hidden"); };
    const follow = (event) => {
      const i = nearest(event);
      if (i < 0) return leave();
      spot.setAttribute("cx", x(xs[i]));
      spot.setAttribute("cy", y(ys[i]));
      spot.setAttribute("visibility", "visible");
      showTip(tip, { x: x(xs[i]), y: y(ys[i]), width, height }, ...describe(i));
    };
    picture.addEventListener("pointermove", follow);
    picture.addEventListener("pointerdown", follow);
    picture.addEventListener("pointerleave", leave);
    picture.addEventListener("click", (event) => {
      const i = nearest(event);
      if (i >= 0) chosen(i);
    });
    return picture;
  });

  // A dot per name against a guide. spec(): names, values, guide, format.
  const dotChart = (place, spec) => frame(place, (width, tip) => {
    const { names, values, guide, format, label } = spec();
    const [left, right, top, row] = [Math.min(150, width * 0.38), width - 24, 6, 26];
    const height = top + names.length * row + 30;
    const low = Math.max(0, Math.min(...values, guide) - 0.03);
    const x = scale({ low, high: 1, from: left, to: right });
    const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
    const bottom = top + names.length * row;
    for (const tick of niceTicks(low, 1, width < 500 ? 3 : 6))
      picture.append(svg("line", { class: "grid", x1: x(tick), x2: x(tick), y1: top, y2: bottom }),
        svg("text", { x: x(tick), y: bottom + 18, "text-anchor": "middle" }, briefPercent(tick)));
    picture.append(svg("line", { class: "guide", x1: x(guide), x2: x(guide), y1: top, y2: bottom }));
    names.forEach((name, i) => {
      const at = top + (i + 0.5) * row;
      const dot = svg("circle", { class: "dot", cx: x(values[i]), cy: at, r: 5, colour: "var(--c0)" });
      const area = svg("rect", { x: 0, y: at - row / 2, width, height: row, fill: "transparent" });
      area.addEventListener("pointerenter", () => showTip(tip, { x: x(values[i]), y: at, width, height },
        html("b", {}, name), html("div", {}, format(values[i]))));
      area.addEventListener("pointerleave", () => { tip.hidden = true; });
      picture.append(svg("text", { x: left - 12, y: at + 4, "text-anchor": "end" }, name), dot, area);
    });
    return picture;
  });

  // A bar per name, its interval, and marks beside it. spec(): rows of {name, value, low, high, note,
  // marks: [{name, value, colour, dash or dots}]}; name and colour of the bars, level, format, label.
  const barChart = (place, spec) => frame(place, (width, tip) => {
    const { rows, name, colour, level, format, label } = spec();
    const known = (v) => v !== null && v !== undefined;
    const ranged = rows.some(({ low }) => known(low));
    const [row, top] = [28, 6];
    const roomy = width > 560;
    const longest = Math.max(...rows.map((one) => one.name.length));
    const left = Math.min(7 * longest + 16, roomy ? 260 : 0.4 * width);
    const right = width - (roomy ? (ranged ? 170 : 66) : 54);
    const [bottom, height] = [top + rows.length * row, top + rows.length * row + 30];
    const drawn = rows.flatMap(({ value, high, marks }) => [value, high, ...marks.map((mark) => mark.value)]);
    const most = Math.max(...drawn.filter(known), 1e-6);
    const x = scale({ low: 0, high: most * 1.02, from: left, to: right });
    const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
    for (const tick of niceTicks(0, most, roomy ? 6 : 3))
      picture.append(svg("line", { class: "grid", x1: x(tick), x2: x(tick), y1: top, y2: bottom }),
        svg("text", { x: x(tick), y: bottom + 18, "text-anchor": "middle" }, briefPercent(tick)));
    const letters = Math.floor((left - 14) / 7);
    rows.forEach((one, i) => {
      const at = top + (i + 0.5) * row;
      const short = one.name.length > letters ? `${one.name.slice(0, letters - 1)}…` : one.name;
      const inside = known(one.low) ? `${format(one.low)} to ${format(one.high)}` : "";
      picture.append(
        svg("text", { class: "strong", x: left - 10, y: at + 4, "text-anchor": "end" }, short),
        svg("rect", { class: "bar", x: left, y: at - 8, width: Math.max(0.5, x(one.value) - left), height: 16, colour }));
      if (inside) picture.append(svg("path", { class: "whisker", colour: "var(--ink)",
        d: `M${x(one.low)} ${at - 4}v8m0 -4H${x(one.high)}m0 -4v8` }));
      for (const mark of one.marks.filter(({ value }) => known(value))) picture.append(mark.dots
        ? svg("circle", { class: "dot", cx: x(mark.value), cy: at, r: 4.5, colour: mark.colour })
        : svg("line", { class: "guide", x1: x(mark.value), x2: x(mark.value), y1: at - 12, y2: at + 12 }));
      picture.append(svg("text", { class: "strong", x: right + 54, y: at + 4, "text-anchor": "end" }, format(one.value)));
      if (roomy && inside) picture.append(svg("text", { x: width, y: at + 4, "text-anchor": "end" }, inside));
      const area = svg("rect", { x: 0, y: at - row / 2, width, height: row, fill: "transparent" });
      const tell = () => showTip(tip, { x: x(one.value), y: at - 10, width, height: height + 60 },
        html("b", {}, one.name),
        tipRow({ colour }, name, format(one.value)),
        ...(inside ? [html("div", {}, `${level} interval`, html("span", {}, inside))] : []),
        ...one.marks.map((mark) => tipRow(mark, mark.name, format(mark.value))),
        html("div", {}, one.note));
      area.addEventListener("pointerenter", tell);
      area.addEventListener("pointerdown", tell);
      area.addEventListener("pointerleave", () => { tip.hidden = true; });
      picture.append(area);
    });
    return picture;
  });

  // A list of which the first few are shown, and a button that shows more.
  const growing = (button, { first, draw, noun }) => {
    let shown = first;
    const show = (total) => {
      button.hidden = total <= shown;
      button.textContent = total - shown > 10 * first ? `Show ${10 * first} more ${noun}` : `Show all ${total} ${noun}`;
      return Math.min(shown, total);
    };
    button.addEventListener("click", () => { shown += 10 * first; draw(); });
    return show;
  };

  // Tables ----------------------------------------------------------------------------------------

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

  // Theme: as the system has it, until the reader says otherwise -------------------------------------

  const theme = (button) => button.addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });

  document.querySelectorAll("button.theme").forEach(theme);
  document.querySelectorAll("table.sortable").forEach(sortable);
  return { html, svg, scientific, percent, briefPercent, power, style, legend, tipRow, picker, frame, showTip,
           scale, niceTicks, linePath, dotPath, bandPoints, lineChart, scatterChart, dotChart, barChart, growing, filterable };
})();
