// The bifurcation diagram: what the figure of its view shows, and what is asked for beside it.

const DASHES = { solid: [], dashed: [6, 4], dotted: [1.5, 3], thin: [4, 4], thick: [], fine: [], over: [6, 6] };
const STROKES = ["solid", "dashed", "dotted"];

class Diagram {
  constructor(model, canvas, tip, hooks) {
    Object.assign(this, { model, canvas, tip, hooks });
    this.plot = new Plot(canvas, { left: 78, right: 16, top: 12, bottom: 46 });
    this.hidden = new Set();
    this.unmarked = new Set();
    this.overlays = [];
    this.selected = null;
    this.traces = [];
    this.navigation = new Navigation(this.plot, {
      draw: () => this.draw(),
      whole: () => this.whole(),
      hover: (x, y) => this.pointed(x, y),
      tap: (x, y, event) => {
        const point = this.nearest(x, y);
        if (point !== null) hooks.select(point.curve, point.row, event);
      },
      changed: () => hooks.changed(),
      unasked: () => hooks.unasked(),
      boxing: (on) => hooks.boxing(on),
    });
  }

  // Put columns on the axes. `figure` is the view whose figure these axes are, or null for others.
  show({ x, columns, logX, logY, figure, colours }) {
    Object.assign(this, { xName: x, columns, figure, colours });
    const { model } = this;
    const angle = (name) => model.label.get(expression(name)[1])?.angle === true && expression(name)[0] === null;
    const joined = () => columns.flatMap((name, at) => [...(at > 0 ? plain(", ") : []), ...labelOf(model, name)]);
    this.plot.x = { label: figure?.x.label ?? labelOf(model, x), log: logX, angle: angle(x) && !logX };
    this.plot.y = { label: figure?.y.label ?? joined(), log: logY, angle: angle(columns[0]) && !logY };
    this.traces = [];
    this.lost = { x: 0, y: 0 };
    for (const curve of model.curves) {
      const across = this.placed(valuesOf(curve, x), curve, "x");
      columns.forEach((name, at) => {
        const up = this.placed(valuesOf(curve, name), curve, "y");
        if (across !== null && up !== null) this.traces.push({ curve, column: at, name, x: across, y: up, wraps: angle(name) && !logY });
      });
    }
    for (const overlay of this.overlays) overlay.place(this);
    this.everything = null;
  }

  // Values where their axis has them; null if there are none.
  placed(values, curve, axis) {
    if (values === undefined) return null;
    if (!this.plot[axis].log) return values;
    if (!this.hidden.has(curve.at)) for (const value of values) if (value <= 0) this.lost[axis]++;
    return Float64Array.from(values, Math.log10);
  }

  place(axis, value) {
    return this.plot[axis].log ? Math.log10(value) : value;
  }

  visible() {
    return this.traces.filter((trace) => !this.hidden.has(trace.curve.at));
  }

  // The view that shows everything.
  whole() {
    if (this.everything) return this.everything;
    const { overlays, figure } = this;
    const traces = this.visible();
    const self = this;
    function* numbers(axis, other) {
      for (const trace of [...traces, ...overlays.flatMap((overlay) => overlay.traces)]) {
        for (let row = 0; row < trace.x.length; row++) if (Number.isFinite(trace[other][row])) yield trace[axis][row];
      }
      const first = axis === "x" ? 0 : 1;
      for (let k = first; figure && k < figure.dots.length; k += 2) yield self.place(axis, figure.dots[k]);
    }
    const [x0, x1] = spanOf(numbers("x", "y"), 0.03) ?? [0, 1];
    const [y0, y1] = spanOf(numbers("y", "x"), 0.06) ?? [0, 1];
    return (this.everything = { x0, x1, y0, y1 });
  }

  // The view of a figure, as printed.
  printed(figure) {
    const view = { ...this.whole() };
    for (const axis of ["x", "y"]) {
      if (figure[axis].range === null) continue;
      const [low, high] = figure[axis].range.map((value) => this.place(axis, value));
      if (high > low) Object.assign(view, { [`${axis}0`]: low, [`${axis}1`]: high });
    }
    return view;
  }

  // The part of a figure that its inset magnifies.
  magnified(figure) {
    const [[x0, x1], [y0, y1]] = figure.inset.map((range, at) => range.map((value) => this.place(at === 0 ? "x" : "y", value)));
    return { x0, x1, y0, y1 };
  }

