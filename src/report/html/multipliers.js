// Multipliers of the selected point: as stems on a logarithmic scale, and around the unit circle with their paths along the branch.
// Of equilibria, eigenvalues in the plane.

// The multipliers at a row: names, log10 of the size, angle.
function multipliersAt(curve, row) {
  const found = [];
  for (const name of Object.keys(curve.columns)) {
    const match = /^(mult|nu)(\d+)_log10$/.exec(name);
    if (match === null || Number.isNaN(curve.columns[name][row])) continue;
    const angle = curve.columns[`${match[1]}${match[2]}_arg`]?.[row] ?? 0;
    found.push({ name: (match[1] === "nu" ? "ν" : "μ") + subscript(match[2]), half: match[1] === "nu", size: curve.columns[name][row], angle });
  }
  return found;
}

// The eigenvalues at a row.
function eigenvaluesAt(curve, row) {
  const found = [];
  for (const name of Object.keys(curve.columns)) {
    const match = /^eig(\d+)_re$/.exec(name);
    const [re, im] = match === null ? [NaN, NaN] : [curve.columns[name][row], curve.columns[`eig${match[1]}_im`]?.[row] ?? 0];
    if (Number.isFinite(re + im)) found.push({ name: `λ${subscript(match[1])}`, re, im });
  }
  return found;
}

// log10 of the absolute values as stems from the unit line; far from it the scale is compressed.
class Stems {
  constructor(canvas) {
    this.plot = new Plot(canvas, { left: 84, right: 12, top: 10, bottom: 42 });
  }

  paint(found) {
    this.plot.canvas.hidden = found.length === 0;
    if (found.length === 0) return;
    const { plot } = this;
    const pen = plot.begin();
    const finite = found.filter(({ size }) => Number.isFinite(size)).map(({ size }) => size);
    const reach = Math.max(1, ...finite.map(Math.abs)) * 1.15;
    const squeeze = reach > 30 ? (size) => Math.asinh(size) / Math.asinh(reach) : (size) => size / reach;
    plot.view = { x0: 0.4, x1: found.length + 0.6, y0: -1.12, y1: 1.12 };
    const { left, top, width, height } = plot.frame;
    pen.strokeStyle = style("--line");
    pen.lineWidth = 1;
    pen.setLineDash([]);
    pen.strokeRect(left, top, width, height);
    this.paintScale(pen, reach, squeeze);
    runs(pen, plain("|μ| = 1"), left + width - 5, plot.py(0) - 5, "right", 11);
    found.forEach(({ name, size, angle }, at) => {
      const [x, y] = [plot.px(at + 1), plot.py(Number.isFinite(size) ? squeeze(size) : size < 0 ? -1.06 : 1.06)];
      pen.strokeStyle = pen.fillStyle = size > 0 ? style("--canard") : style("--accent");
      pen.lineWidth = 2;
      pen.beginPath();
      pen.moveTo(x, plot.py(0));
      pen.lineTo(x, y);
      pen.stroke();
      pen.beginPath();
      if (Number.isFinite(size)) pen.arc(x, y, 4.5, 0, 2 * Math.PI);
      else {
        // Off the scale: an arrow, and what it points to.
        const foot = size < 0 ? y - 6 : y + 6;
        pen.moveTo(x - 6, foot);
        pen.lineTo(x + 6, foot);
        pen.lineTo(x, size < 0 ? y + 5 : y - 5);
      }
      pen.fill();
      if (!Number.isFinite(size)) runs(pen, plain(size < 0 ? "0" : "∞"), x + 9, y + 4, "left", 13);
      pen.fillStyle = style("--ink");
      runs(pen, plain(`${name}${Math.abs(Math.abs(angle) - Math.PI) < 1e-6 ? " < 0" : ""}`), x, top + height + 16, "center", 13);
    });
    pen.save();
    pen.translate(15, top + height / 2);
    pen.rotate(-Math.PI / 2);
    runs(pen, [["log", false, 0], ["10", false, -1], ["|μ|", false, 0]], 0, 0, "center", 14);
    pen.restore();
  }

