// The page: controls, tables of contents, keys.

function start() {
  const element = (id) => document.getElementById(id);
  const model = unpack(JSON.parse(element("payload").textContent));
  const without = model.curves.every((curve) => curve.rows === 0);
  for (const id of ["diagram-section", "special-section", "point-section", "curves-section"]) element(id).hidden = without;
  element("cells-section").hidden = model.cells.length === 0;
  const cells = model.cells.map((one) => new CellsView(model, one, element("cells")));
  for (const link of document.querySelectorAll("nav a")) link.hidden = (element(link.hash.slice(1))?.hidden ?? true);
  document.querySelector("main").hidden = without;
  const point = new PointView(model);
  const diagram = new Diagram(model, element("diagram"), element("tip"), select);

  function select(curve, row, follow = true) {
    if (diagram.hidden.has(curve.at)) toggle(curve.at, true);
    diagram.select(curve, row, follow);
    point.show(curve, row);
    for (const line of element("special").tBodies[0].rows) {
      const here = line.dataset.point === `${curve.at}:${curve.columns.index[row]}`;
      if (here) line.setAttribute("aria-current", "true");
      else line.removeAttribute("aria-current");
    }
  }

  // Axes.
  const numbers = model.columns.filter((column) => column.number).map((column) => column.name);
  const axes = { x: element("x-column"), y: element("y-column"), xLog: element("x-log"), yLog: element("y-log") };
  for (const choice of [axes.x, axes.y]) choice.replaceChildren(...numbers.map((name) => new Option(name, name)));
  const apply = () => {
    diagram.show(axes.x.value, axes.y.value, axes.xLog.checked, axes.yLog.checked);
    Object.assign(document.body.dataset, { x: axes.x.value, y: axes.y.value });
  };
  for (const control of Object.values(axes)) control.addEventListener("change", apply);

  // Views: the diagrams of the study.
  const preset = element("preset");
  preset.replaceChildren(...model.views.map((view, at) => new Option(view.name, at)));
  element("preset-box").hidden = model.views.length < 2;
  const useView = (view) => {
    axes.x.value = view.x;
    axes.y.value = view.y;
    axes.xLog.checked = view.log_x;
    axes.yLog.checked = view.log_y;
    apply();
    diagram.frame(view.x_range, view.y_range);
  };
  preset.addEventListener("change", () => useView(model.views[preset.value]));

  // Curves.
  const boxes = model.curves.map((curve) => {
    const label = document.createElement("label");
    const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: true });
    const swatch = Object.assign(document.createElement("span"), { className: "swatch" });
    swatch.style.borderColor = `var(--curve${curve.at % 7})`;
    label.append(box, swatch, curve.name);
    element("curve-toggles").append(label);
    box.addEventListener("change", () => toggle(curve.at, box.checked));
    return box;
  });
  function toggle(at, shown) {
    boxes[at].checked = shown;
    if (shown) diagram.hidden.delete(at);
    else diagram.hidden.add(at);
    diagram.draw();
  }

  fillTables(model, element, select);

  // Buttons and keys.
  element("fit").addEventListener("click", () => diagram.fit());
  element("zoom-in").addEventListener("click", () => diagram.zoom(0.7));
  element("zoom-out").addEventListener("click", () => diagram.zoom(1 / 0.7));
  element("theme").addEventListener("click", () => {
    const dark = getComputedStyle(document.documentElement).getPropertyValue("--paper").trim() !== "#ffffff";
    document.documentElement.dataset.theme = dark ? "light" : "dark";
    redraw();
  });
  const redraw = () => {
    diagram.draw();
    point.paint();
    for (const view of cells) view.draw();
  };
  window.addEventListener("resize", redraw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  diagram.canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (pressed(event.key, model, diagram, select)) event.preventDefault();
  });

  // For scripts: where a row of a curve is on the canvas, and a drawing at once.
  diagram.canvas.placeOf = (name, row) => diagram.placeOf(model.curves.find((curve) => curve.name === name), row);
  diagram.canvas.drawNow = () => {
    diagram.paint();
    return 1;
  };

  if (model.views.length > 0) useView(model.views[0]);
  // The view stays what the study asks for, wherever the point lies that is shown first.
  const first = firstPoint(model, diagram);
  if (first !== null) select(first.curve, first.row, false);
  for (const view of cells) view.paint();
  document.body.dataset.ready = "true";
}

