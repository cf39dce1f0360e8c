// The page of a table: what its columns are for can be changed, and how it is read.
"use strict";
{
  const { ask, data, follow, make, say } = quantext;
  const place = document.getElementById("job");
  const address = `/tables/${encodeURIComponent(data.name)}`;

  const shown = async (job) => {
    for (const part of document.querySelectorAll("main > section, main > details")) part.inert = true;
    await follow(job, place);
    location.reload();
  };
  const lookAgain = async (given) => {
    try {
      await shown(await ask("POST", `${address}/look`, given));
    } catch (error) {
      place.replaceChildren(make("p", { class: "error", role: "alert" }, error.message));
    }
  };
  const choose = (given) => ask("PUT", `${address}/choices`, given);

  if (data.job) shown(data.job);

  // Columns: what texts and labels are needs another look, what dates are does not.
  const roles = [...document.querySelectorAll("select.role")];
  const columnsAs = (role) => roles.filter((one) => one.value === role).map((one) => one.dataset.column);
  const chosen = () => ({
    text: columnsAs("text"),
    label: columnsAs("label")[0] ?? null,
    date: columnsAs("date")[0] ?? null,
    proxy: columnsAs("proxy")[0] ?? null,
  });
  const read = () => {
    const form = new FormData(document.getElementById("reading"));
    const given = {};
    for (const name of ["sheet", "encoding"]) if (form.get(name).trim()) given[name] = form.get(name).trim();
    if (form.get("header-row")) given["header-row"] = Number(form.get("header-row"));
    return given;
  };
  const same = (a, b) => JSON.stringify([a.text, a.label, a.proxy]) === JSON.stringify([b.text, b.label, b.proxy]);
  const before = roles.length ? chosen() : null;
  for (const select of roles) {
    select.addEventListener("change", () => {
      if (select.value && select.value !== "text") {
        for (const other of roles) if (other !== select && other.value === select.value) other.value = "";
      }
      const now = chosen();
      const changed = !same(now, before);
      document.getElementById("again").hidden = !changed;
      document.getElementById("unlooked").hidden = !changed;
      if (!changed) choose({ date: now.date });
    });
  }
  document.getElementById("roles")?.addEventListener("submit", (event) => {
    event.preventDefault();
    lookAgain({ ...chosen(), ...read() });
  });

  // What the labels are like is kept as soon as it is chosen.
  const settings = document.getElementById("settings");
  settings?.addEventListener("submit", (event) => event.preventDefault());
  settings?.addEventListener("change", async () => {
    const form = new FormData(settings);
    await choose({
      separator: form.get("separator") || null,
      stemmer: form.get("stemmer") || null,
      "merge-labels": form.has("merge-labels"),
    });
    document.getElementById("saved").textContent = say("table.saved");
  });
  const leaving = [...document.querySelectorAll("input.leave")];
  for (const box of leaving) {
    box.addEventListener("change", () =>
      choose({ where: leaving.filter((one) => one.checked).flatMap((one) => JSON.parse(one.dataset.where)) }),
    );
  }

  // Another way of reading may show other columns, so what they are for is guessed anew.
  document.getElementById("reading")?.addEventListener("submit", (event) => {
    event.preventDefault();
    lookAgain(read());
  });
  if (data.question) {
    const answers = data.question.answers.map(([value, means]) =>
      make("button", { type: "button", class: "plain", onclick: () => lookAgain({ ...read(), [data.question.option]: value }) }, means),
    );
    document
      .getElementById("question")
      .append(make("p", { id: "which" }, say("table.which_sheet")), make("p", { class: "answers", role: "group", "aria-labelledby": "which" }, ...answers));
  }
}
