// The selected point: its orbit in linked panes, its multipliers, its values; other orbits pinned beside it; playback along the branch.

class PointView {
  // `hooks.select(curve, row)` walks; `hooks.colour(curve)` is the colour of a curve.
  constructor(model, hooks) {
    Object.assign(this, { model, hooks, pins: [], playing: null });
    const element = (id) => document.getElementById(id);
    this.element = element;
    const linked = { cursor: (row) => this.moveCursor(row) };
    this.time = new OrbitPane(model, element("time"), linked);
    this.plane = new OrbitPane(model, element("plane"), linked);
    this.space = new SpacePane(model, element("space"), linked);
    this.stems = new Stems(element("multipliers"));
    this.circle = new UnitCircle(element("circle"));
    this.choose = { time: element("time-column"), x: element("plane-x"), y: element("plane-y"), deep: element("space-z") };
    for (const select of Object.values(this.choose)) select.addEventListener("change", () => this.paint());
    this.offerColumns();
    element("pin").addEventListener("click", () => this.pin());
    element("play").addEventListener("click", () => this.play());
    element("cursor").addEventListener("input", (event) => this.moveCursor(+event.target.value));
    element("walk").addEventListener("input", (event) => this.walkTo(+event.target.value));
    for (const pane of [this.time, this.plane]) {
      pane.canvas.addEventListener("keydown", (event) => {
        const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (step === undefined || !this.found) return;
        event.preventDefault();
        const last = this.found.orbit.rows - 1;
        this.moveCursor(Math.max(0, Math.min(last, (this.cursor ?? 0) + step)));
      });
    }
  }

  offerColumns() {
    const names = [];
    for (const orbit of this.model.orbits.slice(0, 50)) {
      for (const name of Object.keys(orbit.columns)) {
        if (!names.includes(name) && areNumbers(orbit.columns[name])) names.push(name);
      }
    }
    this.states = names.filter((name) => name !== "t");
    const fill = (select, offered, chosen) => select.replaceChildren(...offered.map((name) => columnOption(this.model, name, chosen)));
    const { states } = this;
    fill(this.choose.time, states, states[0]);
    fill(this.choose.x, names, states[0] ?? "t");
    fill(this.choose.y, states, states[1] ?? states[0]);
    fill(this.choose.deep, states, states[2] ?? states[0]);
    this.choose.deep.parentElement.hidden = states.length < 3;
  }

  show(curve, row) {
    const index = curve.columns.index[row];
    const label = curve.columns.label?.[row] ?? "";
    if (curve !== this.curve || this.playing === null) this.stop();
    Object.assign(this, { curve, row });
    this.element("point-title").textContent = `${titleOf(this.model, curve)} · point ${index}${label ? ` · ${label}` : ""}`;
    this.element("point-title").title = `${curve.name}-${index}`;
    const special = this.model.special.find((entry) => entry.curve === curve.at && entry.index === index);
    this.element("message").replaceChildren(...worded(special?.message ?? ""));
    this.element("status").textContent = this.story();
    document.body.dataset.selected = `${curve.name}:${index}`;
    const before = this.found?.orbit;
    this.found = nearestOrbit(this.model, curve, row);
    if (before !== this.found?.orbit) this.cursor = null;
    const stored = orbitsOf(this.model, curve);
    Object.assign(this.element("walk"), { max: Math.max(stored.length - 1, 0), value: Math.max(0, stored.findIndex(({ orbit }) => orbit === this.found?.orbit)) });
    this.fillInequalities();
    this.fillValues();
    this.paint();
  }

