"use strict";
// Documents behind the numbers of the chosen batch, or of all.

(() => {
  const place = (id) => document.getElementById(id);
  const { quotes } = JSON.parse(place("data").textContent);
  const { html } = quantext;
  let classes = quotes.batches[0];

  // The text may be in any script: its own first letter says in which direction it runs.
  const quote = (text) => html("blockquote", { dir: "auto" }, text);
  const draw = () => {
    const quoted = classes.filter(([, , texts]) => texts.length);
    place("quotes-list").replaceChildren(...quoted.slice(0, show(quoted.length)).map(([name, share, texts]) =>
      html("section", {}, html("h3", {}, html("bdi", {}, name), html("span", {}, share)), ...texts.map(quote))));
    const without = classes.filter(([, , texts]) => !texts.length).map(([name]) => `“${quantext.isolated(name)}”`);
    place("quotes-none").hidden = !without.length;
    place("quotes-none").textContent = quoted.length ? `By their scores no documents are put in ${without.join(", ")}.`
      : "By their scores no documents are put in any class.";
  };
  const show = quantext.growing(place("more-quotes"), { first: 12, draw, noun: "classes" });
  const turnTo = (batch) => {
    classes = quotes.batches[batch];
    place("quotes-of").hidden = !quotes.several;
    place("quotes-of").textContent = quantext.estimates.bags[batch];
    draw();
  };
  if (quotes.by_batch) {
    quantext.estimates.onBag(turnTo);
    turnTo(quantext.estimates.bag);
  } else draw();
})();
