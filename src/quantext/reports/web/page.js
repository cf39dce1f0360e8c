"use strict";
// What every page of quantext is made of: elements, numbers, scales, frames of charts, its theme. Charts and
// tables are in files of their own. Text goes in as text nodes, never as markup.

// biome-ignore lint/correctness/noUnusedVariables: the other scripts use it
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

  // Of any number of values, where Math.max(...values) would have too many arguments.
  const largest = (values, least) => values.reduce((most, v) => Math.max(most, v), least);

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

  // Text in a picture: how wide it is, and cut so that it fits -------------------------------------

  const ruler = document.createElement("canvas").getContext("2d");
  ruler.font = `12px ${getComputedStyle(document.documentElement).fontFamily}`;
  const textWidth = (text) => ruler.measureText(text).width;
  const fitted = (text, width) => { // cut in the middle: names often begin alike
    if (text.length < 1000 && textWidth(text) <= width) return text;
    const letters = [...text];
    const cut = (n) => `${letters.slice(0, Math.ceil(n * 0.65)).join("").trimEnd()}…${letters.slice(letters.length - Math.floor(n * 0.35)).join("").trimStart()}`;
    let n = Math.min(letters.length - 1, 100);
    while (n > 1 && textWidth(cut(n)) > width) n--;
    return cut(n);
  };

  // A name in a sentence: where it runs from right to left, it must not turn what stands beside it.
  const isolated = (name) => /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(name) ? `\u2068${name}\u2069` : name;

  // Styles of lines: a colour, then the same colours dashed, then dotted ----------------------------

  const DASHES = [null, "7 4", "2 4"];
  const style = (i) => ({ colour: `var(--c${i % 8})`, dash: DASHES[Math.floor(i / 8) % 3] });
  const swatch = ({ colour, dash, heavy, dots, low, bar, cross, triangle }) =>
    svg("svg", { viewBox: "0 0 18 8", "aria-hidden": "true" },
      ...(low || bar ? [svg("rect", { x: 0, y: -1, width: 18, height: 10, class: bar ? "bar" : "band", colour })] : []),
      bar ? "" : cross ? svg("path", { class: "crosses", d: "M5.5 .5l7 7m0 -7l-7 7", colour })
        : triangle ? svg("path", { class: "triangles", d: "M9 -.5l4.5 8h-9z", colour }) : dots ? svg("circle", { class: "dot", cx: 9, cy: 4, r: 3.5, colour })
        : svg("line", { x1: 1, x2: 17, y1: 4, y2: 4, class: heavy ? "line heavy" : "line",
                        "stroke-dasharray": dash, colour }));
  const legend = (place, series) => place.replaceChildren(...series.map((one) =>
    html("span", {}, swatch(one), html("span", {}, one.name))));

  // Buttons that choose among named series; they are the legend too.
  const picker = (place, { series, chosen, changed }) => {
    place.replaceChildren(...series.map((one) => {
      const button = html("button", { type: "button", "aria-pressed": String(chosen.has(one.name)) },
        swatch(one), html("span", {}, one.name));
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
    const left = x > width / 2 ? x - tip.offsetWidth - 14 : x + 14;
    tip.style.left = `${Math.max(0, Math.min(left, width - tip.offsetWidth))}px`;
    tip.style.top = `${Math.max(0, Math.min(y, height - tip.offsetHeight - 4))}px`;
  };
  const tipRow = (look, name, value) => html("div", {}, swatch(look), html("span", {}, name),
    html("span", {}, value));

  // Paper has all of what a screen has some of, up to what can be printed: what depends on it is drawn anew before.
  let paper = false;
  const MOST_ON_PAPER = 5000;
  const onPaper = [];
  const print = (now) => {
    if (now === paper) return;
    paper = now;
    for (const draw of onPaper) draw();
  };
  addEventListener("beforeprint", () => print(true));
  addEventListener("afterprint", () => print(false));
  matchMedia("print").addEventListener("change", (event) => print(event.matches));

  // A list of which the first few are shown, and a button that shows more.
  const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
  const growing = (button, { first, draw, noun }) => {
    let shown = first;
    const show = (total) => {
      button.hidden = total <= shown;
      button.textContent = total - shown > 10 * first ? `Show ${whole.format(10 * first)} more ${noun}`
        : `Show all ${whole.format(total)} ${noun}`;
      return Math.min(paper ? MOST_ON_PAPER : shown, total);
    };
    button.addEventListener("click", () => { shown += 10 * first; draw(); });
    onPaper.push(draw);
    return show;
  };

  // A select of names, as the function that chooses one by its place. Of very many only the chosen one is there until
  // the reader turns to it, since a page of three times 10,000 options takes a second to open.
  const MANY = 500;
  const choices = (select, names) => {
    const option = (i) => html("option", { value: i }, names[i]);
    let full = false;
    const fill = () => {
      if (full) return;
      full = true;
      const chosen = select.value;
      select.replaceChildren(...names.map((_, i) => option(i)));
      select.value = chosen;
    };
    if (names.length <= MANY) fill();
    for (const event of ["pointerdown", "focus"]) select.addEventListener(event, fill);
    return (i) => {
      if (!full) select.replaceChildren(option(i));
      select.value = String(i);
    };
  };

  // Theme: as the system has it, until the reader says otherwise -------------------------------------

  const theme = (button) => button.addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });

  document.querySelectorAll("button.theme").forEach(theme);
  return { html, svg, whole, scientific, percent, briefPercent, power, largest, niceTicks, logTicks, scale, textWidth, fitted, isolated,
           style, swatch, legend, picker, frame, showTip, tipRow, growing, choices,
           get paper() { return paper; } };
})();
