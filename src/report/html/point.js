// The selected point: its orbit over time and in a plane, its multipliers, its values.

class PointView {
  constructor(model) {
    this.model = model;
    const element = (id) => document.getElementById(id);
    this.time = new Plot(element("time"), { left: 84, right: 12, top: 8, bottom: 42 });
    this.plane = new Plot(element("plane"), { left: 84, right: 12, top: 8, bottom: 42 });
    this.chart = new Plot(element("multipliers"), { left: 84, right: 12, top: 10, bottom: 42 });
    this.choose = { time: element("time-column"), x: element("plane-x"), y: element("plane-y") };
    for (const select of Object.values(this.choose)) select.addEventListener("change", () => this.paint());
    this.element = element;
    this.offerColumns();
  }

  offerColumns() {
    const names = [];
    for (const orbit of this.model.orbits) {
      for (const name of Object.keys(orbit.columns)) {
        if (!names.includes(name) && areNumbers(orbit.columns[name])) names.push(name);
      }
    }
    const states = names.filter((name) => name !== "t");
    const fill = (select, offered, chosen) => {
      select.replaceChildren(...offered.map((name) => new Option(name, name, false, name === chosen)));
    };
    fill(this.choose.time, states, states[0]);
    fill(this.choose.x, names, states[0] ?? "t");
    fill(this.choose.y, states, states[1] ?? states[0]);
  }

  show(curve, row) {
    this.curve = curve;
    this.row = row;
    const label = curve.columns.label?.[row] ?? "";
    const index = curve.columns.index[row];
    this.element("point-title").textContent = `${curve.name} · point ${index}${label ? ` · ${label}` : ""}`;
    const special = this.model.special.find((entry) => entry.curve === curve.at && entry.index === index);
    this.element("message").replaceChildren(...worded(special?.message ?? ""));
    this.element("status").textContent = this.story();
    document.body.dataset.selected = `${curve.name}:${index}`;
    this.found = nearestOrbit(this.model, curve, row);
    this.fillInequalities();
    this.fillValues();
    this.paint();
  }

  // One sentence about the point, for the eye and for screen readers.
  story() {
    const { columns } = this.curve;
    const at = (name) => columns[name]?.[this.row];
    const said = this.curve.free.map((name) => `${name} = ${written(at(name))}`);
    if (at("stable") !== undefined) said.push(at("stable") ? "stable" : `unstable (${this.unstableDirections(at("unstable") ?? NaN, Number.isFinite(at("eig1_re")))})`);
    if (at("admissible") !== undefined) said.push(at("admissible") ? "admissible" : "not admissible");
    if (at("margin") !== undefined) said.push(`smallest margin ${marginOf(at("margin"), 4)}`);
    if (at("word")) said.push(`word: ${at("word")}`);
    return said.join(", ");
  }

  unstableDirections(count, ofEquilibrium) {
    const what = ofEquilibrium ? ["eigenvalue", "with positive real part"] : ["multiplier", "outside the unit circle"];
    return `${written(count)} ${what[0]}${count === 1 ? "" : "s"} ${what[1]}`;
  }

  // What must hold for the point to be an orbit of the system, and by how much it does; the next to break comes first.
  fillInequalities() {
    const table = this.element("inequalities");
    const here = this.curve.inequalities
      .map(({ label, meaning, margins }) => ({ label, meaning, margin: margins[this.row] }))
      .filter(({ margin }) => !Number.isNaN(margin))
      .sort((a, b) => a.margin - b.margin);
    table.hidden = here.length === 0;
    const lines = here.map(({ label, meaning, margin }) => {
      const line = document.createElement("tr");
      // Margins are capped where a surface is never near.
      line.className = margin < -ROUNDING ? "broken" : "";
      for (const text of [margin >= 1000 ? "far" : marginOf(margin, 5), label, meaning]) {
        const cell = document.createElement("td");
        cell.append(...worded(text));
        line.append(cell);
      }
      return line;
    });
    table.tBodies[0].replaceChildren(...lines);
  }

  fillValues() {
    const body = this.element("values").tBodies[0];
    const rows = Object.entries(this.curve.columns).map(([name, column]) => {
      const line = document.createElement("tr");
      const head = Object.assign(document.createElement("th"), { scope: "row", textContent: name });
      const value = column[this.row];
      const digits = column instanceof Float32Array ? 7 : 17;
      const cell = Object.assign(document.createElement("td"), { textContent: written(value, digits) });
      line.append(head, cell);
      return line;
    });
    body.replaceChildren(...rows);
  }

