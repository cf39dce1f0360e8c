// The page that compares methods: starts the work and follows it.
"use strict";
{
  const { ask, data, follow, make } = quantext;
  const place = document.getElementById("job");
  const form = document.getElementById("start");
  const watch = async (job) => {
    if (form) form.hidden = true;
    const ended = await follow(job, place);
    if (form) form.hidden = false;
    if (ended.state === "done") location.reload();
  };

  if (data.job) watch(data.job);
  else if (data.look) watch(data.look);
  if (form) {
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      try {
        await watch(await ask("POST", `/compare/${encodeURIComponent(data.name)}/start`, {}));
      } catch (error) {
        place.replaceChildren(make("p", { class: "error", role: "alert" }, error.message));
      }
    });
    form.querySelector("[type=submit]").disabled = false;
  }
}
