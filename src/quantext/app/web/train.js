// Training: a few options, then progress, then the page of the model.
"use strict";
{
  const { ask, data, follow, make, say } = quantext;
  const place = document.getElementById("job");
  const form = document.getElementById("train");
  const start = form?.querySelector("button");

  const terminal = (command) =>
    make("details", { class: "terminal" }, make("summary", {}, say("common.same_command")), make("pre", {}, make("code", {}, command)));

  const watch = async (job, model) => {
    if (start) start.disabled = true;
    document.getElementById("terminal").replaceChildren(terminal(job.command));
    const ended = await follow(job, place);
    if (start) start.disabled = false;
    if (ended.state === "done") location.href = `/models/${encodeURIComponent(model)}`;
  };

  if (data.looking) follow(data.looking, place).then(() => location.reload());
  if (data.job) watch(data.job, data.model);

  form?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const given = new FormData(form);
    const options = { model: given.get("model").trim(), search: given.has("search") };
    if (given.get("method")) options.method = given.get("method");
    try {
      const begun = await ask("POST", `/train/${encodeURIComponent(data.name)}`, options);
      await watch(begun.job, begun.model);
    } catch (error) {
      place.replaceChildren(make("p", { class: "error", role: "alert" }, error.message));
    }
  });
  if (start) start.disabled = Boolean(data.job);

  // The others come when the page is there: nobody has to wait for them.
  const methods = form?.elements.method;
  if (methods) {
    ask("GET", "/methods").then((all) => {
      const others = all.filter((one) => one.name !== "Adaptive");
      methods.append(
        make("optgroup", { label: say("train.other_methods") }, ...others.map((one) => make("option", { value: one.alias }, `${one.name}: ${one.summary}`))),
      );
      const wanted = all.find((one) => [one.alias, one.name].includes(methods.dataset.chosen));
      if (wanted && wanted.name !== "Adaptive") methods.value = wanted.alias;
      const explain = () => {
        const one = all.find((entry) => entry.alias === methods.value);
        document.getElementById("when").textContent = one ? say("train.method_when", one) : say("train.method_note");
      };
      methods.addEventListener("change", explain);
      explain();
    });
  }
}
