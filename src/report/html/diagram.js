// The interactive bifurcation diagram: what it shows, and how the mouse moves it.

class Diagram {
  constructor(model, canvas, tip, onSelect) {
    this.model = model;
    this.plot = new Plot(canvas, { left: 78, right: 16, top: 12, bottom: 46 });
    this.canvas = canvas;
    this.tip = tip;
    this.onSelect = onSelect;
    this.hidden = new Set();
    this.selected = null;
    this.traces = [];
    this.listen();
  }

  // Choose the columns on the axes and fit the view.
  show(x, y, logX, logY) {
    Object.assign(this, { xName: x, yName: y });
    const axis = (name, log) => ({ label: this.model.label.get(name)?.label ?? plain(name), log });
    this.plot.x = axis(x, logX);
    this.plot.y = axis(y, logY);
    const placed = (values, log) => (log ? Float64Array.from(values, (value) => Math.log10(value)) : Float64Array.from(values));
    const wraps = this.model.label.get(y)?.angle && !logY;
    this.traces = this.model.curves.map((curve) => {
      const empty = new Float64Array(curve.rows).fill(NaN);
      const column = (name, log) => (curve.columns[name] === undefined ? empty : placed(curve.columns[name], log));
      return { curve, x: column(x, logX), y: column(y, logY), wraps };
    });
    this.fit();
  }

  visible() {
    return this.traces.filter((trace) => !this.hidden.has(trace.curve.at));
  }

  fit() {
    function* numbers(traces, axis, other) {
      for (const trace of traces) {
        for (let row = 0; row < trace.x.length; row++) if (Number.isFinite(trace[other][row])) yield trace[axis][row];
      }
    }
    const [x0, x1] = spanOf(numbers(this.visible(), "x", "y"), 0.03) ?? [0, 1];
    const [y0, y1] = spanOf(numbers(this.visible(), "y", "x"), 0.06) ?? [0, 1];
    this.plot.view = { x0, x1, y0, y1 };
    this.draw();
  }

  // Show these ranges of the columns, where they are given.
  frame(x, y) {
    const placed = (range, log) => range.map((value) => (log ? Math.log10(value) : value));
    const { plot } = this;
    if (x) [plot.view.x0, plot.view.x1] = placed(x, plot.x.log);
    if (y) [plot.view.y0, plot.view.y1] = placed(y, plot.y.log);
    this.draw();
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
    const { plot } = this;
    const pen = plot.begin();
    plot.clip();
    for (const trace of this.visible()) this.paintTrace(pen, trace);
    plot.unclip();
    plot.axes();
    plot.clip();
    this.taken = [];
    for (const trace of this.visible()) this.paintMarks(pen, trace);
    if (this.box) {
      pen.setLineDash([4, 3]);
      pen.strokeStyle = style("--accent");
      pen.strokeRect(this.box.x0, this.box.y0, this.box.x1 - this.box.x0, this.box.y1 - this.box.y0);
    }
    this.paintSelected(pen);
    plot.unclip();
  }

  // One path for each way to draw, so that fifty thousand points stay quick; steps below half a pixel are skipped.
  paintTrace(pen, { curve, x, y, wraps }) {
    const { plot } = this;
    const { left, top, width, height } = plot.frame;
    const dashes = [[], [6, 4], [1.5, 3]];
    pen.strokeStyle = curveColour(curve.at);
    pen.lineWidth = 1.8;
    for (let stroke = 0; stroke < 3; stroke++) {
      pen.setLineDash(dashes[stroke]);
      pen.beginPath();
      let penX = NaN;
      let penY = NaN;
      for (let row = 0; row + 1 < x.length; row++) {
        if (curve.strokes[row] !== stroke) {
          penX = NaN;
          continue;
        }
        const bx = plot.px(x[row + 1]);
        const by = plot.py(y[row + 1]);
        const ax = plot.px(x[row]);
        const ay = plot.py(y[row]);
        const outside =
          (ax < left && bx < left) || (ax > left + width && bx > left + width) || (ay < top && by < top) || (ay > top + height && by > top + height);
        if (!(Math.abs(bx) < 1e7 && Math.abs(by) < 1e7 && Math.abs(ax) < 1e7 && Math.abs(ay) < 1e7) || outside ||
            (wraps && Math.abs(y[row + 1] - y[row]) > Math.PI)) {
          penX = NaN;
          continue;
        }
        if (Number.isNaN(penX)) {
          pen.moveTo(ax, ay);
          [penX, penY] = [ax, ay];
        }
        const last = row + 2 >= x.length || curve.strokes[row + 1] !== stroke;
        if (last || Math.abs(bx - penX) + Math.abs(by - penY) > 0.5) {
          pen.lineTo(bx, by);
          [penX, penY] = [bx, by];
        }
      }
      pen.stroke();
    }
  }

