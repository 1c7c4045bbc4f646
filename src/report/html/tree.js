// The tree of curves: which branched from which, what is shown, in which colour.

class CurveTree {
  // `hooks.show(hidden)` is called with the curves that are hidden now.
  constructor(model, root, hooks) {
    Object.assign(this, { model, hooks, hidden: new Set(), items: new Map(), alone: null });
    const roots = model.curves.filter((curve) => curve.parent === null);
    root.append(this.list(roots));
  }

  list(curves) {
    return create("ul", {}, ...curves.map((curve) => this.item(curve)));
  }

  item(curve) {
    const { model } = this;
    const box = create("input", { type: "checkbox", checked: true });
    const swatch = create("span", { className: "swatch" });
    const [place, own] = [curve.parent?.[1] ?? "", curve.parent !== null && branches(model, curve)];
    const name = create("span", { textContent: own ? place : curve.name });
    const label = create("label", { title: own ? `${curve.name}: a branch of ${model.curves[curve.parent[0]].name}` : curve.name }, box, swatch, name);
    if (!own && place !== "") label.append(create("span", { className: "from", textContent: ` from ${place}` }));
    if (curve.locus) label.append(create("span", { className: "from", textContent: ` (${curve.free.map((free) => humanName(model, free)).join(", ")})` }));
    const solo = create("button", { type: "button", className: "solo", textContent: "solo", title: "Show this curve alone; again: as before" });
    solo.setAttribute("aria-pressed", "false");
    solo.setAttribute("aria-label", `Show ${titleOf(model, curve)} alone`);
    box.addEventListener("change", () => this.toggle(curve.at, box.checked));
    solo.addEventListener("click", () => this.solo(curve.at));
    this.items.set(curve.at, { box, swatch, solo });
    const line = create("li", {}, create("span", { className: "branch" }, label, solo));
    const children = model.curves.filter((other) => other.parent?.[0] === curve.at);
    if (children.length > 0) line.append(this.list(children));
    return line;
  }

  // Show or hide one curve.
  toggle(at, shown) {
    const hidden = new Set(this.hidden);
    if (shown) hidden.delete(at);
    else hidden.add(at);
    this.alone = null;
    this.set(hidden);
  }

  // Show one curve alone, or what was shown before.
  solo(at) {
    if (this.alone?.at === at) {
      const { before } = this.alone;
      this.alone = null;
      this.set(before);
      return;
    }
    this.alone = { at, before: this.alone?.before ?? this.hidden };
    this.set(new Set(this.model.curves.map((curve) => curve.at).filter((other) => other !== at)));
  }

  set(hidden) {
    this.hidden = hidden;
    for (const [at, { box, solo }] of this.items) {
      box.checked = !hidden.has(at);
      solo.setAttribute("aria-pressed", String(this.alone?.at === at));
    }
    this.hooks.show(hidden);
  }

  // Let the swatches have the colours of a view.
  colour(colours) {
    for (const [at, { swatch }] of this.items) swatch.style.borderTopColor = colours.of(this.model.curves[at]);
  }
}
