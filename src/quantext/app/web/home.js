// The first page: files that are dropped or chosen go to the folder, then their own page opens.
"use strict";
{
  const { ask, say } = quantext;
  const place = document.getElementById("drop");
  const chosen = document.getElementById("file");
  const status = document.getElementById("dropped");

  const take = async (file) => {
    status.textContent = say("home.uploading", { name: file.name });
    try {
      const kept = await ask("PUT", `/files/${encodeURIComponent(file.name)}`, file);
      location.href = `/${kept.kind}s/${encodeURIComponent(kept.name)}`;
    } catch (error) {
      status.textContent = error.message;
    }
  };

  chosen.addEventListener("change", () => chosen.files[0] && take(chosen.files[0]));
  place.addEventListener("dragover", (event) => {
    event.preventDefault();
    place.classList.add("over");
  });
  place.addEventListener("dragleave", () => place.classList.remove("over"));
  place.addEventListener("drop", (event) => {
    event.preventDefault();
    place.classList.remove("over");
    if (event.dataTransfer.files[0]) take(event.dataTransfer.files[0]);
  });
}
