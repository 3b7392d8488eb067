// Figures: plotly.js is loaded when the first of them comes into view, each is drawn when it does.
"use strict";

const rsjsDashes = { solid: "", dash: "6 3", dot: "2 3", dashdot: "6 3 2 3" };
const rsjsDark = window.matchMedia("(prefers-color-scheme: dark)");
const rsjsDrawn = new Map();
let rsjsPlotly = null;

function rsjsScript(path) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = path;
    script.onload = resolve;
    script.onerror = () => reject(new Error(`${path} is not there`));
    document.head.append(script);
  });
}

function rsjsColour(name) {
  return window.getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function rsjsThemed(spec) {
  const { data, layout } = JSON.parse(JSON.stringify(spec));
  const [ink, grid] = [rsjsColour("--ink"), rsjsColour("--line")];
  for (const trace of data) {
    for (const part of [trace.line, trace.marker]) {
      if (part && part.color === "#000000") part.color = ink; // black, on dark paper
    }
  }
  for (const axis of ["xaxis", "yaxis"]) {
    layout[axis] = { gridcolor: grid, linecolor: grid, zeroline: false, automargin: true, ...layout[axis] };
  }
  return {
    data,
    layout: {
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", hovermode: "closest",
      font: { color: ink, family: "inherit", size: 12 }, showlegend: false, dragmode: "zoom",
      margin: { l: 60, r: 12, t: 34, b: 50 },
      modebar: { bgcolor: "rgba(0,0,0,0)", color: rsjsColour("--faint"), activecolor: ink },
      hoverlabel: { bgcolor: rsjsColour("--panel"), font: { color: ink } },
      ...layout,
    },
  };
}

async function rsjsDraw(canvas, spec, name) {
  rsjsPlotly ??= rsjsScript(`${document.documentElement.dataset.root}assets/plotly.min.js`);
  await rsjsPlotly;
  const { data, layout } = rsjsThemed(spec);
  for (const axis of [layout.xaxis, layout.yaxis]) { // titles that are longer than the axis
    const wide = Math.max(20, Math.floor(canvas.clientWidth / 14));
    const words = new RegExp(`(.{1,${wide}})(\\s|$)`, "g");
    if (axis.title?.text) axis.title.text = axis.title.text.replace(words, "$1<br>").replace(/<br>$/, "");
  }
  const config = {
    responsive: true, displaylogo: false,
    modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"],
    toImageButtonOptions: { format: "svg", filename: name },
  };
  await window.Plotly.react(canvas, data, layout, config);
  if (!rsjsDrawn.has(canvas)) {
    canvas.on("plotly_click", ({ points }) => {
      const place = points[0].customdata;
      if (place) window.location.href = document.documentElement.dataset.root + place;
    });
  }
  rsjsDrawn.set(canvas, { spec, name });
  rsjsLegend(canvas, data, layout);
}

function rsjsLegend(canvas, data, layout) {
  const groups = new Map();
  data.forEach((trace, i) => {
    if (!trace.name) return;
    const group = groups.get(trace.name) ?? { trace, places: [] };
    group.places.push(i);
    groups.set(trace.name, group);
  });
  canvas.parentElement.querySelector(".legend-buttons")?.remove();
  if (groups.size < 2 || layout.meta?.legend === false) return;
  const legend = document.createElement("div");
  legend.className = "legend-buttons";
  for (const [name, { trace, places }] of groups) {
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-pressed", String(trace.visible !== "legendonly"));
    button.innerHTML = '<svg width="22" height="8" aria-hidden="true"><line x2="22" y1="4" y2="4" stroke-width="3"/></svg>';
    const line = button.querySelector("line");
    line.setAttribute("stroke", trace.line?.color ?? trace.marker?.color ?? "currentColor");
    line.setAttribute("stroke-dasharray", rsjsDashes[trace.line?.dash] ?? "");
    button.append(name);
    button.addEventListener("click", () => {
      const shown = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(shown));
      window.Plotly.restyle(canvas, { visible: shown ? true : "legendonly" }, places);
    });
    legend.append(button);
  }
  canvas.before(legend);
}

const rsjsSeen = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    rsjsSeen.unobserve(target);
    const text = target.parentElement.querySelector('script[type="application/json"]').textContent;
    rsjsDraw(target, JSON.parse(text), target.parentElement.id);
  }
}, { rootMargin: "300px" });

document.querySelectorAll(".canvas").forEach((canvas) => rsjsSeen.observe(canvas));
rsjsDark.addEventListener("change", () => {
  for (const [canvas, { spec, name }] of rsjsDrawn) rsjsDraw(canvas, spec, name);
});
