// Charts over two parameters and basins: cells in the colours of the printed figure, what is known of the cell under the pointer,
// curves over them.

class CellsView {
  constructor(model, cells, section) {
    this.model = model;
    this.cells = cells;
    const figure = Object.assign(document.createElement("figure"), { className: "cells" });
    const caption = Object.assign(document.createElement("figcaption"), { textContent: cells.name });
    this.canvas = create("canvas", { tabIndex: 0 });
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-label", `${cells.name}: cells over ${cells.x.name} and ${cells.y.name}. Arrow keys move from cell to cell.`);
    this.tip = Object.assign(document.createElement("div"), { className: "tip", hidden: true });
    const stage = Object.assign(document.createElement("div"), { className: "stage" });
    stage.append(this.canvas, this.tip);
    const [picture, side] = [document.createElement("div"), document.createElement("div")];
    this.told = create("p", { className: "told" });
    this.told.setAttribute("role", "status");
    picture.append(this.legend(), stage, this.told);
    figure.append(caption, picture, side);
    if (cells.orbits.length > 0) this.orbit = new CellOrbit(model, cells, side);
    section.append(figure);
    this.plot = new Plot(this.canvas);
    for (const axis of ["x", "y"]) {
      this.plot[axis] = { label: cells[axis].label, log: cells[axis].log };
      this.plot.view[`${axis}0`] = this.place(axis, cells[axis].edges[0]);
      this.plot.view[`${axis}1`] = this.place(axis, cells[axis].edges.at(-1));
    }
    this.whole = { ...this.plot.view };
    // For scripts: where a cell is on the canvas.
    this.canvas.placeOf = (i, j) => [this.plot.px(this.place("x", cells.x.values[i])), this.plot.py(this.place("y", cells.y.values[j]))];
    this.canvas.viewNow = () => ({ ...this.plot.view });
    this.navigation = new Navigation(this.plot, {
      draw: () => this.draw(),
      whole: () => this.whole,
      hover: (px, py) => this.hover(px, py),
      tap: (px, py) => {
        const cell = this.cellAt(px, py);
        if (cell !== null) this.choose(cell);
      },
    });
    this.canvas.addEventListener("keydown", (event) => this.walk(event));
  }

  // From cell to cell by the arrow keys.
  walk(event) {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const [wide, high] = [this.cells.x.values.length, this.cells.y.values.length];
    const { i, j } = this.chosen ?? { i: wide >> 1, j: high >> 1 };
    const [k, l] = [Math.min(Math.max(i + step[0], 0), wide - 1), Math.min(Math.max(j + step[1], 0), high - 1)];
    this.choose({ i: k, j: l, at: l * wide + k });
    this.told.textContent = this.story(this.chosen).join("; ");
  }

  // What the colours stand for, as far as it is seen.
  legend() {
    const { legend, names } = this.cells;
    const seen = new Set(names);
    const list = Object.assign(document.createElement("p"), { className: "key" });
    legend.forEach(([pieces, colour], at) => {
      if (!seen.has(at + 1)) return;
      const swatch = Object.assign(document.createElement("span"), { className: "cell" });
      swatch.style.background = `rgb(${colour.join(" ")})`;
      const label = document.createElement("span");
      label.append(swatch, ...lettered(pieces));
      list.append(label);
    });
    for (const [at, name] of this.cells.curves.entries()) {
      const curve = this.model.curves.find((other) => other.name === name);
      if (curve === undefined) continue;
      const line = Object.assign(document.createElement("span"), { className: "line" });
      line.style.borderTopColor = this.colourOf(curve);
      const label = document.createElement("span");
      label.append(line, ...lettered(this.cells.curve_labels[at]));
      list.append(label);
    }
    return list;
  }

  // Lines over cells have the colours of print on any paper.
  colourOf(curve) {
    return hexadecimal(`rgb(${this.cells.curve_colours[this.cells.curves.indexOf(curve.name)].join(" ")})`);
  }

  place(axis, value) {
    return this.cells[axis].log ? Math.log10(value) : value;
  }

