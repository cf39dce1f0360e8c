// The page that corrects a model's labels: sends the form, and follows the work.
"use strict";
{
  const { ask, data, follow, make } = quantext;
  const place = document.getElementById("job");
  const form = document.getElementById("start");
  const watch = async (job) => {
    const ended = await follow(job, place);
    if (ended.state === "done") location.reload();
  };

  if (data.job) watch(data.job);
  else if (data.look) watch(data.look);
  if (form) {
    const other = form.elements["truth-file"];
    if (other) {
      other.addEventListener("change", () => {
        location.search = other.value ? `?truths=${encodeURIComponent(other.value)}` : "";
      });
    }
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const options = {};
      for (const [name, value] of new FormData(form)) if (value && value !== "planned") options[name] = value;
      try {
        await watch(await ask("POST", `/correct/${encodeURIComponent(data.name)}/start`, options));
      } catch (error) {
        place.replaceChildren(make("p", { class: "error", role: "alert" }, error.message));
      }
    });
    form.querySelector("[type=submit]").disabled = false;
  }
}
