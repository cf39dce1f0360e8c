// The search of the site is a worker, and browsers start none for a page that is opened from the
// disk. There, a frame without a view runs its script instead. Served pages have the browser's own.
//
// Material's offline plugin would take a script of this kind from another host; it takes none if
// one of `polyfills` in mkdocs.yml has this file's name.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(script) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.srcdoc = "<!doctype html><html lang=en><title>Search</title></html>";
      this.started = new Promise((resolve, reject) => {
        frame.onload = () => {
          const inside = frame.contentWindow;
          inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
          const element = inside.document.createElement("script");
          element.onload = () => resolve(inside);
          element.onerror = () => reject(new Error(`${script} does not load`));
          element.src = script;
          inside.document.head.append(element);
        };
      });
      document.body.append(frame);
    }

    async postMessage(data) {
      const inside = await this.started;
      inside.dispatchEvent(new inside.MessageEvent("message", { data }));
    }
  };
}
