// The screen for labelling: one document at a time. The next one shows when the label is on the disk.
"use strict";
{
  const { ask, data, follow, make, panel, say } = quantext;
  const own = `/label/${encodeURIComponent(data.name)}`;
  const place = (id) => document.getElementById(id);
  const [shown, answers, notice, error, note] = ["document", "answers", "notice", "error", "note"].map(place);

  let queue = []; // documents to label; the first one is shown
  let last = null; // the one that was labelled last, which can be taken back
  let waves = 0;
  let busy = true; // while a label is on its way, keys do nothing: they were for what is shown

  const by = place("by");
  by.value = localStorage.getItem("by") || say("label.me");

  const buttons = data.classes.map((name, k) =>
    make(
      "button",
      { type: "button", "aria-keyshortcuts": data.keys[k], "aria-pressed": "false", onclick: () => choose(k) },
      make("kbd", { "aria-hidden": "true" }, data.keys[k]),
      make("span", {}, name),
    ),
  );
  answers.append(...buttons);

  const pressed = () => data.classes.filter((_, k) => buttons[k].getAttribute("aria-pressed") === "true");
  const press = (names) => {
    buttons.forEach((button, k) => {
      button.setAttribute("aria-pressed", String(names.includes(data.classes[k])));
    });
  };

  const failed = (problem) => {
    error.textContent = problem ? problem.message : "";
    error.hidden = !problem;
  };

  const act = async (work) => {
    if (busy) return;
    busy = true;
    failed(null);
    try {
      await work();
    } catch (problem) {
      failed(problem);
    }
    busy = false;
  };

  const showNote = (open) => {
    place("note-place").hidden = !open;
    place("noting").setAttribute("aria-expanded", String(open));
  };

  const show = () => {
    const current = queue[0];
    shown.classList.toggle("quiet", !current);
    note.value = "";
    showNote(false);
    if (!current) return;
    shown.textContent = current.text;
    if (current.cut) shown.append(make("p", { class: "note" }, say("label.cut", { letters: current.cut.toLocaleString("en") })));
    shown.scrollTop = 0;
    press(current.labels || []);
  };

  // Documents that wait for this person. If there are none, they are being drawn, or all are labelled.
  const load = async (again = "") => {
    const told = await ask("GET", `${own}/documents?by=${encodeURIComponent(by.value)}${again}`);
    queue = told.documents;
    last = told.last;
    place("undo").disabled = !last;
    offer(told.outdated);
    show();
    if (queue.length) return;
    if (told.learning) {
      shown.replaceChildren(make("p", {}, say("label.learning")));
      const line = shown.appendChild(make("div", { class: "job" }));
      await follow(told.learning, line);
      await load();
    } else if (told.failed) {
      const retry = make("button", { type: "button", class: "plain", onclick: () => act(() => load("&again")) }, say("label.again"));
      shown.replaceChildren(make("p", { class: "error" }, told.failed), retry);
    } else {
      shown.replaceChildren(make("p", {}, say("label.all_done")));
    }
  };

  // More documents were drawn meanwhile: what is shown stays.
  const extend = async () => {
    const told = await ask("GET", `${own}/documents?by=${encodeURIComponent(by.value)}`);
    const there = new Set(queue.map(({ row }) => row));
    queue.push(...told.documents.filter(({ row }) => !there.has(row) && row !== last?.row));
  };

  // Documents that were labelled before a class was added may be of that class.
  const offer = (outdated) => {
    notice.replaceChildren();
    if (!outdated.length) return;
    const look = () => {
      queue = [...outdated, ...queue];
      notice.replaceChildren();
      show();
      shown.focus();
    };
    notice.append(
      make("div", { class: "notice" },
        make("p", {}, say("label.outdated", { number: outdated.length.toLocaleString("en") })),
        make("button", { type: "button", class: "plain", onclick: look }, say("label.look_again")),
      ),
    );
  };

  const answer = (labels) =>
    act(async () => {
      const current = queue[0];
      if (!current) return;
      const told = await ask("POST", `${own}/labels`, { row: current.row, by: by.value, labels, note: note.value });
      last = { ...current, labels };
      queue.shift();
      place("undo").disabled = false;
      place("fresh")?.remove();
      const more = told.waves > waves;
      waves = told.waves;
      show();
      panel.refresh();
      if (!queue.length) await load();
      else if (more || queue.length === 5) extend();
    });

  const choose = (k) => {
    if (!data.several) answer([data.classes[k]]);
    else if (!busy && queue.length) buttons[k].setAttribute("aria-pressed", String(!pressed().includes(data.classes[k])));
  };

  const undo = () =>
    act(async () => {
      if (!last) return;
      const row = last.row;
      const labels = last.labels;
      await ask("POST", `${own}/undo`, { row, by: by.value });
      await load();
      const at = queue.findIndex((one) => one.row === row);
      if (at > 0) queue.unshift(...queue.splice(at, 1));
      show();
      if (data.several) press(labels || []);
      panel.refresh();
    });

  const enter = () => {
    if (data.several) answer(pressed());
    else if (queue[0]?.labels) answer(queue[0].labels); // looked at again, and left as it was
  };

  const startNote = () => {
    showNote(true);
    note.focus();
  };

  place("skip").addEventListener("click", () => answer(null));
  place("undo").addEventListener("click", undo);
  place("next")?.addEventListener("click", enter);
  place("noting").addEventListener("click", startNote);
  note.addEventListener("keydown", (event) => {
    if (event.key === "Escape" || (event.key === "Enter" && !event.shiftKey)) {
      event.preventDefault();
      shown.focus();
    }
  });

  const toggles = (target) => data.several && answers.contains(target); // there Enter means next

  document.addEventListener("keydown", (event) => {
    const writing = event.target.closest("input, textarea, select");
    if (writing || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    const key = event.key.toLowerCase();
    const act = { s: () => answer(null), u: undo, n: startNote }[key];
    if (data.keys.includes(key)) choose(data.keys.indexOf(key));
    else if (act) act();
    else if (key === "enter" && (toggles(event.target) || !event.target.closest("button, a, summary"))) enter();
    else return;
    event.preventDefault();
  });

  by.addEventListener("change", () => {
    if (!by.value.trim()) by.value = say("label.me");
    by.value = by.value.trim();
    localStorage.setItem("by", by.value);
    const turn = () => (busy ? setTimeout(turn, 50) : act(load));
    turn();
  });

  place("adding").addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await ask("POST", `${own}/classes`, { name: place("added").value });
      location.reload();
    } catch (problem) {
      failed(problem);
    }
  });

  busy = false;
  act(load).then(panel.refresh);
}
