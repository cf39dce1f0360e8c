// The question: which texts, which classes, how sure.
"use strict";
{
  const { ask, data, follow } = quantext;
  const form = document.getElementById("question");
  if (data.job) {
    follow(data.job, document.getElementById("job")).then((job) => {
      if (job.state === "done") location.reload();
    });
  }
  form?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const error = document.getElementById("error");
    error.hidden = true;
    const given = new FormData(form);
    try {
      await ask("POST", `/label/${encodeURIComponent(data.name)}/begin`, {
        text: given.getAll("text"),
        classes: document.getElementById("classes").value.split("\n"),
        several: given.get("several") === "several",
        target: Number(document.getElementById("target").value),
        proxy: document.getElementById("proxy").value,
      });
      location.assign(location.pathname);
    } catch (problem) {
      error.textContent = problem.message;
      error.hidden = false;
    }
  });
}
