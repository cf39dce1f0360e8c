// What all pages of the app share: sentences, requests, jobs, a lost connection, light and dark.
"use strict";

globalThis.quantext = (() => {
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const sentences = read("say");
  const data = read("data");

  // A sentence by its name, as "home.drop", with its {parts} filled in.
  const say = (name, parts = {}) => {
    const [page, key] = name.split(".");
    const sentence = sentences[page][key];
    return sentence.replace(/\{(\w+)\}/g, (whole, part) => (part in parts ? String(parts[part]) : whole));
  };

  // An element with attributes and children; texts of others only ever become text.
  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name === "onclick") element.addEventListener("click", value);
      else if (value === true) element.setAttribute(name, "");
      else if (value !== false && value !== null) element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
  };

  const lost = document.getElementById("lost");
  const connected = (is) => {
    if (lost.hidden === is) return;
    lost.hidden = is;
    lost.textContent = is ? "" : say("common.lost");
  };

  const pause = (milliseconds) => new Promise((resume) => setTimeout(resume, milliseconds));

  // The answer to a request as JSON. While the server is away it is asked again, if that is safe:
  // what changes something must be such that twice is as good as once.
  const ask = async (method, path, body = null) => {
    const options = { method, headers: {} };
    if (body !== null) {
      options.body = body instanceof Blob ? body : JSON.stringify(body);
    }
    for (;;) {
      let answer;
      try {
        answer = await fetch(path, options);
        if (answer.status === 503) throw new Error(answer.statusText); // too many at once
      } catch {
        connected(false);
        await pause(1000);
        continue;
      }
      connected(true);
      const told = await answer.json().catch(() => ({ error: answer.statusText }));
      if (!answer.ok) throw new Error(told.error);
      return told;
    }
  };

  const followed = new Set();
  const stopper = (job) =>
    make(
      "button",
      { type: "button", class: "plain", onclick: () => ask("POST", `/jobs/${job.number}/cancel`) },
      say("common.cancel"),
    );

  // Shows a job in an element until it has ended, and returns what became of it.
  const follow = async (job, place) => {
    const bar = make("progress", { "aria-label": say("common.working") });
    const stage = make("span");
    place.replaceChildren(make("p", { class: "stage" }, stage, stopper(job)), bar);
    followed.add(job.number);
    let now = job;
    while (!now.ended) {
      stage.textContent = now.state === "waiting" ? say("common.waiting") : `${now.stage || say("common.working")}`;
      if (now.total) {
        bar.max = now.total;
        bar.value = now.done;
      } else {
        bar.removeAttribute("value");
      }
      await pause(300);
      now = await ask("GET", `/jobs/${job.number}`);
    }
    place.replaceChildren();
    if (now.state === "failed") place.append(make("p", { class: "error", role: "alert" }, now.said));
    if (now.state === "cancelled") place.append(make("p", { role: "status" }, say("common.cancelled")));
    if (now.state === "interrupted") place.append(make("p", { role: "status" }, say("common.interrupted")));
    return now;
  };

  // What is being done, in the bar of every page; a page that follows a job shows it by itself.
  const running = document.getElementById("running");
  const watch = async () => {
    for (;;) {
      const jobs = (await ask("GET", "/jobs")).filter((job) => !followed.has(job.number));
      running.hidden = jobs.length === 0;
      running.replaceChildren();
      for (const job of jobs.slice(0, 1)) {
        const what = say(`kinds.${job.kind}`, { about: job.about });
        const share = job.total ? ` (${Math.floor((100 * job.done) / job.total)}%)` : "";
        running.append(say("common.running", { what }) + share, " ", stopper(job));
      }
      await pause(jobs.length ? 1000 : 4000);
    }
  };

  const theme = document.getElementById("theme");
  const kept = localStorage.getItem("theme");
  if (kept) document.documentElement.dataset.theme = kept;
  theme.addEventListener("click", () => {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const shown = document.documentElement.dataset.theme || (dark ? "dark" : "light");
    const next = shown === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    localStorage.setItem("theme", next);
  });

  watch();

  return { ask, data, follow, make, pause, say };
})();