  paintScale(pen, reach, squeeze) {
    const { plot } = this;
    const { left, width } = plot.frame;
    const steps = reach > 30
      ? [1, 10, 100, 1e3, 1e4, 1e5, 1e6].filter((size) => size < reach)
      : ticks(0, reach, { log: false }, 4).filter((tick) => tick.text !== null && tick.at > 0).map((tick) => tick.at);
    pen.fillStyle = style("--ink");
    // From the ends inwards: numbers that would stand on each other are left out, but not the 0.
    const taken = [plot.py(0)];
    for (const size of [0, ...steps.toReversed().flatMap((step) => [step, -step])]) {
      const y = plot.py(squeeze(size));
      pen.strokeStyle = size === 0 ? style("--ink") : style("--line");
      pen.lineWidth = size === 0 ? 2 : 1;
      pen.beginPath();
      pen.moveTo(left, y);
      pen.lineTo(left + width, y);
      pen.stroke();
      if (size !== 0 && taken.some((other) => Math.abs(other - y) < 13)) continue;
      taken.push(y);
      runs(pen, Math.abs(size) >= 1000 ? scientific(size) : plain(written(size)), left - 6, y + 4, "right", 12);
    }
  }
}

// Outside this ring the distance from the centre grows with the logarithm.
const RING = 1.5;
// Paths are drawn through at most so many points of a branch.
const PATH_POINTS = 3000;

class UnitCircle {
  constructor(canvas) {
    this.plot = new Plot(canvas, { left: 6, right: 6, top: 6, bottom: 6 });
    this.cache = null;
  }

  // Where a multiplier is in the drawing: by its size up to the ring, by its logarithm beyond, up to the edge at 2.4.
  scale(most) {
    const excess = Math.max(most - Math.log10(RING), 1e-9);
    const squeeze = (size) => (excess > 12 ? Math.asinh(size) / Math.asinh(excess) : size / Math.max(excess, 0.5));
    return (size) => {
      if (size === Infinity) return 2.45;
      if (size <= Math.log10(RING)) return 10 ** size;
      return RING + 0.9 * squeeze(size - Math.log10(RING));
    };
  }

  // The sizes and angles of all multipliers along a curve, row by row.
  pathsOf(curve) {
    if (this.cache?.curve === curve) return this.cache;
    const stride = Math.max(1, Math.ceil(curve.rows / PATH_POINTS));
    const rows = [];
    for (let row = 0; row < curve.rows; row += stride) rows.push(multipliersAt(curve, row).filter(({ half }) => !half));
    let most = 0;
    for (const { size } of rows.flat()) if (Number.isFinite(size) && size > most) most = size;
    return (this.cache = { curve, rows, most });
  }

  paint(curve, row) {
    const { plot } = this;
    const found = multipliersAt(curve, row).filter(({ half }) => !half);
    const eigenvalues = found.length > 0 ? [] : eigenvaluesAt(curve, row);
    plot.canvas.hidden = found.length + eigenvalues.length === 0;
    if (plot.canvas.hidden) return;
    const pen = plot.begin();
    const { width, height } = plot.frame;
    if (found.length === 0) return this.paintEigenvalues(pen, curve, eigenvalues);
    const wide = 2.55 * Math.max(width / height, 1);
    const high = 2.55 * Math.max(height / width, 1);
    plot.view = { x0: -wide, x1: wide, y0: -high, y1: high };
    const { rows, most } = this.pathsOf(curve);
    const radius = this.scale(most);
    const place = ({ size, angle }) => [plot.px(radius(size) * Math.cos(angle)), plot.py(radius(size) * Math.sin(angle))];
    this.paintRings(pen, radius, most);
    pen.fillStyle = style("--path");
    for (const at of rows) for (const multiplier of at) {
      const [x, y] = place(multiplier);
      pen.fillRect(x - 1, y - 1, 2, 2);
    }
    const taken = [];
    for (const multiplier of found) {
      const [x, y] = place(multiplier);
      pen.fillStyle = multiplier.size > 0 ? style("--canard") : style("--accent");
      pen.beginPath();
      pen.arc(x, y, 5, 0, 2 * Math.PI);
      pen.fill();
      pen.fillStyle = style("--ink");
      if (taken.some((other) => Math.hypot(other[0] - x, other[1] - y) < 14)) continue;
      taken.push([x, y]);
      runs(pen, plain(multiplier.name), x + 8, y - 6, "left", 13);
    }
  }