  paint() {
    if (this.curve === undefined) return;
    this.paintOrbit();
    this.paintMultipliers();
  }

  paintOrbit() {
    const has = this.found !== null;
    for (const id of ["time", "plane", "orbit-bar"]) this.element(id).hidden = !has;
    // An equilibrium has nothing to show over time.
    const lone = has && this.found.orbit.rows === 1;
    this.element("time").hidden = !has || lone;
    const note = this.element("orbit-note");
    if (!has) {
      this.element("orbit-elsewhere").hidden = true;
      note.textContent = "No orbit of this curve is stored.";
      delete document.body.dataset.orbit;
      return;
    }
    const { orbit, off } = this.found;
    const { columns, rows } = orbit;
    const canards = columns.canard === undefined ? [] : stretches(rows, (row) => columns.canard[row]);
    const sticks = columns.mode === undefined ? [] : stretches(rows, (row) => sticking(columns.mode[row]));
    const { map } = this.curve;
    const what = lone ? (map ? "Fixed point" : "Equilibrium") : map ? "Cycle" : "Orbit";
    const elsewhere = this.element("orbit-elsewhere");
    elsewhere.hidden = off === 0;
    elsewhere.textContent = `The drawing shows point ${orbit.index}, the nearest whose ${what.toLowerCase()} is stored – not point ${this.curve.columns.index[this.row]}.`;
    const parts = [`${what} of ${off === 0 ? "this point" : `point ${orbit.index}`}`];
    if (sticks.length > 0) parts.push(`${sticks.length} stick phase${sticks.length > 1 ? "s" : ""} (shaded)`);
    if (canards.length > 0) parts.push(`${canards.length} canard segment${canards.length > 1 ? "s" : ""} (orange)`);
    note.textContent = parts.join("; ") + ".";
    Object.assign(document.body.dataset, { orbit: `${this.curve.name}:${orbit.index}`, canards: canards.length, sticks: sticks.length });
    if (!lone) paintOrbit(this.time, this.model, orbit, ["t", this.choose.time.value], { map, colour: curveColour(this.curve.at), sticks, canards });
    paintOrbit(this.plane, this.model, orbit, [this.choose.x.value, this.choose.y.value], { map, colour: curveColour(this.curve.at), sticks: [], canards });
  }

