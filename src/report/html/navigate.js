// How a plot is zoomed and moved: by wheel, mouse, fingers and keys, within bounds, and back again.

// How far out a view may reach, in sizes of what there is to see; how far in, as a part of it and of the numbers themselves.
const FARTHEST = 40;
const NEAREST = 1e-9;
const DECADES = 600;

class Navigation {
  // `whole` tells the view of everything; `draw` draws; `tap` and `hover` get places; `changed` is called when a view stays.
  constructor(plot, hooks) {
    this.plot = plot;
    this.canvas = plot.canvas;
    this.hooks = { tap() {}, hover() {}, changed() {}, drag: () => false, ...hooks };
    this.before = [];
    this.boxing = false;
    this.touches = null;
    this.listen();
  }

  // The view nearest to a wanted one that is within bounds.
  bounded(view) {
    const whole = this.hooks.whole();
    const bounded = {};
    for (const axis of ["x", "y"]) {
      const [from, to] = [`${axis}0`, `${axis}1`];
      const extent = Math.max(whole[to] - whole[from], Number.MIN_VALUE);
      const { log } = this.plot[axis];
      const most = log ? Math.min(FARTHEST * extent, DECADES) : FARTHEST * extent;
      let [low, high] = [view[from], view[to]];
      if (!Number.isFinite(low) || !Number.isFinite(high) || !(high > low)) [low, high] = [whole[from], whole[to]];
      const least = Math.max(NEAREST * extent, (log ? 1e-9 : 1e-10) * Math.max(Math.abs(low), Math.abs(high)));
      const width = Math.min(Math.max(high - low, least), most);
      const reach = (most - extent) / 2;
      let middle = Math.min(Math.max((low + high) / 2, whole[from] - reach), whole[to] + reach);
      if (log) middle = Math.min(Math.max(middle, -300), 300);
      // What is within bounds stays as it is, to the last digit.
      const same = width === high - low && middle === (low + high) / 2;
      bounded[from] = same ? low : middle - width / 2;
      bounded[to] = same ? high : middle + width / 2;
    }
    return bounded;
  }

  // Show a view; where `remember`, one can come back to the one before.
  set(view, remember = true) {
    if (remember) this.remember();
    this.plot.view = this.bounded(view);
    this.hooks.draw();
    this.hooks.changed();
  }

  // Steps of the wheel that follow each other are one step back.
  remember(gesture = "step") {
    const now = performance.now();
    const goesOn = gesture !== "step" && gesture === this.gesture && now - this.lately < 600;
    Object.assign(this, { gesture, lately: now });
    if (goesOn) return;
    this.before.push({ ...this.plot.view });
    if (this.before.length > 100) this.before.shift();
  }

  undo() {
    const view = this.before.pop();
    if (view !== undefined) this.set(view, false);
  }

  // Forget what was seen of other axes.
  restart(view) {
    this.before = [];
    this.set(view, false);
  }

  fit() {
    this.set(this.hooks.whole());
  }

  zoom(factor, px, py, inX = true, inY = true, gesture = "step") {
    const { plot } = this;
    if (plot.frame === undefined) return;
    const { left, top, width, height } = plot.frame;
    const about = plot.at(px ?? left + width / 2, py ?? top + height / 2);
    const view = { ...plot.view };
    for (const [axis, wanted] of [["x", inX], ["y", inY]]) {
      const [from, to] = [`${axis}0`, `${axis}1`];
      const least = this.bounded({ ...plot.view, [from]: about[axis] + (view[from] - about[axis]) * factor, [to]: about[axis] + (view[to] - about[axis]) * factor });
      // At the bounds nothing moves.
      const allowed = (least[to] - least[from]) / (view[to] - view[from]);
      if (wanted) Object.assign(view, { [from]: about[axis] + (view[from] - about[axis]) * allowed, [to]: about[axis] + (view[to] - about[axis]) * allowed });
    }
    this.remember(gesture);
    this.set(view, false);
  }

  // What a key does; whether it does anything.
  key(key) {
    if (key === "+" || key === "=") this.zoom(0.7);
    else if (key === "-") this.zoom(1 / 0.7);
    else if (key === "0") this.fit();
    else if (key === "u" || key === "Backspace") this.undo();
    else if (key === "b") this.toggleBox();
    else return false;
    return true;
  }

  toggleBox() {
    this.boxing = !this.boxing;
    this.canvas.classList.toggle("boxing", this.boxing);
    this.hooks.boxing?.(this.boxing);
  }

  // The box that is being drawn.
  paintBox(pen) {
    if (!this.box) return;
    pen.setLineDash([4, 3]);
    pen.lineWidth = 1.2;
    pen.strokeStyle = style("--accent");
    pen.strokeRect(this.box.x0, this.box.y0, this.box.x1 - this.box.x0, this.box.y1 - this.box.y0);
    pen.setLineDash([]);
  }

