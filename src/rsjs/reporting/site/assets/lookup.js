// A run found by its id, or by the sha256 of its solution file: the beginning is enough.
"use strict";

let rsjsRuns = null;

function rsjsIndex(index) { // called by data/index.js
  rsjsRuns = index;
}

const lookup = document.getElementById("lookup");

async function rsjsFind(text) {
  if (!rsjsRuns) await rsjsScript(lookup.dataset.index);
  return rsjsRuns.runs.filter(([id, , digest]) => id.startsWith(text) || (digest && digest.startsWith(text.slice(0, 16))));
}

lookup.addEventListener("input", async () => {
  const text = lookup.elements.id.value.trim().toLowerCase();
  const told = lookup.querySelector("output");
  const found = text.length < 3 ? [] : await rsjsFind(text);
  told.replaceChildren();
  for (const [id, place] of found.slice(0, 10)) {
    const link = document.createElement("a");
    link.href = `instances/${rsjsRuns.slugs[place]}.html#r-${id}`;
    link.textContent = id;
    told.append(link, " ");
  }
  if (text.length >= 3) told.append(found.length ? `${found.length} found` : "no such run");
});
lookup.addEventListener("submit", (event) => {
  event.preventDefault();
  lookup.querySelector("output a")?.click();
});
