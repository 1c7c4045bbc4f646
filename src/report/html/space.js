// Orbits in space: three columns, turned by dragging.

class SpacePane {
  constructor(model, canvas, hooks) {
    Object.assign(this, { model, canvas, hooks, orbits: [], cursor: null, span: null, turn: -0.7, tilt: 0.45 });
    this.plot = new Plot(canvas, { left: 8, right: 8, top: 8, bottom: 8 });
    this.navigation = new Navigation(this.plot, {
      draw: () => this.draw(),
      whole: () => this.whole(),
      hover: (x, y) => hooks.cursor(x === undefined ? null : this.nearest(x, y)),
      tap: (x, y) => hooks.cursor(this.nearest(x, y)),
      drag: (phase, at, event) => this.drag(phase, at, event),
    });
    canvas.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      this.rotate(...step);
    });
  }

  // Dragging turns; with Shift it moves as elsewhere.
  drag(phase, at, event) {
    if (phase === "start") {
      if (event.shiftKey) return false;
      this.from = at;
      return true;
    }
    this.rotate((at[0] - this.from[0]) * 0.01, (at[1] - this.from[1]) * 0.01);
    this.from = at;
    return true;
  }

  rotate(turn, tilt) {
    this.turn += turn;
    this.tilt = Math.max(-1.5, Math.min(1.5, this.tilt + tilt));
    this.draw();
  }

  // The frame keeps its shape, so that turning does not distort.
  whole() {
    const { clientWidth, clientHeight } = this.canvas;
    const wide = 1.05 * Math.max(clientWidth / Math.max(clientHeight, 1), 1);
    return { x0: -wide, x1: wide, y0: -1.05, y1: 1.05 };
  }

  show(orbits, names, span = null) {
    Object.assign(this, { orbits, names, span });
    if (this.navigation.before.length === 0) this.plot.view = this.whole();
    this.paint();
  }

  draw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.paint();
    });
  }

  // Where three numbers, each in -1 … 1, are on the sheet.
  projected([x, y, z]) {
    const [c, s] = [Math.cos(this.turn), Math.sin(this.turn)];
    const deep = s * x + c * y;
    return [0.6 * (c * x - s * y), 0.6 * (z * Math.cos(this.tilt) + deep * Math.sin(this.tilt))];
  }

  ranges() {
    const { orbits, span } = this;
    return this.names.map((name, at) => {
      function* all() {
        for (const { orbit } of orbits) yield* orbit.columns[name] ?? [];
      }
      return spanOf(span?.[at] ?? all(), 0) ?? [0, 1];
    });
  }

  // The places of the rows of an orbit, in the coordinates of the view.
  placed(orbit, ranges) {
    const columns = this.names.map((name) => orbit.columns[name]);
    const [x, y] = [new Float64Array(orbit.rows), new Float64Array(orbit.rows)];
    for (let row = 0; row < orbit.rows; row++) {
      const scaled = columns.map((column, k) => (2 * (column[row] - ranges[k][0])) / (ranges[k][1] - ranges[k][0]) - 1);
      [x[row], y[row]] = this.projected(scaled);
    }
    return { x, y };
  }

  paint() {
    if (this.orbits.length === 0 || this.canvas.hidden) return;
    const { plot } = this;
    const pen = plot.begin();
    const ranges = this.ranges();
    plot.clip();
    this.paintBoxOfAxes(pen, ranges);
    const turns = this.names.map((name) => this.model.label.get(name)?.angle === true);
    for (const { orbit, colour, map } of this.orbits.toReversed()) {
      if (this.names.some((name) => !areNumbers(orbit.columns[name]))) continue;
      const { x, y } = this.placed(orbit, ranges);
      const apart = (row) => turns.some((turning, k) => turning && Math.abs(orbit.columns[this.names[k]][row + 1] - orbit.columns[this.names[k]][row]) > Math.PI);
      pen.strokeStyle = pen.fillStyle = colour;
      pen.lineWidth = orbit === this.orbits[0].orbit ? 1.8 : 1.3;
      if (!map) plot.trace(0, orbit.rows - 1, x, y, apart);
      for (let row = 0; map && row < orbit.rows; row++) this.disc(pen, x[row], y[row], 3.5);
      if (orbit !== this.orbits[0].orbit) continue;
      for (const [first] of segmentsOf(orbit).slice(1)) {
        pen.fillStyle = style("--faint");
        this.disc(pen, x[first], y[first], 2.6);
      }
      pen.lineWidth = 4;
      pen.strokeStyle = style("--canard");
      for (const [first, last] of canardsOf(orbit)) plot.trace(first, last, x, y, apart);
      this.placedFirst = { x, y };
      pen.fillStyle = style("--accent");
      if (this.cursor !== null) this.disc(pen, x[this.cursor], y[this.cursor], 5);
    }
    plot.unclip();
  }

  disc(pen, x, y, radius) {
    pen.beginPath();
    pen.arc(this.plot.px(x), this.plot.py(y), radius, 0, 2 * Math.PI);
    pen.fill();
  }

  // The edges of the box, and at three of them the axes.
  paintBoxOfAxes(pen, ranges) {
    const { plot } = this;
    const at = (corner) => {
      const [x, y] = this.projected(corner);
      return [plot.px(x), plot.py(y)];
    };
    pen.setLineDash([]);
    pen.lineWidth = 1;
    const ends = [-1, 1];
    for (let axis = 0; axis < 3; axis++) {
      for (const a of ends) for (const b of ends) {
        const corner = (end) => Object.assign([0, 0, 0], { [axis]: end, [(axis + 1) % 3]: a, [(axis + 2) % 3]: b });
        const main = a === -1 && b === -1;
        pen.strokeStyle = main ? style("--ink") : style("--line");
        pen.beginPath();
        pen.moveTo(...at(corner(-1)));
        pen.lineTo(...at(corner(1)));
        pen.stroke();
        if (!main) continue;
        const [mx, my] = at(corner(0));
        pen.fillStyle = style("--ink");
        const wide = runs(pen, labelOf(this.model, this.names[axis]), mx + 8, my + 16, "left", 14);
        const value = (end) => (this.model.label.get(this.names[axis])?.angle ? partOfPi(end) : written(end, 3));
        pen.fillStyle = style("--faint");
        runs(pen, plain(`${value(ranges[axis][0])} … ${value(ranges[axis][1])}`), mx + 14 + wide, my + 16, "left", 11);
      }
    }
  }

  nearest(px, py) {
    if (this.placedFirst === undefined) return null;
    const { x, y } = this.placedFirst;
    let [best, least] = [null, 900];
    for (let row = 0; row < x.length; row++) {
      const off = (this.plot.px(x[row]) - px) ** 2 + (this.plot.py(y[row]) - py) ** 2;
      if (off < least) [best, least] = [row, off];
    }
    return best;
  }
}
