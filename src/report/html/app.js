// The page: views, axes, buttons, keys, and how its parts follow each other.

const LABELS = {
  LP: "fold", SB: "symmetry breaking", BP: "branch point", PD: "period doubling", NS: "Neimark–Sacker", HB: "Hopf", CP: "cusp",
  BT: "Bogdanov–Takens", GH: "generalised Hopf", ZH: "zero–Hopf", HH: "double Hopf", VS: "a segment vanishes", GR: "grazing",
  VT: "visible tangency", OV: "stick force overshoots", NU: "not unique", UZ: "level", EP: "end", MX: "no convergence",
};

class Page {
  constructor() {
    this.element = (id) => document.getElementById(id);
    const { element } = this;
    this.model = unpack(JSON.parse(element("payload").textContent));
    const { model } = this;
    const without = model.curves.every((curve) => curve.rows === 0);
    for (const id of ["diagram-section", "special-section", "point-section", "curves-section"]) element(id).hidden = without;
    element("cells-section").hidden = model.cells.length === 0;
    for (const link of document.querySelectorAll("nav a")) link.hidden = element(link.hash.slice(1))?.hidden ?? true;
    document.querySelector("main").hidden = without;
    this.cells = model.cells.map((one) => new CellsView(model, one, element("cells")));
    this.point = new PointView(model, { select: (curve, row) => this.select(curve, row), colour: (curve) => this.diagram.colours.of(curve) });
    this.diagram = new Diagram(model, element("diagram"), element("tip"), {
      select: (curve, row, event) => this.tapped(curve, row, event),
      changed: () => this.address?.changed(false),
      unasked: () => this.hintAtWheel(),
      boxing: (on) => element("box").setAttribute("aria-pressed", String(on)),
    });
    this.tree = new CurveTree(model, element("curve-tree"), { show: (hidden) => this.showCurves(hidden) });
    this.special = new SpecialPoints(model, {
      select: (curve, row, event) => {
        this.tapped(curve, row, event);
        element("diagram-section").scrollIntoView({ block: "nearest" });
      },
      filter: (unmarked) => {
        this.diagram.unmarked = unmarked;
        this.diagram.draw();
        this.fillLegend();
      },
    });
    fillCurves(model);
    this.listen();
    if (model.views.length > 0) this.begin();
    for (const view of this.cells) view.paint();
    document.body.dataset.ready = "true";
  }

  // What the address asks for, else the first view and the point where there is most to see.
  begin() {
    const { model, element } = this;
    const names = model.columns.filter((column) => column.number).map((column) => column.name);
    this.axes = { x: element("x-column"), y: element("y-column"), xLog: element("x-log"), yLog: element("y-log") };
    const offered = (axis) => [...new Set([...model.views.map((view) => (axis === "x" ? view.x.column : view.columns.join(", "))), ...names])];
    for (const axis of ["x", "y"]) this.axes[axis].replaceChildren(...offered(axis).map((name) => this.axisOption(name)));
    for (const control of Object.values(this.axes)) control.addEventListener("change", () => this.apply());
    const preset = element("preset");
    preset.replaceChildren(...model.views.map((view, at) => new Option(this.titleOfView(view), at)));
    element("preset-box").hidden = model.views.length < 2;
    preset.addEventListener("change", () => this.useView(+preset.value, true));
    this.useView(0, false);
    this.address = new Address(() => this.state(), (state) => this.go(state));
    const asked = stateIn(window.location.hash);
    const first = this.firstPoint();
    // The view stays what the study asks for, wherever the point lies that is shown first.
    if (first !== null) this.select(first.curve, first.row, false);
    if (asked !== null) this.address.arrived();
    this.diagram.paint();
  }

  axisOption(name) {
    const option = new Option(name.split(", ").map((one) => humanName(this.model, one)).join(", "), name);
    option.title = name;
    return option;
  }

  titleOfView(view) {
    return view.part === null ? view.figure : `${view.figure} ${view.part}: ${textOf(view.y.label)}`;
  }

  // The figure of the study as its view shows it: axes, curves, ranges.
  useView(at, step) {
    const view = this.model.views[at];
    this.element("preset").value = at;
    this.view = view;
    Object.assign(this.axes.x, { value: view.x.column });
    this.axes.y.value = view.columns.join(", ");
    this.axes.xLog.checked = view.x.log;
    this.axes.yLog.checked = view.y.log;
    const shown = new Set(view.traces.map(([curve]) => curve));
    this.tree.alone = null;
    this.diagram.colours = new Colours(this.model, view);
    this.tree.set(new Set(shown.size === 0 ? [] : this.model.curves.map((curve) => curve.at).filter((curve) => !shown.has(curve))));
    this.apply(step);
  }

