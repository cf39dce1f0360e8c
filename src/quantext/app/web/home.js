// The first page: files that are dropped or chosen go to the folder, then their own page opens.
"use strict";
{
  const { ask, make, say } = quantext;
  const place = document.getElementById("drop");
  const chosen = document.getElementById("file");
  const status = document.getElementById("dropped");
  const example = document.getElementById("example");

  const open = (kept) => {
    location.href = `/${kept.kind}s/${encodeURIComponent(kept.name)}`;
  };

  // Sends a file, with progress and a way to stop; what it is called then, or null if it was not taken.
  const send = (file) =>
    new Promise((resolve) => {
      const request = new XMLHttpRequest();
      const line = make("span");
      const bar = make("progress", { max: 100, value: 0, "aria-label": file.name });
      const stop = make("button", { type: "button", class: "plain", onclick: () => request.abort() }, say("common.cancel"));
      const row = make("div", { class: "sending" }, make("p", { class: "stage" }, line, stop), bar);
      const refuse = (why) => {
        row.replaceChildren(make("p", { class: "error" }, why));
        resolve(null);
      };
      const show = (percent) => {
        line.textContent = say("home.uploading", { name: file.name, percent });
        bar.value = percent;
      };
      show(0);
      status.append(row);
      request.upload.addEventListener("progress", (event) => show(Math.floor((100 * event.loaded) / event.total)));
      request.addEventListener("abort", () => refuse(say("home.stopped", { name: file.name })));
      request.addEventListener("error", () => refuse(say("home.stopped", { name: file.name })));
      request.addEventListener("load", () => {
        let told;
        try {
          told = JSON.parse(request.responseText);
        } catch {
          told = { error: request.responseText };
        }
        if (request.status === 201) resolve(told);
        else refuse(told.error);
      });
      request.open("PUT", `/files/${encodeURIComponent(file.name)}`);
      request.send(file);
    });

  const take = async (files) => {
    status.replaceChildren();
    const kept = [];
    for (const file of files) kept.push(await send(file));
    const taken = kept.filter((one) => one !== null);
    if (taken.length === 1 && kept.length === 1) open(taken[0]);
    else if (taken.length === kept.length && taken.length) location.reload();
  };

  chosen.addEventListener("change", () => take([...chosen.files]));
  // A file that misses the frame would replace the page.
  for (const event of ["dragover", "drop"]) document.addEventListener(event, (dropped) => dropped.preventDefault());
  place.addEventListener("dragover", () => place.classList.add("over"));
  place.addEventListener("dragleave", () => place.classList.remove("over"));
  place.addEventListener("drop", (event) => {
    place.classList.remove("over");
    take([...event.dataTransfer.files]);
  });

  if (example) {
    example.addEventListener("click", async () => {
      example.disabled = true;
      status.textContent = say("home.example_working");
      try {
        open(await ask("POST", "/example", {}));
      } catch (error) {
        status.textContent = error.message;
        example.disabled = false;
      }
    });
  }
}
