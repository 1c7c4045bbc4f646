// Buttons, keys, files: what a reader does to the page.

Object.assign(Page.prototype, {
  listen() {
    const { element, diagram, point } = this;
    const clicks = {
      "as-printed": () => this.useView(this.model.views.indexOf(this.view), true),
      inset: () => diagram.navigation.set(diagram.magnified(this.view)),
      fit: () => diagram.navigation.fit(),
      undo: () => diagram.navigation.undo(),
      box: () => diagram.navigation.toggleBox(),
      "zoom-in": () => diagram.navigation.zoom(0.7),
      "zoom-out": () => diagram.navigation.zoom(1 / 0.7),
      "all-curves": () => this.tree.set(new Set()),
      "save-svg": () => download(`${viewName(diagram)}.svg`, svgOf(diagram), "image/svg+xml"),
      "save-csv": () => download(`${viewName(diagram)}.csv`, csvOf(diagram), "text/csv"),
      "save-ron": () => download("figure.ron", ronOf(diagram), "text/plain"),
      print: () => window.print(),
      "copy-show": () => copy(showCommand(point.curve, point.row)),
      "copy-study": () => copy(this.studyFromHere()),
      "close-sheet": () => {
        element("point-section").classList.remove("sheet");
        diagram.canvas.focus({ preventScroll: true });
      },
      theme: () => {
        document.documentElement.dataset.theme = isDark() ? "light" : "dark";
        this.redraw();
      },
    };
    for (const [id, does] of Object.entries(clicks)) element(id).addEventListener("click", does);
    window.addEventListener("resize", () => this.redraw());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw());
    diagram.canvas.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (this.pressed(event.key)) event.preventDefault();
    });
    window.addEventListener("keydown", (event) => {
      if (event.key === "Escape") element("point-section").classList.remove("sheet");
    });
    // The address says what is shown, not where the page is scrolled to.
    for (const link of document.querySelectorAll("nav a")) {
      link.addEventListener("click", (event) => {
        event.preventDefault();
        element(link.hash.slice(1)).scrollIntoView();
      });
    }
    element("overlay").addEventListener("change", (event) => this.layOver(event.target));
    printAsVector(diagram, point, () => this.redraw());
    this.answerScripts();
  },

  // For scripts: where a row of a curve is on the canvas, a drawing at once, and what would be saved.
  answerScripts() {
    const { diagram, model } = this;
    Object.assign(diagram.canvas, {
      placeOf: (name, row) => diagram.placeOf(model.curves.find((curve) => curve.name === name), row),
      viewNow: () => ({ ...diagram.plot.view }),
      drawNow: () => {
        diagram.paint();
        return 1;
      },
      saved: (kind, size) => ({ svg: svgOf, csv: csvOf, ron: ronOf })[kind](diagram, size),
      studyNow: () => this.studyFromHere(),
    });
  },

  studyFromHere() {
    const { diagram, point, model } = this;
    const column = diagram.columns.find((name) => expression(name)[0] === null && name !== point.curve.free[0]);
    const { study, why } = continuingStudy(model, this.element("study").textContent, point.curve, point.row, column);
    return study ?? why;
  },

  redraw() {
    if (this.axes !== undefined) {
      this.tree.colour(this.diagram.colours);
      this.fillLegend();
    }
    this.diagram.draw();
    this.point.paint();
    for (const view of this.cells) view.draw();
  },

  // Lay files over the diagram.
  async layOver(input) {
    const { diagram, model } = this;
    for (const file of input.files) {
      const colour = model.palette[(model.curves.length + diagram.overlays.length) % model.palette.length];
      const overlay = new Overlay(file.name, await file.text(), colour);
      overlay.place(diagram);
      diagram.overlays.push(overlay);
    }
    input.value = "";
    diagram.everything = null;
    this.listOverlays();
  },

  listOverlays() {
    const { diagram } = this;
    const items = diagram.overlays.map((overlay) => {
      const swatch = create("span", { className: "swatch" });
      swatch.style.borderTopColor = hexadecimal(shown(overlay.colour));
      const away = create("button", { type: "button", className: "chip", textContent: "remove" });
      away.setAttribute("aria-label", `Remove ${overlay.name}`);
      away.addEventListener("click", () => {
        diagram.overlays = diagram.overlays.filter((other) => other !== overlay);
        diagram.everything = null;
        this.listOverlays();
      });
      return create("li", {}, swatch, overlay.story, " ", away);
    });
    this.element("overlays").replaceChildren(...items);
    document.body.dataset.overlays = diagram.overlays.length;
    diagram.draw();
  },

  // What a key does on the diagram; whether it does anything.
  pressed(key) {
    const { model, diagram } = this;
    const { curve, row } = diagram.selected ?? { curve: model.curves[0], row: 0 };
    if (curve === undefined) return false;
    const go = (to) => this.select(curve, Math.max(0, Math.min(curve.rows - 1, to)));
    const stride = Math.max(1, Math.round(curve.rows / 20));
    const marks = marksOf(curve).filter((mark) => !diagram.unmarked.has(curve.columns.label[mark]));
    switch (key) {
      case "ArrowRight": go(row + 1); break;
      case "ArrowLeft": go(row - 1); break;
      case "PageDown": go(row + stride); break;
      case "PageUp": go(row - stride); break;
      case "Home": go(0); break;
      case "End": go(curve.rows - 1); break;
      case "]": go(marks.find((mark) => mark > row) ?? row); break;
      case "[": go(marks.findLast((mark) => mark < row) ?? row); break;
      case "ArrowDown":
      case "ArrowUp": {
        const shown = model.curves.filter((other) => other.rows > 0 && !diagram.hidden.has(other.at));
        const next = shown[(shown.indexOf(curve) + (key === "ArrowDown" ? 1 : shown.length - 1)) % shown.length];
        if (next !== undefined) this.select(next, Math.min(Math.round((row / curve.rows) * next.rows), next.rows - 1));
        break;
      }
      default: return false;
    }
    return true;
  },
});

const page = new Page();
