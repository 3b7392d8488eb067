// Tables that are sorted by a click on a heading and filtered by words or by choice.
// An address that ends in #runs=WORDS shows those lines of the table `runs`.
"use strict";

const rsjsTables = new Map();

function rsjsTable(section) {
  const table = section.querySelector("table");
  if (!table || rsjsTables.has(section)) return;
  const body = table.tBodies[0];
  const lines = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];
  const words = document.createElement("input");
  const count = document.createElement("span");
  const choices = [];
  let exact = "";

  function show() {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const line of lines) {
      const text = line.textContent.toLowerCase();
      const fits =
        (exact ? [...line.cells].some((cell) => cell.textContent === exact)
               : wanted.every((word) => text.includes(word))) &&
        choices.every(([at, chosen]) => !chosen.value || line.cells[at].textContent === chosen.value);
      line.hidden = !fits;
      shown += fits;
    }
    count.textContent = shown === lines.length ? `${shown} lines` : `${shown} of ${lines.length} lines`;
  }

  function filter(text) {
    words.value = text;
    const cells = lines.some((line) => [...line.cells].some((cell) => cell.textContent === text));
    exact = text && cells ? text : "";
    show();
  }

  function sort(at) {
    const head = heads[at];
    const down = head.getAttribute("aria-sort") === "ascending";
    const key = (line) => line.cells[at].dataset.k ?? line.cells[at].textContent;
    const missing = (value) => value === "" || value === "–";
    lines.sort((a, b) => {
      const [x, y] = [key(a), key(b)];
      if (missing(x) || missing(y)) return missing(x) - missing(y); // last, up and down
      const difference = Number(x) - Number(y);
      const order = Number.isNaN(difference) ? x.localeCompare(y, "en", { numeric: true }) : difference;
      return down ? -order : order;
    });
    for (const other of heads) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    body.append(...lines);
  }

  heads.forEach((head, at) => {
    if (lines.length < 2 || head.classList.contains("shared")) return; // seconds not for a ranking
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sort(at));
    head.append(button);
    if (!head.hasAttribute("data-choice")) return;
    const values = [...new Set(lines.map((line) => line.cells[at].textContent))].sort();
    if (values.length < 2) return;
    const chosen = document.createElement("select");
    chosen.setAttribute("aria-label", `choose ${button.textContent}`);
    chosen.append(new Option(`any ${button.textContent}`, ""), ...values.map((v) => new Option(v, v)));
    chosen.addEventListener("change", show);
    choices.push([at, chosen]);
  });
  if (lines.length > 5) {
    count.className = "count";
    words.type = "search";
    words.placeholder = "filter";
    words.setAttribute("aria-label", "show lines with these words");
    words.addEventListener("input", () => { exact = ""; show(); });
    const tools = section.querySelector("[data-tools]");
    if (tools) tools.prepend(words, ...choices.map(([, chosen]) => chosen), count);
    show();
  }
  rsjsTables.set(section, filter);
}

function rsjsFilterByAddress() {
  const asked = /^#([\w-]+)=(.*)$/.exec(window.location.hash);
  const section = asked && document.getElementById(asked[1]);
  if (!section || !rsjsTables.has(section)) return;
  rsjsTables.get(section)(decodeURIComponent(asked[2]));
  section.scrollIntoView();
}

document.querySelectorAll("section.table").forEach(rsjsTable);
rsjsFilterByAddress();
window.addEventListener("hashchange", rsjsFilterByAddress);