  // The cell along an axis that a place of it lies in, or -1.
  along(axis, at) {
    const edges = this.cells[axis].edges;
    const value = this.cells[axis].log ? 10 ** at : at;
    if (!(value >= edges[0] && value < edges.at(-1))) return -1;
    let [low, high] = [0, edges.length - 1];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (edges[middle] <= value) low = middle;
      else high = middle;
    }
    return low;
  }

  // The cell under a pixel, or null.
  cellAt(px, py) {
    const { x, y } = this.plot.at(px, py);
    const [i, j] = [this.along("x", x), this.along("y", y)];
    return i < 0 || j < 0 ? null : { i, j, at: j * this.cells.x.values.length + i };
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
    const { plot, cells } = this;
    const pen = plot.begin();
    const { left, top, width, height } = plot.frame;
    const ratio = this.canvas.width / this.canvas.clientWidth;
    const [columns, rows] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (columns < 1 || rows < 1) return;
    const image = pen.createImageData(columns, rows);
    const pixels = new Uint32Array(image.data.buffer);
    const opaque = (colour) => {
      const bytes = new Uint8Array([...colour, 255]);
      return new Uint32Array(bytes.buffer)[0];
    };
    const colours = cells.colours.map(opaque);
    const across = Array.from({ length: columns }, (_, k) => this.along("x", plot.at(left + (k + 0.5) / ratio, 0).x));
    const stride = cells.x.values.length;
    for (let row = 0; row < rows; row++) {
      const j = this.along("y", plot.at(0, top + (row + 0.5) / ratio).y);
      if (j < 0) continue;
      for (let column = 0; column < columns; column++) {
        const i = across[column];
        if (i >= 0) pixels[row * columns + column] = colours[cells.looks[j * stride + i]];
      }
    }
    pen.putImageData(image, Math.round(left * ratio), Math.round(top * ratio));
    plot.clip();
    for (const name of cells.curves) this.paintCurve(pen, this.model.curves.find((curve) => curve.name === name));
    for (const [x, y] of cells.marks) this.ring(pen, x, y);
    for (const [[x, y], shape, name] of cells.signs) {
      const [px, py] = [plot.px(this.place("x", x)), plot.py(this.place("y", y))];
      if (!plot.holds(px, py)) continue;
      symbol(pen, shape, px, py, style("--ink"));
      if (name !== null) this.word(pen, name, px + 9, py - 7);
    }
    if (this.chosen) this.cross(pen, cells.x.values[this.chosen.i], cells.y.values[this.chosen.j]);
    this.navigation.paintBox(pen);
    plot.unclip();
    plot.axes();
    this.orbit?.paint();
  }

  // Choose a cell: its orbit is shown, or the nearest that moves alike.
  choose(cell) {
    this.chosen = cell;
    this.orbit?.show(cell);
    this.paint();
  }

  // A name that can be read over any cell.
  word(pen, text, x, y) {
    const wide = 8 * text.length;
    pen.globalAlpha = 0.75;
    pen.fillStyle = style("--paper");
    pen.fillRect(x - 2, y - 11, wide + 4, 15);
    pen.globalAlpha = 1;
    pen.fillStyle = style("--ink");
    runs(pen, plain(text), x, y, "left", 12);
  }

  // The chosen cell, unlike a ring that says where an attractor is.
  cross(pen, x, y) {
    const [px, py] = [this.plot.px(this.place("x", x)), this.plot.py(this.place("y", y))];
    pen.setLineDash([]);
    for (const [colour, width] of [["#ffffff", 5], ["#000000", 2]]) {
      pen.strokeStyle = colour;
      pen.lineWidth = width;
      pen.beginPath();
      for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
        pen.moveTo(px + 4 * dx, py + 4 * dy);
        pen.lineTo(px + 11 * dx, py + 11 * dy);
      }
      pen.stroke();
    }
  }

  ring(pen, x, y) {
    pen.beginPath();
    pen.arc(this.plot.px(this.place("x", x)), this.plot.py(this.place("y", y)), 4.5, 0, 2 * Math.PI);
    pen.setLineDash([]);
    pen.lineWidth = 1.6;
    pen.fillStyle = "#ffffff";
    pen.strokeStyle = "#000000";
    pen.fill();
    pen.stroke();
  }

  paintCurve(pen, curve) {
    const [x, y] = [curve?.columns[this.cells.x.name], curve?.columns[this.cells.y.name]];
    if (x === undefined || y === undefined) return;
    pen.setLineDash([]);
    for (const [colour, width] of [["#ffffff", 4], [this.colourOf(curve), 2]]) {
      pen.strokeStyle = colour;
      pen.lineWidth = width;
      pen.beginPath();
      for (let row = 0; row < curve.rows; row++) pen.lineTo(this.plot.px(this.place("x", x[row])), this.plot.py(this.place("y", y[row])));
      pen.stroke();
    }
  }

  // What is known of a cell, line by line.
  story({ i, j, at }) {
    const { x, y, known, legend, names } = this.cells;
    const lines = [`${humanName(this.model, x.name)} = ${written(x.values[i])}, ${humanName(this.model, y.name)} = ${written(y.values[j])}`];
    const name = legend[names[at] - 1]?.[0].map(([text, , level]) => (level > 0 ? `^${text}` : text)).join("");
    lines.push(name ?? "nothing known");
    for (const [column, values] of Object.entries(known.columns)) {
      const value = values[at];
      if (value === "" || value === name || value === undefined || Number.isNaN(value)) continue;
      lines.push(`${humanName(this.model, column)}: ${written(value, 6)}`);
    }
    return lines;
  }

  hover(px, py) {
    const cell = px === undefined ? null : this.cellAt(px, py);
    const { left, top, width, height } = this.plot.frame ?? { left: 0, top: 0, width: 0, height: 0 };
    const inside = cell !== null && px >= left && px <= left + width && py >= top && py <= top + height;
    this.tip.hidden = !inside;
    if (!inside) return;
    this.tip.replaceChildren(...this.story(cell).map((text) => Object.assign(document.createElement("div"), { textContent: text })));
    const beyond = px + 24 + this.tip.offsetWidth > this.canvas.clientWidth;
    this.tip.style.left = `${beyond ? px - 16 - this.tip.offsetWidth : px + 16}px`;
    this.tip.style.top = `${Math.max(0, Math.min(py + 12, this.canvas.clientHeight - this.tip.offsetHeight))}px`;
  }
}

