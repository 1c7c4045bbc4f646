// The view of the diagram to take away: as SVG, as a table, as the text of a figure, on paper.

// What makes a name of a file: of other signs, nothing.
const fileName = (text) => text.replace(/[^\p{L}\p{N} ._+=()-]/gu, "").trim() || "view";

function viewName(diagram) {
  const { figure } = diagram;
  return fileName(figure ? figure.figure + (figure.part === null ? "" : ` ${figure.part}`) : `${diagram.columns.join(" ")} over ${diagram.xName}`);
}

function svgOf(diagram, size) {
  const svg = drawnAsVector(diagram.plot, viewName(diagram), size, () => diagram.paint());
  // The frame is that of the screen again.
  diagram.paint();
  return svg;
}

// A number in the digits that read back to it, as in the tables of a run.
function exact(value) {
  if (Number.isNaN(value)) return "";
  return Number.isFinite(value) ? String(value) : value > 0 ? "inf" : "-inf";
}

// All columns of the points in view.
function csvOf(diagram) {
  const { model } = diagram;
  const names = model.columns.filter((column) => model.curves.some((curve) => curve.columns[column.name] !== undefined)).map((column) => column.name);
  const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = [names.includes("curve") ? names : ["curve", ...names.filter((name) => name !== "curve")]];
  for (const curve of model.curves) {
    for (let row = 0; row < curve.rows; row++) {
      if (!diagram.inView(curve, row)) continue;
      lines.push(lines[0].map((name) => {
        if (name === "curve") return curve.name;
        const value = curve.columns[name]?.[row];
        return value === undefined ? "" : typeof value === "number" ? exact(value) : String(value);
      }));
    }
  }
  return lines.map((cells) => cells.map(quoted).join(",")).join("\n") + "\n";
}

// A text in quotation marks, as RON has it.
const ronText = (text) => `"${text.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n")}"`;
const ronList = (texts) => `[${texts.map(ronText).join(", ")}]`;

const ronRange = (low, high) => `(${low}, ${high})`;

// The text of a figure that `slipstick plot` draws like this view.
function ronOf(diagram) {
  const { model, plot, figure } = diagram;
  const { x0, x1, y0, y1 } = plot.view;
  const value = (axis, at) => (plot[axis].log ? 10 ** at : at);
  const logs = ["x", "y"].filter((axis) => plot[axis].log).map((axis) => axis.toUpperCase());
  const shown = model.curves.filter((curve) => !diagram.hidden.has(curve.at) && diagram.traces.some((trace) => trace.curve === curve));
  const lines = [
    `name: ${ronText(`${viewName(diagram)} view`)}`,
    `x: ${ronText(diagram.xName)}`,
    `y: ${ronList(diagram.columns)}`,
    `of: ${ronList(shown.map((curve) => curve.name))}`,
    ...(logs.length > 0 ? [`log: [${logs.join(", ")}]`] : []),
    `x_range: ${ronRange(value("x", x0), value("x", x1))}`,
    `y_range: ${ronRange(value("y", y0), value("y", y1))}`,
  ];
  // Labels that are filtered out are not marked in print.
  const besides = (figure?.besides ?? "").split("\n").filter((line) => line !== "");
  if (diagram.unmarked.size > 0) {
    const labels = new Set(shown.flatMap((curve) => diagram.marked(curve)).filter((mark) => mark.named).map((mark) => mark.label));
    lines.push(labels.size > 0 ? `mark: Only(${ronList([...labels])})` : "mark: None");
  }
  const kept = besides.filter((line) => !(diagram.unmarked.size > 0 && line.trimStart().startsWith("mark:")));
  return `Diagram(\n${lines.map((line) => `    ${line},\n`).join("")}${kept.map((line) => `${line}\n`).join("")})\n`;
}

// Let the browser save a text as a file.
function download(name, text, type) {
  const link = create("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// Copy a text, and show what was copied.
async function copy(text) {
  const told = document.getElementById("copied");
  told.hidden = false;
  document.getElementById("copied-text").textContent = text;
  try {
    await navigator.clipboard.writeText(text);
    document.getElementById("copied-title").textContent = "Copied:";
  } catch {
    document.getElementById("copied-title").textContent = "To be copied by hand:";
  }
}

// An SVG as an element of the page.
const svgElement = (text) => document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);

// On paper the diagram and the panes of the point are vector drawings, in light colours.
function printAsVector(diagram, point, redraw) {
  const panes = [point.time, point.plane, point.space, point.circle, point.stems];
  const root = document.documentElement;
  let theme;
  window.addEventListener("beforeprint", () => {
    theme = root.dataset.theme;
    root.dataset.theme = "light";
    redraw();
    const drawn = [[diagram.canvas, svgOf(diagram)]];
    for (const { plot } of panes) {
      if (!plot.canvas.hidden && point.curve !== undefined) drawn.push([plot.canvas, drawnAsVector(plot, plot.canvas.id, undefined, () => point.paint())]);
    }
    for (const [canvas, svg] of drawn) {
      const element = svgElement(svg);
      element.setAttribute("class", "printed");
      canvas.after(element);
    }
    point.paint();
  });
  window.addEventListener("afterprint", () => {
    document.querySelectorAll("svg.printed").forEach((svg) => svg.remove());
    if (theme === undefined) delete root.dataset.theme;
    else root.dataset.theme = theme;
    redraw();
  });
}
