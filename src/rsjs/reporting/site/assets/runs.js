// What is known of a run, shown over the page of its instance at the address #r-ID.
"use strict";

let rsjsKnown = null;

function rsjsFacts(slug, facts) { // called by data/<slug>.js
  rsjsKnown = facts;
}

function rsjsElement(kind, text, name = "") {
  const made = document.createElement(kind);
  made.textContent = text;
  if (name) made.className = name;
  return made;
}

function rsjsRun(dialog, id) {
  const run = rsjsKnown.runs[id];
  dialog.replaceChildren();
  const close = rsjsElement("button", "close", "close");
  close.type = "button";
  close.addEventListener("click", () => dialog.close());
  dialog.append(close, rsjsElement("h2", run ? run.title : `No run ${id} here`));
  if (!run) return;
  if (run.message) dialog.append(rsjsElement("p", run.message, "message"));
  let list = null, before = "";
  rsjsKnown.fields.forEach(([group, label, meaning], i) => {
    if (!run.values[i]) return;
    if (group !== before) {
      list = rsjsElement("dl", "", "plain");
      dialog.append(rsjsElement("h3", group), list);
      before = group;
    }
    const term = rsjsElement("dt", label);
    term.title = meaning;
    list.append(term, rsjsElement("dd", run.values[i]));
  });
  for (const [label, text] of [
    ["record", run.record], ["to repeat it", run.command], ["its last lines", run.log],
  ]) {
    if (text) dialog.append(rsjsElement("h3", label), rsjsElement("pre", text));
  }
}

async function rsjsRunByAddress() {
  const asked = /^#r-(\w+)$/.exec(window.location.hash);
  const dialog = document.getElementById("run");
  if (!asked || !dialog) return;
  if (!rsjsKnown) await rsjsScript(dialog.dataset.facts);
  rsjsRun(dialog, asked[1]);
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
}

document.getElementById("run")?.addEventListener("close", () => {
  window.history.replaceState(null, "", window.location.pathname);
});
window.addEventListener("hashchange", rsjsRunByAddress);
rsjsRunByAddress();
