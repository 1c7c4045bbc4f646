// Orbits in a pair of their columns: over time or in a plane, with segments, events and a cursor that panes share.

class OrbitPane {
  // `hooks.cursor(row)` is called with the row of the first orbit under the pointer, or null.
  constructor(model, canvas, hooks) {
    Object.assign(this, { model, canvas, hooks, orbits: [], cursor: null, span: null });
    this.plot = new Plot(canvas, { left: 84, right: 12, top: 22, bottom: 42 });
    this.navigation = new Navigation(this.plot, {
      draw: () => this.draw(),
      whole: () => this.whole(),
      hover: (x, y) => hooks.cursor(x === undefined ? null : this.nearest(x, y)),
      tap: (x, y) => hooks.cursor(this.nearest(x, y)),
    });
  }

  // Show orbits, each { orbit, colour, map, name }, in two columns; the view stays while the columns do and it was moved. `span`:
  // ranges [x, y] to keep while orbits follow each other.
  show(orbits, [xName, yName], span = null) {
    const same = xName === this.xName && yName === this.yName;
    const moved = this.navigation.before.length > 0;
    Object.assign(this, { orbits, xName, yName, span });
    const counts = (name) => orbits[0]?.map && name === "t";
    // The time of a map is the number of the iteration.
    const axis = (name) => ({
      label: counts(name) ? [["n", true, 0]] : labelOf(this.model, name),
      log: false,
      counts: counts(name),
      angle: this.turns(name),
    });
    [this.plot.x, this.plot.y] = [axis(xName), axis(yName)];
    if (!same) this.navigation.before = [];
    if (!same || !moved) this.plot.view = this.whole();
    this.paint();
  }

  turns(name) {
    return this.model.label.get(name)?.angle === true;
  }

  whole() {
    const { orbits, xName, yName } = this;
    function* all(name) {
      for (const { orbit } of orbits) yield* orbit.columns[name] ?? [];
    }
    const [x0, x1] = this.plot.x.counts ? [-0.5, orbits[0].orbit.rows - 0.5] : spanOf(this.span?.[0] ?? all(xName), xName === "t" ? 0 : 0.05) ?? [0, 1];
    const [y0, y1] = spanOf(this.span?.[1] ?? all(yName), 0.08) ?? [0, 1];
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
    if (this.orbits.length === 0 || this.canvas.hidden) return;
    const { plot } = this;
    const pen = plot.begin();
    plot.clip();
    const [first] = this.orbits;
    if (this.xName === "t") this.paintSegments(pen, first.orbit);
    for (const shown of this.orbits.toReversed()) this.paintOrbit(pen, shown, shown === first);
    this.paintEvents(pen, first.orbit);
    this.paintCursor(pen, first.orbit);
    this.navigation.paintBox(pen);
    plot.unclip();
    plot.axes();
    if (this.xName === "t") this.nameSegments(pen, first.orbit);
  }

  // Sticking is shaded, events are lines.
  paintSegments(pen, orbit) {
    const { plot } = this;
    const { t } = orbit.columns;
    pen.fillStyle = style("--stick");
    for (const [first, last, mode] of segmentsOf(orbit)) {
      if (!sticking(mode)) continue;
      const end = Math.min(last + 1, orbit.rows - 1);
      pen.fillRect(plot.px(t[first]), plot.frame.top, plot.px(t[end]) - plot.px(t[first]), plot.frame.height);
    }
  }

  // What segments are called, above the frame, where there is room.
  nameSegments(pen, orbit) {
    const { plot } = this;
    const { left, top, width } = plot.frame;
    pen.fillStyle = style("--faint");
    for (const [first, last, mode] of segmentsOf(orbit)) {
      const from = Math.max(plot.px(orbit.columns.t[first]), left);
      const to = Math.min(plot.px(orbit.columns.t[Math.min(last + 1, orbit.rows - 1)]), left + width);
      pen.font = `12px ${FONT}`;
      if (pen.measureText(mode).width + 6 < to - from) runs(pen, plain(mode), (from + to) / 2, top - 6, "center", 12);
    }
  }

