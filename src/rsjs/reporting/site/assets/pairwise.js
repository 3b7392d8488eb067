// Two methods of a family that the reader chooses: counts and tests, a picture, all problems.
"use strict";

const pairsHolder = document.getElementById("pairs-data");
const pairsForm = document.getElementById("pair");
const units = { cost: "$", time: "s" };

function element(kind, text = "", name = "") {
  const made = document.createElement(kind);
  made.textContent = text;
  if (name) made.className = name;
  return made;
}

function fill(select, values, chosen) {
  select.replaceChildren(...values.map((value) => new Option(value, value)));
  select.value = values.includes(chosen) ? chosen : values[0];
}

function tested(family, measure, one, other) {
  const pairs = family.pairs[measure];
  const found = pairs[`${one}\n${other}`];
  if (found) return found;
  const reversed = pairs[`${other}\n${one}`];
  if (!reversed) return null; // no problem that both were run on
  const [wins, ties, losses, better, effect, p, holm] = reversed;
  return [losses, ties, wins, 1 - better, -effect, p, holm];
}

const short = (value) => (value === null ? "–" : Number(value.toPrecision(6)).toString());
const chance = (p) => (p < 1e-4 ? "<0.0001" : p.toPrecision(3));

function verdict(family, measure, one, other) {
  const found = tested(family, measure, one, other);
  if (!found) {
    const none = `Not tested: ${one} and ${other} were run on no problem together, or neither is the baseline.`;
    document.getElementById("verdict").replaceChildren(element("p", none, "note"));
    return;
  }
  const [wins, ties, losses, better, effect, p, holm] = found;
  const facts = [
    ["wins", wins], [`ties (within ${pairsHolder.dataset.tie})`, ties], ["losses", losses],
    ["better in the bootstrap", `${(100 * better).toFixed(1)} %`], ["effect", effect.toFixed(2)],
    ["p, Wilcoxon", chance(p)], ["p, Holm", chance(holm)],
  ];
  const list = element("ul", "", "facts");
  for (const [label, value] of facts) {
    const item = element("li");
    item.append(element("strong", String(value)), element("span", label));
    list.append(item);
  }
  const holder = document.getElementById("verdict");
  const told = `Of ${one} against ${other}, by ${measure}.`;
  holder.replaceChildren(list, element("p", told, "note"), element("p", family.notes[measure], "note"));
}

function effort(family, one, other) {
  const section = element("section", "", "table");
  section.id = "effort";
  const table = element("table");
  const head = table.createTHead().insertRow();
  const last = family.labels.length - 1; // the versions are text
  for (const [i, name] of ["method", ...family.labels].entries()) {
    const cell = element("th", name, i && i <= last ? "n" : "");
    cell.scope = "col";
    head.append(cell);
  }
  const body = table.createTBody();
  for (const name of [one, other]) {
    const line = body.insertRow();
    const link = element("a", name);
    link.href = family.pages[name];
    line.insertCell().append(link);
    for (const [i, text] of family.effort[name].entries()) {
      const cell = line.insertCell();
      cell.textContent = text;
      if (i < last) cell.className = "n";
    }
  }
  const scroll = element("div", "", "scroll");
  scroll.tabIndex = 0;
  scroll.append(table);
  const shared = family.shared ? " Seconds were measured beside other runs: not for a ranking." : "";
  section.append(element("h2", "Effort"), scroll,
    element("p", `Medians over all runs of a method; building the model apart from solving.${shared}`, "note"));
  document.getElementById("effort").replaceWith(section);
}

function picture(family, measure, one, other) {
  const [x, y] = [family.values[measure][one], family.values[measure][other]];
  const every = family.problems.map((_, i) => i);
  const both = every.filter((i) => x[i] !== null && y[i] !== null);
  const logarithmic = both.every((i) => x[i] > 0 && y[i] > 0);
  const all = both.flatMap((i) => [x[i], y[i]]);
  const ends = all.length ? [Math.min(...all), Math.max(...all)] : [0, 1];
  const type = logarithmic ? "log" : "linear";
  const title = (name) => ({ text: `${name} [${units[measure]}]` });
  const data = [
    { type: "scatter", mode: "lines", name: "equal", x: ends, y: ends, hoverinfo: "skip",
      line: { color: "#999999", width: 1, dash: "dot" } },
    { type: "scatter", mode: "markers", name: "problems", x: both.map((i) => x[i]),
      y: both.map((i) => y[i]), text: both.map((i) => family.problems[i]),
      customdata: both.map((i) => family.places[i]), marker: { color: "#0072B2", size: 8, opacity: 0.75 },
      hovertemplate: "%{text}<br>%{x:.6g} against %{y:.6g}<extra></extra>" },
  ];
  const left = every.length - both.length;
  document.getElementById("left-out").textContent =
    left ? `${left} of ${every.length} problems are not drawn: a method failed on them, or was not run.` : "";
  const layout = { height: 460, meta: { legend: false }, xaxis: { type, title: title(one) }, yaxis: { type, title: title(other) } };
  rsjsDraw(document.querySelector(".canvas-pair"), { data, layout }, "pair");
}

function problems(family, measure, one, other) {
  const before = document.getElementById("problems");
  const section = element("section", "", "table");
  section.id = "problems";
  const table = element("table");
  const head = table.createTHead().insertRow();
  for (const [i, name] of [family.common || "problem", one, other, "ratio"].entries()) {
    const cell = element("th", name, i ? "n" : "");
    cell.scope = "col";
    head.append(cell);
  }
  const body = table.createTBody();
  family.problems.forEach((problem, i) => {
    const [a, b] = [family.values[measure][one][i], family.values[measure][other][i]];
    const line = body.insertRow();
    const link = element("a", problem);
    link.href = family.places[i];
    line.insertCell().append(link);
    const ratio = a !== null && b !== null && a > 0 ? b / a : null;
    for (const value of [a, b, ratio]) {
      const cell = line.insertCell();
      cell.textContent = short(value);
      cell.className = "n";
    }
  });
  const [tools, scroll] = [element("div", "", "tools"), element("div", "", "scroll")];
  tools.dataset.tools = "";
  scroll.tabIndex = 0;
  scroll.append(table);
  section.append(element("h2", "Problem by problem"), tools, scroll,
    element("p", "–: failed or not run. Ratio: the second method by the first.", "note"));
  before.replaceWith(section);
  rsjsTable(section);
}

if (pairsForm) {
  const known = JSON.parse(pairsHolder.textContent);
  const parts = pairsForm.elements;
  const choose = () => {
    const family = known[parts.family.value];
    const [one, other, measure] = [parts.one.value, parts.other.value, parts.measure.value];
    if (one === other) return;
    verdict(family, measure, one, other);
    effort(family, one, other);
    picture(family, measure, one, other);
    problems(family, measure, one, other);
  };
  const refill = () => {
    const family = known[parts.family.value];
    const [one, other] = [parts.one.value, parts.other.value];
    fill(parts.one, family.methods, one);
    const rest = family.methods.filter((name) => name !== parts.one.value);
    fill(parts.other, rest, other);
    fill(parts.measure, Object.keys(family.values), parts.measure.value);
    choose();
  };
  const asked = decodeURIComponent(window.location.hash.replace("#pair=", ""));
  if (asked in known) parts.family.value = asked;
  pairsForm.addEventListener("change", refill);
  refill();
}
