// The page of a model: new documents that are dropped here are counted with it.
"use strict";
{
  const { ask, data, follow, say } = quantext;
  if (data.job) follow(data.job, document.getElementById("job")).then((job) => job.state === "done" && location.reload());

  const place = document.getElementById("drop");
  const chosen = document.getElementById("file");
  const status = document.getElementById("dropped");
  const take = async (file) => {
    status.textContent = say("model.uploading", { name: file.name });
    try {
      const kept = await ask("PUT", `/files/${encodeURIComponent(file.name)}`, file);
      const name = encodeURIComponent(kept.name);
      location.href = kept.kind === "table" ? `/estimate/${name}?model=${encodeURIComponent(data.model)}` : `/models/${name}`;
    } catch (error) {
      status.textContent = error.message;
    }
  };
  chosen?.addEventListener("change", () => chosen.files[0] && take(chosen.files[0]));
  place?.addEventListener("dragover", (event) => {
    event.preventDefault();
    place.classList.add("over");
  });
  place?.addEventListener("dragleave", () => place.classList.remove("over"));
  place?.addEventListener("drop", (event) => {
    event.preventDefault();
    place.classList.remove("over");
    if (event.dataTransfer.files[0]) take(event.dataTransfer.files[0]);
  });
}