  // Put what the controls say on the axes.
  apply(step = true) {
    const { axes, view, diagram } = this;
    const columns = axes.y.value.split(", ");
    const own = axes.x.value === view.x.column && axes.y.value === view.columns.join(", ") && axes.xLog.checked === view.x.log && axes.yLog.checked === view.y.log;
    // With columns in colours of their own, or not, as the view has them.
    const colours = new Colours(this.model, view.by_column && !own ? { traces: [] } : view);
    diagram.show({ x: axes.x.value, columns, logX: axes.xLog.checked, logY: axes.yLog.checked, figure: own ? view : null, colours });
    diagram.navigation.restart(own ? diagram.printed(view) : diagram.whole());
    Object.assign(document.body.dataset, { x: axes.x.value, y: axes.y.value, figure: own ? this.titleOfView(view) : "" });
    this.element("inset").hidden = !own || view.inset === null;
    this.tree.colour(colours);
    this.fillLegend();
    this.tellLost();
    this.point.paint();
    this.address?.changed(step);
  }

  showCurves(hidden) {
    const { diagram } = this;
    diagram.hidden = hidden;
    diagram.everything = null;
    if (this.axes === undefined || diagram.traces.length === 0) return;
    diagram.draw();
    this.fillLegend();
    this.address?.changed(false);
  }