  place(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  listen() {
    const { canvas } = this;
    canvas.addEventListener("wheel", (event) => {
      // A page that is scrolled over a plot goes on scrolling.
      if (document.activeElement !== canvas && !event.ctrlKey && !event.metaKey) return this.hooks.unasked?.();
      event.preventDefault();
      const unit = [1, 16, 400][event.deltaMode] ?? 1;
      const turn = (event.deltaY || event.deltaX) * unit;
      this.zoom(Math.exp(Math.max(-1, Math.min(1, turn / 300))), ...this.place(event), !event.altKey, !event.shiftKey, "wheel");
    }, { passive: false });
    canvas.addEventListener("dblclick", () => this.fit());
    canvas.addEventListener("keydown", (event) => {
      if ((event.ctrlKey || event.metaKey) && event.key === "z") this.undo();
      else if (event.ctrlKey || event.metaKey || event.altKey || !this.key(event.key)) return;
      event.preventDefault();
    });
    this.listenToMouse();
    this.listenToFingers();
  }

  listenToMouse() {
    const { canvas, plot } = this;
    let drag = null;
    canvas.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "touch" || event.button !== 0) return;
      const start = this.place(event);
      drag = { at: start, start, box: event.shiftKey !== this.boxing, moved: false, own: this.hooks.drag("start", start, event) };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (event.pointerType === "touch") return;
      const [x, y] = this.place(event);
      if (drag === null) return this.hooks.hover(x, y);
      drag.moved ||= Math.hypot(x - drag.start[0], y - drag.start[1]) > 4;
      if (!drag.moved) return;
      this.hooks.hover();
      if (drag.own) {
        this.hooks.drag("move", [x, y], event);
        return;
      }
      if (drag.box) this.box = { x0: drag.start[0], y0: drag.start[1], x1: x, y1: y };
      else {
        const [from, to] = [plot.at(...drag.at), plot.at(x, y)];
        const { x0, x1, y0, y1 } = plot.view;
        this.remember("drag");
        plot.view = this.bounded({ x0: x0 + from.x - to.x, x1: x1 + from.x - to.x, y0: y0 + from.y - to.y, y1: y1 + from.y - to.y });
        drag.at = [x, y];
      }
      this.hooks.draw();
    });
    canvas.addEventListener("pointerup", (event) => {
      if (event.pointerType === "touch" || drag === null) return;
      if (!drag.moved) this.hooks.tap(...this.place(event), event);
      else if (this.box) this.intoBox();
      else this.hooks.changed();
      [drag, this.box] = [null, null];
      this.gesture = null;
      this.hooks.draw();
    });
    canvas.addEventListener("pointercancel", () => ([drag, this.box] = [null, null]));
    canvas.addEventListener("pointerleave", () => this.hooks.hover());
  }

  // Fill the frame with what the box holds.
  intoBox() {
    const [a, b] = [this.plot.at(this.box.x0, this.box.y0), this.plot.at(this.box.x1, this.box.y1)];
    if (Math.abs(this.box.x1 - this.box.x0) < 5 || Math.abs(this.box.y1 - this.box.y0) < 5) return;
    this.set({ x0: Math.min(a.x, b.x), x1: Math.max(a.x, b.x), y0: Math.min(a.y, b.y), y1: Math.max(a.y, b.y) });
    if (this.boxing) this.toggleBox();
  }

  // Two fingers zoom and move; one finger scrolls the page, a tap chooses.
  listenToFingers() {
    const { canvas, plot } = this;
    let [pinch, tap] = [null, null];
    const gather = (event) => {
      const [a, b] = [...event.touches].slice(0, 2).map((touch) => this.place(touch));
      return { middle: [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2], apart: Math.max(Math.hypot(a[0] - b[0], a[1] - b[1]), 10) };
    };
    canvas.addEventListener("touchstart", (event) => {
      if (event.touches.length === 2) {
        event.preventDefault();
        const { middle, apart } = gather(event);
        pinch = { apart, about: plot.at(...middle), view: { ...plot.view } };
        tap = null;
        this.remember();
      } else tap = event.touches.length === 1 ? this.place(event.touches[0]) : null;
    }, { passive: false });
    canvas.addEventListener("touchmove", (event) => {
      if (pinch === null || event.touches.length !== 2) {
        if (tap !== null) {
          const [x, y] = this.place(event.touches[0]);
          if (Math.hypot(x - tap[0], y - tap[1]) > 10) tap = null;
        }
        return;
      }
      event.preventDefault();
      const { middle, apart } = gather(event);
      const factor = pinch.apart / apart;
      const { left, top, width, height } = plot.frame;
      // What was between the fingers stays between them.
      const [wide, high] = [(pinch.view.x1 - pinch.view.x0) * factor, (pinch.view.y1 - pinch.view.y0) * factor];
      const x0 = pinch.about.x - ((middle[0] - left) / width) * wide;
      const y1 = pinch.about.y + ((middle[1] - top) / height) * high;
      this.set({ x0, x1: x0 + wide, y0: y1 - high, y1 }, false);
    }, { passive: false });
    canvas.addEventListener("touchend", (event) => {
      if (event.touches.length < 2) pinch = null;
      if (tap !== null && event.touches.length === 0) {
        // No mouse is made up after the finger.
        event.preventDefault();
        this.hooks.tap(...tap, event);
      }
      tap = null;
    });
    canvas.addEventListener("touchcancel", () => ([pinch, tap] = [null, null]));
  }
}
