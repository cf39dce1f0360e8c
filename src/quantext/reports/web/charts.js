"use strict";
// Charts: lines over time or along names, points around a diagonal, dots and bars by name.

(() => {
  const { html, svg, briefPercent, largest, niceTicks, logTicks, scale, textWidth, fitted, frame, showTip, tipRow } = quantext;
  const known = (v) => v !== null && v !== undefined;

  const axes = ({ picture, left, right, bottom, y }, yTicks, format) => {
    for (const tick of yTicks) {
      const at = Math.round(y(tick)) + 0.5;
      picture.append(svg("line", { class: "grid", x1: left, x2: right, y1: at, y2: at }),
        svg("text", { x: left - 8, y: at + 4, "text-anchor": "end" }, format(tick)));
    }
    picture.append(svg("line", { class: "axis", x1: left, x2: right, y1: bottom + 0.5, y2: bottom + 0.5 }));
  };
  const columns = ({ picture, top, bottom, x }, ticks) => {
    for (const tick of ticks)
      picture.append(svg("line", { class: "grid", x1: x(tick), x2: x(tick), y1: top, y2: bottom }),
        svg("text", { x: x(tick), y: bottom + 18, "text-anchor": "middle" }, briefPercent(tick)));
  };

  // A line through the values that are there, as the d of a path, one that stands alone being a dot; dots as a
  // line of no length.
  const linePath = (values, { x, y, there }) => {
    let pen = "M";
    return values.map((v, i) => {
      const step = there(v) ? `${pen}${x(i).toFixed(1)} ${y(v).toFixed(1)}${pen === "M" ? "h0" : ""}` : "";
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

  // What stands below the axis: given marks, or as many of the labels as there is room for. The last one is always
  // there, then the first, then from the last to the left all that touch no other.
  const drawMarks = ({ picture, x, top, bottom, height }, marks) => {
    for (const { at, label, rule } of marks) {
      if (rule) picture.append(svg("line", { class: "grid", x1: x(at), x2: x(at), y1: top, y2: bottom }));
      else picture.append(svg("text", { x: x(at), y: height - 10, "text-anchor": "middle" }, label));
    }
  };
  const drawLabels = ({ picture, x, bottom, right, width, height }, labels) => {
    const gap = 16;
    const put = ({ i, text, at }) => picture.append(svg("line", { class: "axis", x1: x(i), x2: x(i), y1: bottom, y2: bottom + 5 }),
      svg("text", { class: "label", x: at, y: height - 8, "text-anchor": "middle" }, text));
    const spot = (i) => {
      const text = fitted(labels[i], Math.min(180, right * 0.4));
      const half = textWidth(text) / 2;
      const at = Math.max(half, Math.min(x(i), width - half));
      return { i, text, at, from: at - half, to: at + half };
    };
    const last = labels.length - 1;
    if (last < 0) return;
    const [begin, end] = [spot(0), spot(last)];
    put(end);
    if (!last || begin.to + gap > end.from) return;
    let free = end.from - gap;
    for (let i = last - 1; i > 0; i--) {
      if (x(i) >= free) continue;
      const one = spot(i);
      if (one.to > free || one.from < begin.to + gap) continue;
      put(one);
      free = one.from - gap;
    }
    put(begin);
  };
  // Names at the ends of the lines, pushed apart where they would touch.
  const BOLD = 1.15; // times as wide as the letters that are measured
  const drawEnds = ({ picture, right, top, bottom, y, there }, series) => {
    const ends = series.map((one) => ({ one, at: y(one.values.findLast(there) ?? 0) })).sort((a, b) => a.at - b.at);
    const least = 15;
    let above = top - least + 6;
    for (const end of ends) above = end.at = Math.max(end.at, above + least);
    let below = bottom + least;
    for (const end of ends.reverse()) below = end.at = Math.min(end.at, below - least);
    for (const { one, at } of ends) picture.append(svg("text", { class: "end", x: right + 10, y: at + 4, colour: one.colour },
      fitted(one.name, (picture.viewBox.baseVal.width - right - 12) / BOLD)));
  };

  // A series of a line chart: its band or whiskers, then its line or dots.
  const drawSeries = (plot, { values, low, high, colour, dash, heavy, dots, whiskers, bare, faint }) => {
    const { picture, x, y, there } = plot;
    const each = (points, draw) => points.forEach((v, i) => { if (there(v)) picture.append(draw(v, i)); });
    if (low && whiskers) each(low, (v, i) => svg("line",
      { class: "whisker", x1: x(i), x2: x(i), y1: y(v), y2: y(high[i]), colour }));
    else if (low) picture.append(svg("polygon", { class: faint ? "band faint" : "band", colour, points: bandPoints(low, high, plot) }));
    if (dots) picture.append(svg("path", { class: "marks", d: dotPath(values, plot), colour }));
    else picture.append(svg("path", { class: heavy ? "line heavy" : "line", colour, d: linePath(values, plot),
      "stroke-dasharray": dash }));
    if (values.length <= 40 && !dots && !bare) picture.append(svg("path", { class: "knots", d: dotPath(values, plot), colour }));
  };
  // Signs below the axis: triangles, or crosses for the worst.
  const drawFlags = ({ picture, x, bottom }, flags) => {
    for (const { at, colour, cross } of flags) picture.append(svg("path", { class: cross ? "crosses" : "triangles", colour,
      d: at.map((i) => cross ? `M${(x(i) - 3.5).toFixed(1)} ${bottom + 10}l7 7m0 -7l-7 7` : `M${x(i).toFixed(1)} ${bottom + 9.5}l4.5 8h-9z`).join("") }));
  };

  // The range of a vertical axis that holds all values, and its ticks: from 0 until none is higher or, if it is
  // logarithmic, within the range.
  const extent = (series, { there, log, count }) => {
    const values = series.flatMap((s) => [s.values, s.low ?? [], s.high ?? []].flat()).filter(there);
    if (log) {
      const [low, high] = values.length ? [values.reduce((a, b) => Math.min(a, b)) / 1.25, largest(values, 0) * 1.25] : [1e-4, 1e-2];
      return { low, high, ticks: logTicks(low, high) };
    }
    const most = values.length ? largest(values, 0) || 0.01 : 1;
    const step = niceTicks(0, most, count)[1];
    const ticks = Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, i) => i * step);
    return { low: 0, high: ticks.at(-1), ticks };
  };

  // Lines over labelled positions. spec(): labels; times of these, or none if they stand at equal distances; series of
  // {name, values, low, high, colour, dash, heavy, dots: true for no line, whiskers: true for no band, bare: true for no
  // dots on the line, faint: true for a paler band}; log, format, tickFormat, height; marks: [{at, label}] instead of labels below the axis; flags:
  // [{name, at: places, colour, cross}]; ends: true for names beside the lines; spread: true for labels that stand for
  // themselves and not for points in time; tells: longer labels, for the tip; chosen(i): what a click does.
  const lineChart = (place, spec) => frame(place, (width, tip) => {
    const { labels, times, series, log, format, tickFormat = format, height = 300, marks, flags = [], label, spread, ends, chosen,
      tells = labels } = spec();
    const named = ends && width > 640 ? Math.min(200, BOLD * largest(series.map((s) => textWidth(s.name)), 0) + 16) : 0;
    const [left, right, top] = [width < 500 ? 46 : 58, width - 12 - named, 10];
    const bottom = height - 30 - (flags.length ? 14 : 0);
    const inset = spread ? (right - left) / (2 * labels.length) : 6;
    const room = right - left - 2 * inset;
    const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", tabindex: "0",
      "aria-label": label, class: chosen ? "choosing" : "" });
    const drawable = (v) => known(v) && (!log || v > 0);
    const { low, high, ticks } = extent(series, { there: drawable, log, count: Math.max(4, Math.round((bottom - top) / 50)) });
    const y = scale({ low, high, from: bottom, to: top, log });
    const last = labels.length - 1;
    const along = times ? (i) => (times[i] - times[0]) / (times[last] - times[0]) : (i) => i / last;
    const x = (i) => last < 1 ? (left + right) / 2 : left + inset + along(i) * room;
    const plot = { picture, left, right, top, bottom, width, height, room, x, y, there: drawable };
    axes(plot, ticks, tickFormat);
    if (marks) drawMarks(plot, marks);
    else drawLabels(plot, labels);
    for (const one of series) drawSeries(plot, one);
    drawFlags(plot, flags);
    if (named) drawEnds(plot, series.filter((s) => s.values.some(drawable)));
    const cursor = svg("g", { visibility: "hidden" });
    picture.append(cursor);
    let current = 0;
    const point = (i) => {
      current = Math.max(0, Math.min(last, i));
      const there = series.filter((s) => known(s.values[current]));
      cursor.replaceChildren(
        svg("line", { class: "cursor", x1: x(current), x2: x(current), y1: top, y2: bottom }),
        ...there.filter((s) => drawable(s.values[current])).map((s) =>
          svg("circle", { class: "dot", cx: x(current), cy: y(s.values[current]), r: 4, colour: s.colour })));
      cursor.setAttribute("visibility", "visible");
      const rows = there.sort((a, b) => b.values[current] - a.values[current])
        .map((s) => tipRow(s, s.name, s.low && known(s.low[current])
          ? `${format(s.values[current])} [${format(s.low[current])}, ${format(s.high[current])}]`
          : format(s.values[current])));
      const signs = flags.filter(({ at }) => at.includes(current)).map(({ name }) => html("div", {}, html("em", {}, name)));
      showTip(tip, { x: x(current), y: top, width, height }, html("b", {}, tells[current]), ...rows, ...signs);
    };
    const leave = () => { tip.hidden = true; cursor.setAttribute("visibility", "hidden"); };
    const nearest = (event) => {
      const box = picture.getBoundingClientRect();
      const at = ((event.clientX - box.left) / box.width) * width;
      let [from, to] = [0, last];
      while (to - from > 1) {
        const middle = (from + to) >> 1;
        if (x(middle) < at) from = middle;
        else to = middle;
      }
      return at - x(from) < x(to) - at ? from : to;
    };
    const follow = (event) => point(nearest(event));
    picture.addEventListener("pointermove", follow);
    picture.addEventListener("pointerdown", follow);
    picture.addEventListener("pointerleave", leave);
    picture.addEventListener("blur", leave);
    if (chosen) picture.addEventListener("click", (event) => chosen(nearest(event)));
    picture.addEventListener("keydown", (event) => {
      const to = { ArrowLeft: current - 1, ArrowRight: current + 1, Home: 0, End: last }[event.key];
      if (to !== undefined) { event.preventDefault(); point(to); }
      else if (event.key === "Enter" && chosen && !tip.hidden) chosen(current);
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
    columns({ picture, top, bottom, x }, niceTicks(low, 1, width < 500 ? 3 : 6));
    picture.append(svg("line", { class: "guide", x1: x(guide), x2: x(guide), y1: top, y2: bottom }));
    names.forEach((name, i) => {
      const at = top + (i + 0.5) * row;
      const dot = svg("circle", { class: "dot", cx: x(values[i]), cy: at, r: 5, colour: "var(--c0)" });
      const area = svg("rect", { x: 0, y: at - row / 2, width, height: row, fill: "transparent" });
      area.addEventListener("pointerenter", () => showTip(tip, { x: x(values[i]), y: at, width, height },
        html("b", {}, name), html("div", {}, format(values[i]))));
      area.addEventListener("pointerleave", () => { tip.hidden = true; });
      picture.append(svg("text", { x: left - 12, y: at + 4, "text-anchor": "end" }, fitted(name, left - 14)), dot, area);
    });
    return picture;
  });

  // A bar per name, its interval, and marks beside it. spec(): rows of {name, value, low, high, note,
  // marks: [{name, value, colour, dash or dots}]}; name and colour of the bars, level, format, label.
  const barChart = (place, spec) => frame(place, (width, tip) => {
    const { rows, name, colour, level, format, label } = spec();
    const ranged = rows.some(({ low }) => known(low));
    const [row, top] = [28, 6];
    const roomy = width > 560;
    const longest = largest(rows.map((one) => textWidth(one.name)), 0);
    const left = Math.min(longest + 16, roomy ? 300 : 0.4 * width);
    const right = width - (roomy ? (ranged ? 170 : 66) : 54);
    const [bottom, height] = [top + rows.length * row, top + rows.length * row + 30];
    const drawn = rows.flatMap(({ value, high, marks }) => [value, high, ...marks.map((mark) => mark.value)]);
    const most = largest(drawn.filter(known), 1e-6);
    const x = scale({ low: 0, high: most * 1.02, from: left, to: right });
    const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
    columns({ picture, top, bottom, x }, niceTicks(0, most, roomy ? 6 : 3));
    rows.forEach((one, i) => {
      const at = top + (i + 0.5) * row;
      const short = fitted(one.name, left - 12);
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

  // Rows with a dot for each of several things, and its interval. spec(): rows of {name, dots: [{name, value, low, high,
  // colour, open: true for a ring}], flag: {name, colour, cross}, chosen()}; guide, format, label.
  const rowChart = (place, spec) => frame(place, (width, tip) => {
    const { rows, guide, format, label } = spec();
    const deep = largest(rows.map(({ dots }) => dots.length), 1);
    const [row, top, roomy] = [Math.max(28, 12 + 7 * deep), 6, width > 560];
    const longest = largest(rows.map((one) => textWidth(one.name)), 0);
    const aside = rows.some(({ flag }) => flag) ? 22 : 12; // between a name and the dots: room for a sign
    const [left, right] = [Math.min(longest + aside + 6, roomy ? 300 : 0.36 * width), width - 18];
    const [bottom, height] = [top + rows.length * row, top + rows.length * row + 30];
    const drawn = rows.flatMap(({ dots }) => dots.flatMap(({ value, high }) => [value, high])).filter(known);
    const most = largest(known(guide) ? [...drawn, guide] : drawn, 1e-6);
    const x = scale({ low: 0, high: most * 1.02, from: left, to: right });
    const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
    columns({ picture, top, bottom, x }, niceTicks(0, most, roomy ? 8 : 4));
    if (known(guide)) picture.append(svg("line", { class: "guide", x1: x(guide), x2: x(guide), y1: top, y2: bottom }));
    rows.forEach(({ name, dots, flag, chosen }, i) => {
      const at = top + (i + 0.5) * row;
      const area = svg("rect", { x: 0, y: at - row / 2, width, height: row, fill: "transparent", class: chosen ? "choosing" : "" });
      const there = dots.filter(({ value }) => known(value));
      const tell = () => showTip(tip, { x: x(largest(there.map(({ value }) => value), 0)), y: at - 10, width, height: height + 60 }, html("b", {}, name),
        ...there.map((dot) => tipRow({ ...dot, dots: true }, dot.name, known(dot.low)
          ? `${format(dot.value)} [${format(dot.low)}, ${format(dot.high)}]` : format(dot.value))),
        ...(flag ? [html("div", {}, html("em", {}, flag.name))] : []));
      area.addEventListener("pointerenter", tell);
      area.addEventListener("pointerdown", tell);
      area.addEventListener("pointerleave", () => { tip.hidden = true; });
      if (chosen) area.addEventListener("click", chosen);
      picture.append(svg("line", { class: "grid", x1: left, x2: right, y1: at + row / 2, y2: at + row / 2 }),
        svg("text", { class: "strong", x: left - aside, y: at + 4, "text-anchor": "end" }, fitted(name, left - aside - 2)));
      if (flag) drawFlags({ picture, x: () => left - 9, bottom: at - 13.5 }, [{ ...flag, at: [0] }]);
      there.forEach((dot, j) => {
        const middle = at + (j - (there.length - 1) / 2) * 7;
        if (known(dot.low)) picture.append(svg("line", { class: "whisker", x1: x(dot.low), x2: x(dot.high), y1: middle, y2: middle, colour: dot.colour }));
        picture.append(svg("circle", { class: dot.open ? "ring" : "dot", cx: x(dot.value), cy: middle, r: 5, colour: dot.colour }));
      });
      picture.append(area);
    });
    return picture;
  });

  // Differences to the left and right of nothing. spec(): rows of {name, value, low, high, note}, format, label.
  const differenceChart = (place, spec) => frame(place, (width, tip) => {
    const { rows, format, label } = spec();
    const [row, top, roomy] = [26, 6, width > 560];
    const longest = largest(rows.map((one) => textWidth(one.name)), 0);
    const [left, right] = [Math.min(longest + 16, roomy ? 300 : 0.36 * width), width - (roomy ? 74 : 58)];
    const [bottom, height] = [top + rows.length * row, top + rows.length * row + 30];
    const most = largest(rows.flatMap(({ value, low, high }) => [value, low, high]).filter(known).map(Math.abs), 1e-6);
    const x = scale({ low: -most, high: most, from: left + 4, to: right });
    const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
    for (const tick of niceTicks(-most, most, roomy ? 6 : 4))
      picture.append(svg("line", { class: Math.abs(tick) < most / 1e6 ? "axis" : "grid", x1: x(tick), x2: x(tick), y1: top, y2: bottom }),
        svg("text", { x: x(tick), y: bottom + 18, "text-anchor": "middle" }, format(tick)));
    rows.forEach((one, i) => {
      const at = top + (i + 0.5) * row;
      const area = svg("rect", { x: 0, y: at - row / 2, width, height: row, fill: "transparent" });
      area.addEventListener("pointerenter", () => showTip(tip, { x: x(one.value), y: at - 10, width, height: height + 60 },
        html("b", {}, one.name), html("div", { class: "wraps" }, one.note)));
      area.addEventListener("pointerleave", () => { tip.hidden = true; });
      picture.append(svg("text", { class: "strong", x: left - 10, y: at + 4, "text-anchor": "end" }, fitted(one.name, left - 12)),
        svg("rect", { class: "bar", x: Math.min(x(0), x(one.value)), y: at - 7, width: Math.max(0.5, Math.abs(x(one.value) - x(0))),
          height: 14, colour: one.value < 0 ? "var(--c1)" : "var(--c0)" }),
        svg("text", { class: "strong", x: width, y: at + 4, "text-anchor": "end" }, format(one.value)));
      if (known(one.low)) picture.append(svg("path", { class: "whisker", colour: "var(--ink)",
        d: `M${x(one.low)} ${at - 4}v8m0 -4H${x(one.high)}m0 -4v8` }));
      picture.append(area);
    });
    return picture;
  });

  Object.assign(quantext, { linePath, dotPath, bandPoints, lineChart, scatterChart, dotChart, barChart, rowChart, differenceChart });
})();