  paintMarks(pen, { curve, x, y }) {
    const labels = curve.columns.label;
    if (labels === undefined) return;
    const colour = curveColour(curve.at);
    const { left, top, width } = this.plot.frame;
    for (const row of this.marksOf(curve)) {
      const [px, py] = [this.plot.px(x[row]), this.plot.py(y[row])];
      if (!Number.isFinite(px + py)) continue;
      symbol(pen, labels[row], px, py, colour);
      if (QUIET.has(labels[row])) continue;
      // Beside the mark, on the side with room inside the frame and clear of the labels before.
      const wide = 9 * labels[row].length;
      const places = [[px + 8, py - 7], [px - 8 - wide, py - 7], [px + 8, py + 17], [px - 8 - wide, py + 17]];
      const free = places.find(([x, y]) => x > left && x + wide < left + width && y - 12 > top &&
        !this.taken.some((box) => Math.abs(box[0] + box[2] / 2 - x - wide / 2) < (box[2] + wide) / 2 && Math.abs(box[1] - y) < 13));
      if (free === undefined) continue;
      this.taken.push([...free, wide]);
      pen.fillStyle = style("--ink");
      runs(pen, plain(labels[row]), ...free, "left", 13);
    }
  }

  marksOf(curve) {
    curve.marks ??= [...curve.columns.label.keys()].filter((row) => curve.columns.label[row] !== "");
    return curve.marks;
  }

  paintSelected(pen) {
    if (this.selected === null) return;
    const trace = this.traces[this.selected.curve.at];
    const [px, py] = [this.plot.px(trace.x[this.selected.row]), this.plot.py(trace.y[this.selected.row])];
    if (!Number.isFinite(px + py)) return;
    pen.setLineDash([]);
    pen.lineWidth = 2.5;
    pen.strokeStyle = style("--accent");
    pen.beginPath();
    pen.arc(px, py, 9, 0, 2 * Math.PI);
    pen.stroke();
  }

  // Where a row of a curve is on the canvas.
  placeOf(curve, row) {
    const trace = this.traces[curve.at];
    return { x: this.plot.px(trace.x[row]), y: this.plot.py(trace.y[row]) };
  }

  // The point nearest to a place on the canvas, within reach.
  nearest(px, py, reach = 30) {
    let best = null;
    let least = reach * reach;
    for (const { curve, x, y } of this.visible()) {
      for (let row = 0; row < x.length; row++) {
        const dx = this.plot.px(x[row]) - px;
        const dy = this.plot.py(y[row]) - py;
        // Labelled points are easier to hit.
        const off = (dx * dx + dy * dy) * (curve.columns.label !== undefined && curve.columns.label[row] !== "" ? 0.4 : 1);
        if (off < least) {
          least = off;
          best = { curve, row };
        }
      }
    }
    return best;
  }

  // Whether the view shows a row of a curve.
  inView(curve, row) {
    const trace = this.traces[curve.at];
    const { view } = this.plot;
    const within = (value, from, to) => value >= Math.min(from, to) && value <= Math.max(from, to);
    return trace !== undefined && within(trace.x[row], view.x0, view.x1) && within(trace.y[row], view.y0, view.y1);
  }

  // Mark a row of a curve; where `follow`, the view moves to keep it inside.
  select(curve, row, follow) {
    this.selected = { curve, row };
    const trace = this.traces[curve.at];
    const { view } = this.plot;
    const [x, y] = [trace.x[row], trace.y[row]];
    if (follow && Number.isFinite(x + y)) {
      const [wide, high] = [view.x1 - view.x0, view.y1 - view.y0];
      if (x < view.x0 || x > view.x1) Object.assign(view, { x0: x - wide / 2, x1: x + wide / 2 });
      if (y < view.y0 || y > view.y1) Object.assign(view, { y0: y - high / 2, y1: y + high / 2 });
    }
    this.draw();
  }

