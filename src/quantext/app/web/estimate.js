// Counting: what divides the documents, then progress, then the page of results.
"use strict";
{
  const { ask, data, follow, make, say } = quantext;
  const place = document.getElementById("job");
  const asking = document.getElementById("question");
  const form = document.getElementById("estimate");
  const start = form?.querySelector("button[type=submit]");
  const address = `/estimate/${encodeURIComponent(data.name)}`;
  let count = () => {}; // as the form says, once there is one
  const complain = (said) => place.replaceChildren(make("p", { class: "error", role: "alert" }, said));

  const terminal = (command) =>
    make("details", { class: "terminal" }, make("summary", {}, say("common.same_command")), make("pre", {}, make("code", {}, command)));

  const watch = async (job, page) => {
    if (start) start.disabled = true;
    asking.replaceChildren();
    document.getElementById("terminal").replaceChildren(terminal(job.command));
    const ended = await follow(job, place);
    if (start) start.disabled = false;
    if (ended.state === "done") location.href = `/pages/${encodeURIComponent(page)}`;
    const question = ended.state === "failed" ? await ask("GET", `/jobs/${job.number}/question`) : null;
    if (question?.option === "date-format") askDates(question.answers);
  };

  const before = async () => {
    for (const job of data.before) await follow(job, place);
    if (data.before.length) location.reload();
  };
  const others = document.getElementById("others");
  if (others) others.hidden = data.before.length > 0;
  if (data.failed.length) complain(`${say("estimate.not_opened")}: ${data.failed.join("\n")}`);
  before();
  if (data.job) watch(data.job, data.shown);

  if (form) {
    const [first, second] = form.elements.by;
    const formats = form.elements["date-format"];
    const said = (way) => {
      const parts = { "%d": "31", "%m": "12", "%Y": "2024", "%y": "24" };
      const name = { "%d": "estimate.day_first", "%m": "estimate.month_first" }[way.slice(0, 2)] ?? "estimate.date_as";
      return say(name, { way: way.replace(/%[dmYy]/g, (part) => parts[part]) });
    };
    const readings = (ways) => {
      const chosen = formats.value;
      formats.replaceChildren(
        make("option", { value: "" }, say("estimate.date_found")),
        ...ways.map((way) => make("option", { value: way }, said(way))),
      );
      formats.required = ways.length > 0;
      if (ways.includes(chosen)) formats.value = chosen;
    };
    const divided = () => {
      const names = [first.value, first.value ? second.value : ""].filter(Boolean);
      const dated = names.filter((name) => data.dated.includes(name));
      const ways = data.dates && dated.includes(data.dates.name) && data.dates.formats.length > 1 ? data.dates.formats : [];
      document.getElementById("also").hidden = !first.value;
      document.getElementById("periods").hidden = !dated.length;
      document.getElementById("formats").hidden = !ways.length;
      readings(ways);
      return { names, dated: dated.length > 0, ways };
    };
    first.addEventListener("change", divided);
    second.addEventListener("change", divided);
    divided();

    form.elements.model.addEventListener("change", () => {
      location.href = `${address}?model=${encodeURIComponent(form.elements.model.value)}`;
    });
    document.getElementById("add").addEventListener("click", () => {
      const rows = document.querySelectorAll(".condition");
      const another = rows[0].cloneNode(true);
      another.querySelector(".value").value = "";
      rows[rows.length - 1].after(another);
      another.querySelector("select").focus();
    });

    const options = () => {
      const given = new FormData(form);
      const { names, dated, ways } = divided();
      const conditions = [...document.querySelectorAll(".condition")].map((row) =>
        [".column", ".sign", ".value"].map((part) => row.querySelector(part).value),
      );
      const chosen = { model: data.model, page: data.page, quotes: Number(given.get("quotes")) };
      if (given.get("text")) chosen.text = [given.get("text")];
      if (names.length) chosen.by = [...new Set(names)];
      if (dated) chosen.period = given.get("period");
      if (ways.length && given.get("date-format")) chosen["date-format"] = given.get("date-format");
      const where = conditions.filter(([column]) => column).map((parts) => parts.join(""));
      if (where.length) chosen.where = where;
      if (given.get("weight")) chosen.weight = given.get("weight");
      return chosen;
    };
    count = async (more = {}) => {
      try {
        const begun = await ask("POST", address, { ...options(), ...more });
        await watch(begun.job, begun.page);
      } catch (error) {
        complain(error.message);
      }
    };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      count();
    });
    start.disabled = Boolean(data.job);
  }

  const askDates = (answers) => {
    const buttons = answers.map(([way, day]) => make("button", { type: "button", class: "plain", onclick: () => count({ "date-format": way }) }, day));
    asking.replaceChildren(
      make("p", { id: "which" }, say("estimate.which_date")),
      make("p", { class: "answers", role: "group", "aria-labelledby": "which" }, ...buttons),
    );
    buttons[0]?.focus();
  };
}