  // log10 of the absolute values as stems from the unit line; past ±10 the scale is compressed.
  paintMultipliers() {
    const found = this.multipliers();
    this.element("multipliers").hidden = found.length === 0;
    const note = this.element("multiplier-note");
    note.textContent = found.map(({ name, size, angle }) => `|${name}| = ${power(size)}, arg ${partOfPi(angle)}`).join("; ");
    if (found.length === 0) return;
    const plot = this.chart;
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
    pen.fillStyle = style("--ink");
    const steps = reach > 30 ? [1, 10, 100, 1e3, 1e4, 1e5, 1e6].filter((size) => size < reach) : ticks(0, reach, { log: false }, 4).filter((tick) => tick.text !== null && tick.at > 0).map((tick) => tick.at);
    // From the ends inwards: numbers that would stand on each other are left out, but not the 0.
    const lettered = [plot.py(0)];
    for (const size of [0, ...steps.toReversed().flatMap((step) => [step, -step])]) {
      const y = plot.py(squeeze(size));
      pen.strokeStyle = size === 0 ? style("--ink") : style("--line");
      pen.lineWidth = size === 0 ? 2 : 1;
      pen.beginPath();
      pen.moveTo(left, y);
      pen.lineTo(left + width, y);
      pen.stroke();
      if (size !== 0 && lettered.some((other) => Math.abs(other - y) < 13)) continue;
      lettered.push(y);
      runs(pen, Math.abs(size) >= 1000 ? scientific(size) : plain(written(size)), left - 6, y + 4, "right", 12);
    }
    runs(pen, plain("|μ| = 1"), left + width - 5, plot.py(0) - 5, "right", 11);
    found.forEach(({ name, size, angle }, at) => {
      const x = plot.px(at + 1);
      const y = plot.py(Number.isFinite(size) ? squeeze(size) : size < 0 ? -1.06 : 1.06);
      pen.strokeStyle = pen.fillStyle = size > 0 ? style("--canard") : style("--accent");
      pen.lineWidth = 2;
      pen.beginPath();
      pen.moveTo(x, plot.py(0));
      pen.lineTo(x, y);
      pen.stroke();
      pen.beginPath();
      if (Number.isFinite(size)) {
        pen.arc(x, y, 4.5, 0, 2 * Math.PI);
      } else {
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

  multipliers() {
    const found = [];
    for (const [name, column] of Object.entries(this.curve.columns)) {
      const match = /^(mult|nu)(\d+)_log10$/.exec(name);
      if (match === null || Number.isNaN(column[this.row])) continue;
      const angle = this.curve.columns[`${match[1]}${match[2]}_arg`]?.[this.row] ?? 0;
      found.push({ name: (match[1] === "nu" ? "ν" : "μ") + subscript(match[2]), size: column[this.row], angle });
    }
    return found;
  }
}

// An orbit in a pair of its columns, of a map as points.
function paintOrbit(plot, model, orbit, [xName, yName], { map, colour, sticks, canards }) {
  const [x, y] = [orbit.columns[xName], orbit.columns[yName]];
  const pen = plot.begin();
  if (x === undefined || y === undefined) return;
  // The time of a map is the number of the iteration.
  const counts = (name) => map && name === "t";
  const axis = (name) => ({
    label: counts(name) ? [["n", true, 0]] : model.label.get(name)?.label ?? plain(name),
    log: false,
    counts: counts(name),
  });
  plot.x = axis(xName);
  plot.y = axis(yName);
  const [x0, x1] = counts(xName) ? [-0.5, orbit.rows - 0.5] : spanOf(x, xName === "t" ? 0 : 0.05) ?? [0, 1];
  const [y0, y1] = spanOf(y, 0.08) ?? [0, 1];
  plot.view = { x0, x1, y0, y1 };
  plot.clip();
  pen.fillStyle = style("--stick");
  for (const [first, last] of sticks) {
    const end = Math.min(last + 1, orbit.rows - 1);
    pen.fillRect(plot.px(x[first]), plot.frame.top, plot.px(x[end]) - plot.px(x[first]), plot.frame.height);
  }
  const turns = (name) => model.label.get(name)?.angle;
  const draw = (first, last) => {
    pen.beginPath();
    let joined = false;
    for (let row = first; row <= last; row++) {
      const fine = Number.isFinite(x[row]) && Number.isFinite(y[row]);
      const wraps = row > first && ((turns(xName) && Math.abs(x[row] - x[row - 1]) > Math.PI) || (turns(yName) && Math.abs(y[row] - y[row - 1]) > Math.PI));
      if (fine && joined && !wraps) pen.lineTo(plot.px(x[row]), plot.py(y[row]));
      else if (fine) pen.moveTo(plot.px(x[row]), plot.py(y[row]));
      joined = fine;
    }
    pen.stroke();
  };
  pen.setLineDash([]);
  pen.lineWidth = 1.8;
  pen.strokeStyle = colour;
  const dots = map || orbit.rows === 1;
  if (!dots) draw(0, orbit.rows - 1);
  for (let row = 0; dots && row < orbit.rows; row++) {
    pen.fillStyle = pen.strokeStyle;
    pen.beginPath();
    pen.arc(plot.px(x[row]), plot.py(y[row]), orbit.rows > 60 ? 2 : 4.5, 0, 2 * Math.PI);
    pen.fill();
  }
  pen.lineWidth = 4;
  pen.strokeStyle = style("--canard");
  for (const [first, last] of canards) draw(first, last);
  plot.unclip();
  plot.axes();
}

const subscript = (digits) => [...digits].map((digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]).join("");

// 10 to this power, in words short enough for a line.
function power(size) {
  if (size === -Infinity) return "0";
  return Math.abs(size) < 4 ? written(10 ** size, 6) : `10^${written(size, 7)}`;
}

// An angle as a part of π, to the digits that a number of single precision has.
function partOfPi(angle) {
  const part = written(Math.round((angle / Math.PI) * 1e6) / 1e6, 4);
  if (part === "0" || part === "−0") return "0";
  return part === "1" || part === "−1" ? part.replace("1", "π") : `${part}π`;
}

// A boundary that was located lies on its inequality, up to rounding.
const ROUNDING = 1e-9;
const marginOf = (margin, digits) => (margin < 0 && margin >= -ROUNDING ? "0 (to rounding)" : written(margin, digits));