  draw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.paint();
    });
  }

  paint() {
    const { plot, figure } = this;
    const pen = plot.begin();
    plot.clip();
    if (figure) this.paintBeneath(pen, figure);
    for (const trace of this.visible()) this.paintTrace(pen, trace);
    for (const overlay of this.overlays) overlay.paint(pen, plot);
    plot.unclip();
    plot.axes();
    plot.clip();
    this.taken = [];
    for (const trace of this.visible()) this.paintMarks(pen, trace);
    if (figure) this.paintWords(pen, figure);
    this.navigation.paintBox(pen);
    if (plot.vector === null) this.paintSelected(pen);
    plot.unclip();
  }

  // What lies under the curves: dots of sweeps, reference lines, the part that an inset magnifies.
  paintBeneath(pen, figure) {
    const { plot } = this;
    const { left, top, width, height } = plot.frame;
    pen.fillStyle = style("--dots");
    for (let k = 0; k < figure.dots.length; k += 2) {
      const [x, y] = [plot.px(this.place("x", figure.dots[k])), plot.py(this.place("y", figure.dots[k + 1]))];
      if (plot.holds(x, y)) pen.fillRect(x - 1, y - 1, 2, 2);
    }
    pen.lineWidth = 1.1;
    for (const { points, colour, stroke } of figure.lines) {
      pen.strokeStyle = hexadecimal(shown(colour));
      pen.setLineDash(DASHES[stroke] ?? []);
      plot.trace(0, points.length - 1, points.map(([x]) => this.place("x", x)), points.map(([, y]) => this.place("y", y)));
    }
    for (const rule of figure.rules) {
      const at = rule.vertical ? plot.px(this.place("x", rule.at)) : plot.py(this.place("y", rule.at));
      if (!Number.isFinite(at)) continue;
      pen.strokeStyle = hexadecimal(shown(rule.colour));
      pen.setLineDash(DASHES.thin);
      pen.beginPath();
      pen.moveTo(rule.vertical ? at : left, rule.vertical ? top : at);
      pen.lineTo(rule.vertical ? at : left + width, rule.vertical ? top + height : at);
      pen.stroke();
    }
    if (figure.inset !== null) {
      const { x0, x1, y0, y1 } = this.magnified(figure);
      pen.strokeStyle = style("--faint");
      pen.lineWidth = 1;
      pen.setLineDash([2, 2]);
      pen.strokeRect(plot.px(x0), plot.py(y1), plot.px(x1) - plot.px(x0), plot.py(y0) - plot.py(y1));
    }
    pen.setLineDash([]);
  }

  // Words at reference lines, and notes with what they lead to.
  paintWords(pen, figure) {
    const { plot } = this;
    const { left, top, width } = plot.frame;
    pen.fillStyle = style("--ink");
    for (const rule of figure.rules) {
      if (rule.label.length === 0) continue;
      const at = plot.px(this.place("x", rule.at));
      // On the side with room.
      const crowded = at > left + 0.8 * width;
      if (rule.vertical) runs(pen, rule.label, at + (crowded ? -5 : 5), top + 16, crowded ? "right" : "left", 12);
      else runs(pen, rule.label, left + width - 6, plot.py(this.place("y", rule.at)) - 5, "right", 12);
    }
    for (const { at, lines, to } of figure.notes) {
      const [x, y] = [plot.px(this.place("x", at[0])), plot.py(this.place("y", at[1]))];
      if (to !== null) {
        pen.strokeStyle = style("--faint");
        pen.lineWidth = 1;
        pen.beginPath();
        pen.moveTo(x, y + 8 * (plot.py(this.place("y", to[1])) > y ? 1 : -1));
        pen.lineTo(plot.px(this.place("x", to[0])), plot.py(this.place("y", to[1])));
        pen.stroke();
      }
      lines.forEach((line, k) => runs(pen, line, x, y + 4 + 15 * (k - (lines.length - 1) / 2), "center", 12));
    }
  }

  // One path for each way to draw.
  paintTrace(pen, { curve, column, x, y, wraps }) {
    pen.strokeStyle = this.colours.of(curve, column);
    pen.lineWidth = 1.8;
    STROKES.forEach((name, stroke) => {
      if (!curve.strokes.includes(stroke)) return;
      pen.setLineDash(DASHES[name]);
      const apart = (row) => curve.strokes[row] !== stroke || (wraps && Math.abs(y[row + 1] - y[row]) > Math.PI);
      this.plot.trace(0, x.length - 1, x, y, apart);
    });
    pen.setLineDash([]);
  }

  // The rows that are marked, with their names: those that the figure asks for, without labels that are filtered out.
  marked(curve) {
    const labels = curve.columns.label;
    if (labels === undefined) return [];
    const only = this.figure?.mark ?? null;
    const wanted = (row) => {
      const label = labels[row];
      if (this.unmarked.has(label)) return false;
      if (only !== null) return only.includes(label);
      // A choice of futures is marked by what happens there.
      return label !== "NU" || ((labels[row - 1] ?? "") === "" && (labels[row + 1] ?? "") === "");
    };
    return marksOf(curve).filter(wanted).map((row) => ({ row, label: labels[row], named: only !== null || !QUIET.has(labels[row]) }));
  }

  paintMarks(pen, { curve, column, x, y }) {
    const colour = this.colours.of(curve, column);
    const { left, top, width } = this.plot.frame;
    for (const { row, label, named } of this.marked(curve)) {
      const [px, py] = [this.plot.px(x[row]), this.plot.py(y[row])];
      if (!this.plot.holds(px, py)) continue;
      symbol(pen, this.model.symbols.get(label) ?? "dot", px, py, colour);
      if (!named) continue;
      // Beside the mark, on the side with room inside the frame and clear of the labels before.
      const wide = 9 * label.length;
      const near = this.taken.some((box) => box[3] === label && Math.hypot(box[0] - px, box[1] - py) < 14);
      const places = [[px + 8, py - 7], [px - 8 - wide, py - 7], [px + 8, py + 17], [px - 8 - wide, py + 17]];
      const free = near ? undefined : places.find(([x, y]) => x > left && x + wide < left + width && y - 12 > top &&
        !this.taken.some((box) => Math.abs(box[0] + box[2] / 2 - x - wide / 2) < (box[2] + wide) / 2 && Math.abs(box[1] - y) < 13));
      if (free === undefined) continue;
      this.taken.push([...free, wide, label]);
      pen.fillStyle = style("--ink");
      runs(pen, plain(label), ...free, "left", 13);
    }
  }

  paintSelected(pen) {
    if (this.selected === null) return;
    for (const { curve, x, y } of this.traces) {
      if (curve !== this.selected.curve) continue;
      const [px, py] = [this.plot.px(x[this.selected.row]), this.plot.py(y[this.selected.row])];
      if (!Number.isFinite(px + py)) continue;
      pen.setLineDash([]);
      pen.lineWidth = 2.5;
      pen.strokeStyle = style("--accent");
      pen.beginPath();
      pen.arc(px, py, 9, 0, 2 * Math.PI);
      pen.stroke();
    }
  }

  traceOf(curve) {
    return this.traces.find((trace) => trace.curve === curve);
  }

  // Where a row of a curve is on the canvas.
  placeOf(curve, row) {
    const trace = this.traceOf(curve);
    return { x: this.plot.px(trace?.x[row] ?? NaN), y: this.plot.py(trace?.y[row] ?? NaN) };
  }

  // The point nearest to a place on the canvas, within reach.
  nearest(px, py, reach = 30) {
    let best = null;
    let least = reach * reach;
    for (const { curve, name, x, y } of this.visible()) {
      const labels = curve.columns.label;
      for (let row = 0; row < x.length; row++) {
        const dx = this.plot.px(x[row]) - px;
        const dy = this.plot.py(y[row]) - py;
        // Labelled points are easier to hit.
        const off = (dx * dx + dy * dy) * (labels !== undefined && labels[row] !== "" ? 0.4 : 1);
        if (off < least) {
          least = off;
          best = { curve, row, name };
        }
      }
    }
    return best;
  }

  // Whether the view shows a row of a curve.
  inView(curve, row) {
    const { view } = this.plot;
    const within = (value, from, to) => value >= from && value <= to;
    return !this.hidden.has(curve.at) && this.traces.some((trace) => trace.curve === curve &&
      within(trace.x[row], view.x0, view.x1) && within(trace.y[row], view.y0, view.y1));
  }

  // Mark a row of a curve; where `follow`, the view moves to keep it inside.
  select(curve, row, follow) {
    this.selected = { curve, row };
    const trace = this.traceOf(curve);
    if (follow && trace !== undefined && !this.inView(curve, row) && Number.isFinite(trace.x[row] + trace.y[row])) {
      const view = { ...this.plot.view };
      const [x, y] = [trace.x[row], trace.y[row]];
      const [wide, high] = [view.x1 - view.x0, view.y1 - view.y0];
      if (x < view.x0 || x > view.x1) Object.assign(view, { x0: x - wide / 2, x1: x + wide / 2 });
      if (y < view.y0 || y > view.y1) Object.assign(view, { y0: y - high / 2, y1: y + high / 2 });
      this.navigation.set(view);
    }
    this.draw();
  }

  // The pointer is somewhere, or gone: the point under it is told, once a frame.
  pointed(px, py) {
    this.pointer = px === undefined ? null : [px, py];
    if (this.hovering) return;
    this.hovering = true;
    requestAnimationFrame(() => {
      this.hovering = false;
      this.hover(this.pointer === null ? null : this.nearest(...this.pointer), ...(this.pointer ?? []));
    });
  }

  hover(point, px, py) {
    this.tip.hidden = point === null;
    if (point === null) return;
    const { curve, row, name } = point;
    const label = curve.columns.label?.[row] ?? "";
    const value = (column) => `${humanName(this.model, column)} = ${written(valuesOf(curve, column)?.[row] ?? NaN)}`;
    const stable = curve.columns.stable === undefined || curve.locus ? "" : curve.columns.stable[row] ? "stable" : "unstable";
    const lines = [`${titleOf(this.model, curve)} · ${curve.columns.index[row]}${label ? ` · ${label}` : ""}`, value(this.xName), value(name), stable];
    this.tip.replaceChildren(...lines.filter(Boolean).map((line) => create("div", { textContent: line })));
    const room = this.canvas.clientWidth - this.tip.offsetWidth - 4;
    this.tip.style.left = `${Math.max(0, Math.min(px + 16, room))}px`;
    this.tip.style.top = `${Math.max(0, py - this.tip.offsetHeight - 12)}px`;
  }
}