  // What the lines and symbols in view stand for.
  fillLegend() {
    const { diagram, model } = this;
    const entry = (sample, ...words) => create("span", { className: "entry" }, sample, ...words);
    const drawn = (width, draw) => {
      const pen = new VectorPen(width, 16);
      draw(pen);
      const svg = svgElement(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="16" aria-hidden="true">${pen.parts.join("")}</svg>`);
      return svg;
    };
    const line = (colour, stroke) => drawn(30, (pen) => {
      Object.assign(pen, { strokeStyle: colour, lineWidth: stroke === "thick" ? 3.5 : 2 });
      pen.setLineDash(DASHES[stroke] ?? []);
      pen.moveTo(1, 8);
      pen.lineTo(29, 8);
      pen.stroke();
    });
    const mark = (shape, colour) => drawn(18, (pen) => symbol(pen, shape, 9, 8, colour));
    const samples = {
      line: ([colour, stroke]) => line(hexadecimal(shown(colour)), stroke),
      mark: ([shape, colour]) => mark(shape, hexadecimal(shown(colour))),
      dot: () => drawn(10, (pen) => Object.assign(pen, { fillStyle: style("--dots") }).fillRect(4, 7, 2.5, 2.5)),
    };
    const entries = (diagram.figure?.legend ?? []).map(([sample, label]) => {
      const [kind, content] = typeof sample === "string" ? [sample, []] : Object.entries(sample)[0];
      return entry(samples[kind]?.(content) ?? "", create("span", {}, ...lettered(label)));
    });
    const strokes = new Set(diagram.visible().flatMap(({ curve }) => [...new Set(curve.strokes)]));
    const said = entries.map((one) => one.textContent);
    ["stable", "unstable", "not admissible"].forEach((word, stroke) => {
      if (strokes.has(stroke) && strokes.size > 1 && !said.includes(word)) entries.push(entry(line(style("--ink"), STROKES[stroke]), word));
    });
    const labels = new Set(diagram.visible().flatMap(({ curve }) => diagram.marked(curve)).filter(({ named }) => named).map(({ label }) => label));
    for (const label of labels) entries.push(entry(mark(model.symbols.get(label) ?? "dot", style("--ink")), LABELS[label] ? `${label} ${LABELS[label]}` : label));
    this.element("legend").replaceChildren(...entries);
  }

  // Negative numbers have no place on a logarithmic axis: that is told, with a way out.
  tellLost() {
    const { lost } = this.diagram;
    const note = this.element("lost");
    note.hidden = lost.x + lost.y === 0;
    note.replaceChildren();
    for (const axis of ["x", "y"]) {
      if (lost[axis] === 0) continue;
      const name = this.axes[axis].value;
      note.append(`${lost[axis]} point${lost[axis] > 1 ? "s" : ""} of ${name.split(", ").map((one) => humanName(this.model, one)).join(", ")} not shown: a logarithmic axis has no place for numbers that are not positive. `);
      if (name.includes("(")) continue;
      const way = create("button", { type: "button", className: "absolute", textContent: "Show absolute values" });
      way.addEventListener("click", () => {
        const wrapped = name.split(", ").map((one) => `abs(${one})`).join(", ");
        if (![...this.axes[axis].options].some((option) => option.value === wrapped)) this.axes[axis].append(this.axisOption(wrapped));
        this.axes[axis].value = wrapped;
        this.apply();
      });
      note.append(way);
    }
  }

  // A point was clicked or tapped: on a phone it comes as a sheet over the diagram.
  tapped(curve, row) {
    this.select(curve, row);
    if (matchMedia("(max-width: 60em)").matches) {
      this.element("point-section").classList.add("sheet");
      this.point.paint();
    }
  }

  select(curve, row, follow = true) {
    if (this.diagram.hidden.has(curve.at)) this.tree.toggle(curve.at, true);
    this.diagram.select(curve, row, follow);
    this.point.show(curve, row);
    this.special.current(curve, curve.columns.index[row]);
    this.address?.changed(this.point.playing === null);
  }

  // Where there is most to see: a point in view whose orbit is stored, a point in view, any point.
  firstPoint() {
    const { model, diagram } = this;
    const stored = model.orbits.map((orbit) => ({ curve: model.curves[orbit.curve], row: rowOf(model.curves[orbit.curve], orbit.index) }));
    const found = stored.find(({ curve, row }) => diagram.inView(curve, row));
    if (found !== undefined) return found;
    for (const curve of model.curves) {
      for (let row = 0; row < curve.rows; row++) if (diagram.inView(curve, row)) return { curve, row };
    }
    const any = model.curves.find((curve) => curve.rows > 0);
    return stored[0] ?? (any === undefined ? null : { curve: any, row: 0 });
  }

  // The state for the address.
  state() {
    const { axes, diagram, point, model } = this;
    const { x0, x1, y0, y1 } = diagram.plot.view;
    const own = diagram.figure !== null;
    const printed = own ? diagram.printed(this.view) : diagram.whole();
    const moved = ["x0", "x1", "y0", "y1"].some((end) => printed[end] !== diagram.plot.view[end]);
    return {
      view: model.views.indexOf(this.view),
      x: own ? null : axes.x.value,
      y: own ? null : axes.y.value,
      log: own ? null : `${axes.xLog.checked ? "x" : ""}${axes.yLog.checked ? "y" : ""}-`,
      range: moved ? [x0, x1, y0, y1].join(",") : null,
      hide: [...diagram.hidden].map((at) => model.curves[at].name).join("|") || null,
      curve: point.curve?.name ?? null,
      point: point.curve === undefined ? null : point.curve.columns.index[point.row],
    };
  }

  // Show a state, as far as it exists in this run.
  go(state) {
    const { axes, diagram, model } = this;
    const at = Number(state.view ?? 0);
    this.useView(model.views[at] === undefined ? 0 : at, false);
    if (state.x !== undefined || state.y !== undefined) {
      for (const axis of ["x", "y"]) {
        const wanted = state[axis];
        const known = wanted?.split(", ").every((one) => model.label.get(expression(one)[1])?.number);
        if (!known) continue;
        if (![...axes[axis].options].some((option) => option.value === wanted)) axes[axis].append(this.axisOption(wanted));
        axes[axis].value = wanted;
      }
      const log = state.log ?? "";
      [axes.xLog.checked, axes.yLog.checked] = [log.includes("x"), log.includes("y")];
      this.apply(false);
    }
    const hide = (state.hide ?? "").split("|");
    this.tree.set(new Set(model.curves.filter((curve) => hide.includes(curve.name)).map((curve) => curve.at)));
    const curve = model.curves.find((one) => one.name === state.curve);
    if (curve !== undefined && curve.rows > 0) this.select(curve, rowOf(curve, Number(state.point ?? 0)), false);
    const range = (state.range ?? "").split(",").map(Number);
    if (range.length === 4 && range.every(Number.isFinite)) {
      const [x0, x1, y0, y1] = range;
      diagram.navigation.set({ x0, x1, y0, y1 }, false);
    }
  }

  hintAtWheel() {
    const hint = this.element("wheel-hint");
    hint.hidden = false;
    clearTimeout(this.hinting);
    this.hinting = setTimeout(() => (hint.hidden = true), 1500);
  }
}
