// Beside the document: shares with intervals that narrow, how many labels are still needed, by whom.
"use strict";

quantext.panel = (() => {
  const { ask, data, make, say } = quantext;
  const own = `/label/${encodeURIComponent(data.name)}`;
  const place = (id) => document.getElementById(id);
  const whole = (number) => number.toLocaleString("en");
  const percent = (share) => `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)}%`;

  const svg = (tag, attributes, ...children) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };

  const bar = (share, low, high) => {
    const picture = svg("svg", { viewBox: "0 0 1000 12", preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("rect", { class: "track", x: 0, y: 0, width: 1000, height: 12 }),
      svg("rect", { class: "interval", x: 1000 * low, y: 0, width: Math.max(1000 * (high - low), 2), height: 12 }));
    if (share !== null) picture.append(svg("rect", { class: "point", x: Math.min(1000 * share, 994), y: 0, width: 6, height: 12 }));
    return picture;
  };

  const drawShares = (now) => {
    place("shares").replaceChildren(...now.names.map((name, k) => make("li", {},
      make("span", { class: "name" }, make("span", {}, name),
        make("strong", { class: "value" }, now.share[k] === null ? "–" : percent(now.share[k]))),
      bar(now.share[k], now.low[k], now.high[k]),
      make("span", { class: "range" },
        make("span", {}, say("label.interval", { low: percent(now.low[k]), high: percent(now.high[k]) })),
        make("span", {}, say("label.examples", { number: whole(now.counts[k]) }))))));
  };

  // Half width of the widest interval against the number of labels, and the one that is asked for.
  const drawHistory = (now) => {
    const points = now.history.filter(([number]) => number >= 5);
    place("history").hidden = points.length < 2;
    if (points.length < 2) return;
    const [width, height, left, bottom] = [330, 120, 42, 100];
    const [first, end] = [points[0][0], points.at(-1)[0]];
    const most = Math.max(...points.map(([, half]) => half), now.target);
    const x = (number) => left + ((width - left - 6) * (number - first)) / Math.max(end - first, 1);
    const y = (half) => bottom - ((bottom - 8) * half) / most;
    const path = points.map(([number, half], i) => `${i ? "L" : "M"}${x(number).toFixed(1)} ${y(half).toFixed(1)}`).join("");
    const label = (half) => `±${(100 * half).toFixed(half < 0.0995 ? 1 : 0).replace(/\.0$/, "")}`;
    const text = (at, anchor, words) => svg("text", { x: at[0], y: at[1], "text-anchor": anchor }, words);
    const pieces = [
      svg("path", { class: "base", d: `M${left} ${bottom}H${width}` }),
      svg("path", { class: "aim", d: `M${left} ${y(now.target)}H${width}` }),
      svg("path", { class: "width", d: path }),
      text([left - 5, y(now.target) + 4], "end", label(now.target)),
      text([left, bottom + 15], "start", whole(first)),
      text([width, bottom + 15], "end", say("label.labels", { number: whole(end) })),
    ];
    if (y(now.target) - y(most) > 14) pieces.push(text([left - 5, y(most) + 4], "end", label(most)));
    const said = say("label.history_said", { from: label(points[0][1]), to: label(points.at(-1)[1]), number: whole(end) });
    place("history-plot").replaceChildren(svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": said }, ...pieces));
  };

  const drawFinished = (names) => {
    if (!names) return;
    const link = (address, words) => make("li", {}, make("a", { href: address }, words));
    const file = (name) => encodeURIComponent(name);
    place("finished").replaceChildren(
      make("p", {}, say("label.finished")),
      make("ul", {},
        link(`/pages/${file(names.page)}`, say("label.open_page")),
        link(`/files/${file(names.page)}`, say("label.take_page", { name: names.page })),
        link(`/files/${file(names.table)}`, say("label.take_table", { name: names.table })),
        link("/files/labels.csv", say("label.take_labels")),
        link("/tables/labels.csv", say("label.train"))));
  };

  const draw = (now) => {
    const points = (100 * now.target).toFixed(1).replace(/\.0$/, "");
    const done = now.labels + now.skipped;
    place("place").textContent = say("label.labelled", { number: whole(now.labels), skipped: whole(now.skipped) });
    place("reached").hidden = !now.reached;
    const key = now.reached ? "label.enough" : now.needed === null ? "label.few" : "label.needed";
    place("needed").textContent = say(key, { number: whole(now.needed ?? 0), points });
    drawShares(now);
    place("lacking").hidden = !now.lacking.length || done < 10;
    place("lacking").textContent = say("label.lacking", { names: now.lacking.join(", ") });
    place("notes").replaceChildren(...now.notes.map((note) => make("p", { class: "note" }, note)));
    drawHistory(now);
    const people = now.people.map(([name, number]) => `${name} (${whole(number)})`);
    place("people").textContent = people.length ? say("label.people", { names: people.join(", ") }) : "";
    place("finish").disabled = !now.labels;
  };

  // After each label; if several come while one is being answered, once more is enough.
  let asking = false;
  let again = false;
  const refresh = async () => {
    again = true;
    if (asking) return;
    asking = true;
    try {
      while (again) {
        again = false;
        draw(await ask("GET", `${own}/shares`));
      }
    } catch (problem) {
      place("needed").textContent = problem.message;
    }
    asking = false;
  };

  place("finish").addEventListener("click", async () => {
    try {
      drawFinished(await ask("POST", `${own}/finish`, {}));
    } catch (problem) {
      place("finished").replaceChildren(make("p", { class: "error" }, problem.message));
    }
  });
  drawFinished(data.finished);

  return { refresh };
})();