  // Where one segment ends and the next begins.
  paintEvents(pen, orbit) {
    const { plot, xName, yName } = this;
    const [x, y] = [orbit.columns[xName], orbit.columns[yName]];
    for (const [first] of segmentsOf(orbit).slice(1)) {
      const [px, py] = [plot.px(x?.[first]), plot.py(y?.[first])];
      if (!Number.isFinite(px + py)) continue;
      pen.setLineDash(xName === "t" ? [2, 3] : []);
      pen.lineWidth = 1;
      pen.strokeStyle = style("--faint");
      pen.beginPath();
      if (xName === "t") {
        pen.moveTo(px, plot.frame.top);
        pen.lineTo(px, plot.frame.top + plot.frame.height);
      } else {
        pen.fillStyle = style("--paper");
        pen.arc(px, py, 2.6, 0, 2 * Math.PI);
        pen.fill();
      }
      pen.stroke();
      pen.setLineDash([]);
    }
  }

  paintOrbit(pen, { orbit, colour, map }, foremost) {
    const { plot, xName, yName } = this;
    const [x, y] = [orbit.columns[xName], orbit.columns[yName]];
    if (!areNumbers(x) || !areNumbers(y)) return;
    const leaps = (name, values) => (row) => this.turns(name) && Math.abs(values[row + 1] - values[row]) > Math.PI;
    const [across, up] = [leaps(xName, x), leaps(yName, y)];
    const apart = (row) => across(row) || up(row);
    pen.setLineDash([]);
    pen.lineWidth = foremost ? 1.8 : 1.3;
    pen.strokeStyle = pen.fillStyle = colour;
    const dots = map || orbit.rows === 1;
    if (!dots) plot.trace(0, orbit.rows - 1, x, y, apart);
    for (let row = 0; dots && row < orbit.rows; row++) {
      pen.beginPath();
      pen.arc(plot.px(x[row]), plot.py(y[row]), orbit.rows > 60 ? 2 : 4.5, 0, 2 * Math.PI);
      pen.fill();
    }
    if (!foremost) return;
    pen.lineWidth = 4;
    pen.strokeStyle = style("--canard");
    for (const [first, last] of canardsOf(orbit)) plot.trace(first, last, x, y, apart);
  }

  paintCursor(pen, orbit) {
    if (this.cursor === null) return;
    const { plot } = this;
    const [px, py] = [plot.px(orbit.columns[this.xName]?.[this.cursor]), plot.py(orbit.columns[this.yName]?.[this.cursor])];
    if (!Number.isFinite(px + py)) return;
    pen.strokeStyle = pen.fillStyle = style("--accent");
    pen.lineWidth = 1.2;
    if (this.xName === "t") {
      pen.beginPath();
      pen.moveTo(px, plot.frame.top);
      pen.lineTo(px, plot.frame.top + plot.frame.height);
      pen.stroke();
    }
    pen.beginPath();
    pen.arc(px, py, 5, 0, 2 * Math.PI);
    pen.fill();
  }

  // The row of the first orbit under a pixel: by time alone where that is an axis.
  nearest(px, py) {
    const { plot } = this;
    if (!plot.holds(px, py) || this.orbits.length === 0) return null;
    const { columns, rows } = this.orbits[0].orbit;
    const [x, y] = [columns[this.xName], columns[this.yName]];
    let [best, least] = [null, this.xName === "t" ? Infinity : 900];
    for (let row = 0; row < rows; row++) {
      const off = this.xName === "t" ? Math.abs(plot.px(x[row]) - px) : (plot.px(x[row]) - px) ** 2 + (plot.py(y[row]) - py) ** 2;
      if (off < least) [best, least] = [row, off];
    }
    return best;
  }
}

const canardsOf = (orbit) => (orbit.columns.canard === undefined ? [] : stretches(orbit.rows, (row) => orbit.columns.canard[row]));