  zoom(factor, px, py, inX = true, inY = true) {
    const { plot } = this;
    const { left, top, width, height } = plot.frame;
    const about = plot.at(px ?? left + width / 2, py ?? top + height / 2);
    const { view } = plot;
    if (inX) Object.assign(view, { x0: about.x + (view.x0 - about.x) * factor, x1: about.x + (view.x1 - about.x) * factor });
    if (inY) Object.assign(view, { y0: about.y + (view.y0 - about.y) * factor, y1: about.y + (view.y1 - about.y) * factor });
    this.draw();
  }

  hover(point, px, py) {
    if (point === null) {
      this.tip.hidden = true;
      return;
    }
    const { curve, row } = point;
    const label = curve.columns.label?.[row] ?? "";
    const value = (name) => (curve.columns[name] === undefined ? "" : `${name} = ${written(curve.columns[name][row])}`);
    const stable = curve.columns.stable === undefined ? "" : curve.columns.stable[row] ? "stable" : "unstable";
    const lines = [`${curve.name} · ${curve.columns.index[row]}${label ? ` · ${label}` : ""}`, value(this.xName), value(this.yName), stable];
    this.tip.replaceChildren(...lines.filter(Boolean).map((line) => Object.assign(document.createElement("div"), { textContent: line })));
    this.tip.hidden = false;
    const room = this.canvas.clientWidth - this.tip.offsetWidth - 4;
    this.tip.style.left = `${Math.max(0, Math.min(px + 16, room))}px`;
    this.tip.style.top = `${Math.max(0, py - this.tip.offsetHeight - 12)}px`;
  }

  listen() {
    const { canvas } = this;
    const place = (event) => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    let drag = null;
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const turn = event.deltaY || event.deltaX;
      this.zoom(Math.exp(Math.max(-1, Math.min(1, turn / 300))), ...place(event), !event.altKey, !event.shiftKey);
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      const [x, y] = place(event);
      drag = { x, y, start: [x, y], box: event.shiftKey, moved: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      const [x, y] = place(event);
      if (drag === null) {
        if (!this.hovering) {
          this.hovering = true;
          requestAnimationFrame(() => {
            this.hovering = false;
            if (drag === null) this.hover(this.nearest(...this.pointer), ...this.pointer);
          });
        }
        this.pointer = [x, y];
        return;
      }
      drag.moved ||= Math.hypot(x - drag.start[0], y - drag.start[1]) > 4;
      if (!drag.moved) return;
      this.tip.hidden = true;
      if (drag.box) {
        this.box = { x0: drag.start[0], y0: drag.start[1], x1: x, y1: y };
      } else {
        const [from, to] = [this.plot.at(drag.x, drag.y), this.plot.at(x, y)];
        const { view } = this.plot;
        Object.assign(view, { x0: view.x0 + from.x - to.x, x1: view.x1 + from.x - to.x });
        Object.assign(view, { y0: view.y0 + from.y - to.y, y1: view.y1 + from.y - to.y });
        [drag.x, drag.y] = [x, y];
      }
      this.draw();
    });
    canvas.addEventListener("pointerup", (event) => {
      const [x, y] = place(event);
      if (drag !== null && !drag.moved) {
        const point = this.nearest(x, y);
        if (point !== null) this.onSelect(point.curve, point.row);
      } else if (this.box) {
        const [a, b] = [this.plot.at(this.box.x0, this.box.y0), this.plot.at(this.box.x1, this.box.y1)];
        this.plot.view = { x0: Math.min(a.x, b.x), x1: Math.max(a.x, b.x), y0: Math.min(a.y, b.y), y1: Math.max(a.y, b.y) };
      }
      drag = null;
      this.box = null;
      this.draw();
    });
    canvas.addEventListener("pointerleave", () => this.hover(null));
    canvas.addEventListener("dblclick", () => this.fit());
  }
}