  // The unit circle in ink, the ring beyond which the scale is logarithmic dashed, powers of ten faint.
  paintRings(pen, radius, most) {
    const { plot } = this;
    const [cx, cy] = [plot.px(0), plot.py(0)];
    const ring = (size) => {
      pen.beginPath();
      pen.arc(cx, cy, plot.px(radius(size)) - cx, 0, 2 * Math.PI);
      pen.stroke();
    };
    pen.lineWidth = 1;
    pen.setLineDash([]);
    pen.strokeStyle = style("--line");
    pen.beginPath();
    pen.moveTo(plot.frame.left, cy);
    pen.lineTo(plot.frame.left + plot.frame.width, cy);
    pen.moveTo(cx, plot.frame.top);
    pen.lineTo(cx, plot.frame.top + plot.frame.height);
    pen.stroke();
    const powers = [1, 2, 3, 10, 30, 100, 1000, 1e4, 1e5].filter((size) => size <= most);
    for (const size of powers.slice(-3)) {
      ring(size);
      pen.fillStyle = style("--faint");
      runs(pen, size < 1000 ? [["10", false, 0], [String(size), false, 1]] : [["10^", false, 0], [String(size), false, 0]], cx + 3, plot.py(radius(size)) - 3, "left", 11);
    }
    pen.setLineDash([4, 4]);
    pen.strokeStyle = style("--faint");
    if (most > Math.log10(RING)) ring(Math.log10(RING));
    pen.setLineDash([]);
    pen.strokeStyle = style("--ink");
    pen.lineWidth = 1.6;
    ring(0);
    pen.fillStyle = style("--faint");
    runs(pen, plain(most > Math.log10(RING) ? "logarithmic outside the dashed ring" : "unit circle"), plot.frame.left + 4, plot.frame.top + 14, "left", 11);
  }

  paintEigenvalues(pen, curve, found) {
    const { plot } = this;
    if (this.planes?.curve !== curve) {
      const stride = Math.max(1, Math.ceil(curve.rows / PATH_POINTS));
      const all = [];
      for (let row = 0; row < curve.rows; row += stride) all.push(...eigenvaluesAt(curve, row));
      this.planes = { curve, all, x: spanOf([0, ...all.map(({ re }) => re)], 0.08), y: spanOf([0, ...all.map(({ im }) => im)], 0.12) };
    }
    const { all, x: [x0, x1], y: [y0, y1] } = this.planes;
    plot.view = { x0, x1, y0, y1 };
    const { left, top, width, height } = plot.frame;
    pen.lineWidth = 1.6;
    pen.strokeStyle = style("--ink");
    pen.setLineDash([]);
    pen.beginPath();
    pen.moveTo(plot.px(0), top);
    pen.lineTo(plot.px(0), top + height);
    pen.stroke();
    pen.lineWidth = 1;
    pen.strokeStyle = style("--line");
    pen.beginPath();
    pen.moveTo(left, plot.py(0));
    pen.lineTo(left + width, plot.py(0));
    pen.stroke();
    pen.fillStyle = style("--path");
    for (const { re, im } of all) pen.fillRect(plot.px(re) - 1, plot.py(im) - 1, 2, 2);
    for (const { name, re, im } of found) {
      pen.fillStyle = re > 0 ? style("--canard") : style("--accent");
      pen.beginPath();
      pen.arc(plot.px(re), plot.py(im), 5, 0, 2 * Math.PI);
      pen.fill();
      pen.fillStyle = style("--ink");
      runs(pen, plain(name), plot.px(re) + 8, plot.py(im) - 6, "left", 13);
    }
    pen.fillStyle = style("--faint");
    runs(pen, plain("eigenvalues: unstable to the right of the imaginary axis"), left + 4, top + 14, "left", 11);
  }
}
