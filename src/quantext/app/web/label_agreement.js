// Two people's labels: what counts of a document on which they disagree is settled by a click.
"use strict";
{
  const { ask, data, say } = quantext;
  const error = document.getElementById("error");
  const status = document.getElementById("settled");

  const settle = async (item, labels) => {
    error.hidden = true;
    const row = Number(item.dataset.row);
    const by = localStorage.getItem("by") || say("label.me");
    try {
      await ask("POST", `/label/${encodeURIComponent(data.name)}/settle`, { row, by, labels });
    } catch (problem) {
      error.textContent = problem.message;
      error.hidden = false;
      return;
    }
    const chosen = JSON.stringify(labels);
    for (const button of item.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(JSON.stringify(JSON.parse(button.dataset.labels)) === chosen));
    }
    status.textContent = say("label_agreement.settled_as", { labels: labels.join("; ") || say("label_agreement.none") });
  };

  for (const item of document.querySelectorAll(".differing > li")) {
    const other = item.querySelector("select");
    for (const button of item.querySelectorAll("button")) {
      button.addEventListener("click", () => {
        other.value = "";
        settle(item, JSON.parse(button.dataset.labels));
      });
    }
    other.addEventListener("change", () => other.value && settle(item, [other.value]));
  }
}