// Where there is most to see: a point in view whose orbit is stored, a point in view, any point.
function firstPoint(model, diagram) {
  const stored = model.orbits.map((orbit) => ({ curve: model.curves[orbit.curve], row: rowOf(model.curves[orbit.curve], orbit.index) }));
  const inView = ({ curve, row }) => diagram.inView(curve, row);
  const found = stored.find(inView);
  if (found !== undefined) return found;
  for (const curve of model.curves) {
    for (let row = 0; row < curve.rows; row++) if (inView({ curve, row })) return { curve, row };
  }
  const any = model.curves.find((curve) => curve.rows > 0);
  return stored[0] ?? (any === undefined ? null : { curve: any, row: 0 });
}

// What a key does; whether it does anything.
function pressed(key, model, diagram, select) {
  const { curve, row } = diagram.selected ?? { curve: model.curves[0], row: 0 };
  if (curve === undefined) return false;
  const go = (to) => select(curve, Math.max(0, Math.min(curve.rows - 1, to)));
  const stride = Math.max(1, Math.round(curve.rows / 20));
  const marks = curve.columns.label === undefined ? [] : diagram.marksOf(curve);
  switch (key) {
    case "ArrowRight": go(row + 1); break;
    case "ArrowLeft": go(row - 1); break;
    case "PageDown": go(row + stride); break;
    case "PageUp": go(row - stride); break;
    case "Home": go(0); break;
    case "End": go(curve.rows - 1); break;
    case "]": go(marks.find((mark) => mark > row) ?? row); break;
    case "[": go(marks.findLast((mark) => mark < row) ?? row); break;
    case "ArrowDown":
    case "ArrowUp": {
      const shown = model.curves.filter((other) => other.rows > 0 && !diagram.hidden.has(other.at));
      const next = shown[(shown.indexOf(curve) + (key === "ArrowDown" ? 1 : shown.length - 1)) % shown.length];
      if (next !== undefined) select(next, Math.min(Math.round((row / curve.rows) * next.rows), next.rows - 1));
      break;
    }
    case "+":
    case "=": diagram.zoom(0.7); break;
    case "-": diagram.zoom(1 / 0.7); break;
    case "0": diagram.fit(); break;
    default: return false;
  }
  return true;
}

function fillTables(model, element, select) {
  const row = (cells, tag = "td") => {
    const line = document.createElement("tr");
    for (const cell of cells) {
      const box = document.createElement(tag);
      box.append(...[cell].flat());
      line.append(box);
    }
    return line;
  };
  element("special").tHead.append(row(["label", "curve", "point", "at", "what happens"], "th"));
  for (const entry of model.special) {
    const curve = model.curves[entry.curve];
    const at = rowOf(curve, entry.index);
    const where = curve.free.map((name) => `${name} = ${written(curve.columns[name]?.[at], 12)}`).join(", ");
    const jump = Object.assign(document.createElement("button"), { type: "button", textContent: entry.label });
    const line = row([jump, curve.name, String(entry.index), where, worded(entry.message)]);
    line.lastElementChild.className = "message";
    line.dataset.point = `${entry.curve}:${entry.index}`;
    line.addEventListener("click", () => {
      select(curve, at);
      element("diagram-section").scrollIntoView({ block: "nearest" });
    });
    element("special").tBodies[0].append(line);
  }
  element("curves").tHead.append(row(["curve", "points", "range", "special points", "ended"], "th"));
  for (const curve of model.curves) {
    const range = curve.free.map((name) => {
      const [low, high] = spanOf(curve.columns[name] ?? [], 0) ?? [NaN, NaN];
      return `${name} ${written(low, 6)} … ${written(high, 6)}`;
    });
    const counts = new Map();
    for (const { label } of model.special.filter((entry) => entry.curve === curve.at)) counts.set(label, (counts.get(label) ?? 0) + 1);
    const special = [...counts].map(([label, count]) => (count > 1 ? `${count} ${label}` : label)).join(", ");
    element("curves").tBodies[0].append(row([curve.name, String(curve.rows), range.join(", "), special, worded(curve.ended)]));
  }
}

start();