// The orbit of the chosen cell over time and in a plane.
class CellOrbit {
  constructor(model, cells, side) {
    Object.assign(this, { model, cells });
    this.note = Object.assign(document.createElement("p"), { className: "hint", textContent: "A click on a cell shows its orbit." });
    this.bar = Object.assign(document.createElement("div"), { className: "bar", hidden: true });
    const canvases = ["orbit over time", "orbit in a plane"].map((what) => {
      const canvas = create("canvas", { hidden: true, className: "orbit", tabIndex: 0 });
      canvas.setAttribute("role", "img");
      canvas.setAttribute("aria-label", `${cells.name}: ${what}`);
      return canvas;
    });
    const cursor = (row) => {
      for (const pane of [this.time, this.plane]) {
        pane.cursor = row;
        pane.draw();
      }
    };
    [this.time, this.plane] = canvases.map((canvas) => new OrbitPane(model, canvas, { cursor }));
    const states = Object.keys(cells.orbits[0].columns).filter((name) => name !== "t" && areNumbers(cells.orbits[0].columns[name]));
    this.select = ["over time", "plane", "against"].map((text, at) => {
      const select = document.createElement("select");
      const chosen = states[Math.min(Math.max(at - 1, 0), states.length - 1)];
      select.replaceChildren(...states.map((name) => columnOption(model, name, chosen)));
      select.addEventListener("change", () => this.paint());
      const label = document.createElement("label");
      label.append(`${text} `, select);
      this.bar.append(label);
      return select;
    });
    side.append(this.note, this.bar, ...canvases);
  }

  // The stored orbit nearest to a cell that has its motion, if there is one.
  nearest({ i, j, at }) {
    const { motions, orbits, x, y } = this.cells;
    const stride = x.values.length;
    let best = null;
    for (const orbit of orbits) {
      if (orbit.motion !== motions[at] || motions[at] === 0) continue;
      const [k, l] = orbit.cell === null ? [i, j] : [orbit.cell % stride, Math.floor(orbit.cell / stride)];
      const off = Math.hypot((k - i) / stride, (l - j) / y.values.length);
      if (best === null || off < best.off) best = { orbit, off, i: k, j: l };
    }
    return best;
  }

  show(cell) {
    this.found = this.nearest(cell);
    const { x, y } = this.cells;
    const where = ({ i, j }) => `${humanName(this.model, x.name)} = ${written(x.values[i])}, ${humanName(this.model, y.name)} = ${written(y.values[j])}`;
    if (this.found === null) this.note.textContent = `No orbit is stored of what moves as at ${where(cell)}.`;
    else if (this.found.orbit.cell === null) this.note.textContent = `The attractor that the motion from ${where(cell)} comes to.`;
    else if (this.found.off === 0) this.note.textContent = `The orbit at ${where(cell)}.`;
    else this.note.textContent = `The orbit at ${where(this.found)}: the nearest stored one that moves as that at ${where(cell)}.`;
    for (const part of [this.bar, this.time.canvas, this.plane.canvas]) part.hidden = this.found === null;
    if (this.found?.orbit.rows === 1) this.time.canvas.hidden = true;
    document.body.dataset.cell = `${cell.i}:${cell.j}`;
    document.body.dataset.cellOrbit = this.found === null ? "" : `${this.found.i}:${this.found.j}`;
  }

  paint() {
    if (!this.found) return;
    const shown = [{ orbit: this.found.orbit, colour: style("--ink"), map: this.cells.map, name: "" }];
    const [time, x, y] = this.select.map((select) => select.value);
    if (!this.time.canvas.hidden) this.time.show(shown, ["t", time]);
    this.plane.show(shown, [x, y]);
  }
}
