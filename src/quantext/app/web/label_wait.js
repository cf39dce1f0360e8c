// Documents are being prepared for labelling.
"use strict";
{
  const { ask, data, follow } = quantext;
  const place = document.getElementById("job");
  const again = document.getElementById("again");

  const wait = async (job) => {
    again.hidden = true;
    const ended = await follow(job, place);
    if (ended.state === "done") location.replace(location.pathname);
    else again.hidden = false;
  };

  document.getElementById("prepare").addEventListener("click", async () => {
    const told = await ask("POST", `/label/${encodeURIComponent(data.name)}/prepare`, {});
    if (told.job) wait(told.job);
    else location.replace(location.pathname);
  });
  if (data.job) wait(data.job);
  else again.hidden = false;
}
