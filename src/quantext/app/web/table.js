// The page of a table.
"use strict";
{
  const { data, follow } = quantext;
  const place = document.getElementById("job");
  if (data.job) {
    follow(data.job, place).then((job) => {
      if (job.state === "done") location.reload();
    });
  }
}