  // One sentence about the point, for the eye and for screen readers.
  story() {
    const { columns } = this.curve;
    const at = (name) => columns[name]?.[this.row];
    const said = this.curve.free.map((name) => `${humanName(this.model, name)} = ${written(at(name))}`);
    if (at("stable") !== undefined && !this.curve.locus) said.push(at("stable") ? "stable" : `unstable (${this.unstableDirections(at("unstable") ?? NaN, Number.isFinite(at("eig1_re")))})`);
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
      // Margins are capped where a surface is never near.
      const line = tableRow([margin >= 1000 ? "far" : marginOf(margin, 5), label, meaning].map(worded));
      line.className = margin < -ROUNDING ? "broken" : "";
      return line;
    });
    table.tBodies[0].replaceChildren(...lines);
  }

  fillValues() {
    const rows = Object.entries(this.curve.columns).map(([name, column]) => {
      const head = create("th", { scope: "row", title: name }, ...lettered(labelOf(this.model, name)));
      const value = column[this.row];
      const digits = column instanceof Float32Array ? 7 : 17;
      return create("tr", {}, head, create("td", { textContent: written(value, digits) }));
    });
    this.element("values").tBodies[0].replaceChildren(...rows);
  }

  paint() {
    if (this.curve === undefined) return;
    this.paintOrbit();
    const found = multipliersAt(this.curve, this.row);
    this.stems.paint(found);
    this.circle.paint(this.curve, this.row);
    this.element("multiplier-note").textContent = [
      ...found.map(({ name, size, angle }) => `|${name}| = ${power(size)}, arg ${partOfPi(angle)}`),
      ...eigenvaluesAt(this.curve, this.row).map(({ name, re, im }) => `${name} = ${written(re, 6)}${im === 0 ? "" : ` ${im < 0 ? "−" : "+"} ${written(Math.abs(im), 6)}i`}`),
    ].join("; ");
  }

  paintOrbit() {
    const has = this.found !== null;
    // An equilibrium has nothing to show over time.
    const lone = has && this.found.orbit.rows === 1;
    const { element } = this;
    element("orbit-bar").hidden = element("plane").hidden = !has;
    element("time").hidden = element("cursor-box").hidden = !has || lone;
    element("space").hidden = !has || lone || this.states.length < 3;
    element("play-bar").hidden = orbitsOf(this.model, this.curve).length < 2;
    if (!has) {
      element("orbit-elsewhere").hidden = true;
      element("orbit-note").textContent = "No orbit of this curve is stored.";
      delete document.body.dataset.orbit;
      return;
    }
    this.tellOrbit(lone);
    const { map } = this.curve;
    const own = { orbit: this.found.orbit, colour: this.hooks.colour(this.curve), map, name: "" };
    const orbits = [own, ...this.pins.filter((pin) => pin.orbit !== own.orbit)];
    const [time, x, y, z] = Object.values(this.choose).map((select) => select.value);
    const span = this.playing?.spans;
    if (!lone) this.time.show(orbits, ["t", time], span && [span.get("t"), span.get(time)]);
    this.plane.show(orbits, [x, y], span && [span.get(x), span.get(y)]);
    if (!element("space").hidden) this.space.show(orbits, [x === "t" ? this.states[0] : x, y, z], span && [span.get(x), span.get(y), span.get(z)]);
    Object.assign(element("cursor"), { max: this.found.orbit.rows - 1, value: this.cursor ?? 0 });
    this.moveCursor(this.cursor ?? null);
  }

  // What the panes show, in words.
  tellOrbit(lone) {
    const { orbit, off } = this.found;
    const canards = canardsOf(orbit);
    const sticks = segmentsOf(orbit).filter(([, , mode]) => sticking(mode));
    const { map } = this.curve;
    const what = lone ? (map ? "Fixed point" : "Equilibrium") : map ? "Cycle" : "Orbit";
    const elsewhere = this.element("orbit-elsewhere");
    elsewhere.hidden = off === 0;
    elsewhere.textContent = `The drawing shows point ${orbit.index}, the nearest whose ${what.toLowerCase()} is stored – not point ${this.curve.columns.index[this.row]}.`;
    const parts = [`${what} of ${off === 0 ? "this point" : `point ${orbit.index}`}`];
    if (sticks.length > 0) parts.push(`${sticks.length} stick phase${sticks.length > 1 ? "s" : ""} (shaded)`);
    if (canards.length > 0) parts.push(`${canards.length} canard segment${canards.length > 1 ? "s" : ""} (orange)`);
    const events = segmentsOf(orbit).length - 1;
    if (events > 0) parts.push(`${events} event${events > 1 ? "s" : ""} (marked)`);
    this.element("orbit-note").textContent = `${parts.join("; ")}.`;
    Object.assign(document.body.dataset, { orbit: `${this.curve.name}:${orbit.index}`, canards: canards.length, sticks: sticks.length });
  }

  // One place of the orbit, marked in all panes.
  moveCursor(row) {
    this.cursor = row;
    for (const pane of [this.time, this.plane, this.space]) {
      if (pane.cursor === row) continue;
      pane.cursor = row;
      pane.draw();
    }
    const told = this.element("cursor-told");
    if (row === null || !this.found) {
      told.textContent = "";
      return;
    }
    const { columns } = this.found.orbit;
    const said = Object.entries(columns).filter(([name, column]) => areNumbers(column) || name === "mode");
    const text = said.map(([name, column]) => (name === "mode" ? column[row] : `${humanName(this.model, name)} = ${written(column[row], 5)}`)).join(", ");
    told.textContent = text;
    const slider = this.element("cursor");
    slider.value = row;
    slider.setAttribute("aria-valuetext", text);
    document.body.dataset.cursor = row;
  }

  // Keep the orbit in view, to compare others with it.
  pin() {
    if (!this.found) return;
    const { orbit } = this.found;
    if (this.pins.some((pin) => pin.orbit === orbit)) return;
    const { palette } = this.model;
    // Pins have colours that no other pin has, from the far end of those of curves.
    const colour = hexadecimal(shown(palette[(palette.length - 1 - this.pins.length) % palette.length]));
    this.pins.push({ orbit, colour, map: this.curve.map, name: `${titleOf(this.model, this.curve)} · ${orbit.index}` });
    this.listPins();
  }

  listPins() {
    const items = this.pins.map((pin) => {
      const swatch = create("span", { className: "swatch" });
      swatch.style.borderTopColor = pin.colour;
      const away = create("button", { type: "button", className: "chip", textContent: "remove" });
      away.setAttribute("aria-label", `Remove ${pin.name}`);
      away.addEventListener("click", () => {
        this.pins = this.pins.filter((other) => other !== pin);
        this.listPins();
      });
      return create("li", {}, swatch, pin.name, away);
    });
    this.element("pins").replaceChildren(...items);
    document.body.dataset.pins = this.pins.length;
    this.paint();
  }

  walkTo(at) {
    const stored = orbitsOf(this.model, this.curve);
    if (stored[at] !== undefined) this.hooks.select(this.curve, stored[at].row);
  }

  // Walk along the branch, orbit by orbit, in axes that show them all.
  play() {
    if (this.playing !== null) {
      this.stop();
      this.paint();
      return;
    }
    const stored = orbitsOf(this.model, this.curve);
    const spans = new Map();
    for (const name of ["t", ...this.states]) {
      let [low, high] = [Infinity, -Infinity];
      for (const { orbit } of stored) for (const value of orbit.columns[name] ?? []) if (Number.isFinite(value)) [low, high] = [Math.min(low, value), Math.max(high, value)];
      spans.set(name, low <= high ? [low, high] : null);
    }
    let at = stored.findIndex(({ orbit }) => orbit === this.found?.orbit);
    if (at >= stored.length - 1) at = -1;
    // Forty steps a branch take four seconds, a long one no more than half a minute.
    const pause = Math.max(50, Math.min(100, 30000 / stored.length));
    this.playing = { spans, timer: setInterval(() => {
      at += 1;
      if (at >= stored.length) return this.stop();
      this.hooks.select(this.curve, stored[at].row);
    }, pause) };
    this.tellPlaying(true);
  }

  stop() {
    if (this.playing === null) return;
    clearInterval(this.playing.timer);
    this.playing = null;
    this.tellPlaying(false);
  }

  tellPlaying(on) {
    const button = this.element("play");
    button.textContent = on ? "Pause" : "Play along the branch";
    button.setAttribute("aria-pressed", String(on));
    document.body.dataset.playing = on;
  }
}
