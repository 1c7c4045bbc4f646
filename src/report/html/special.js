// Tables of contents: special points with a filter by label, and curves.

function tableRow(cells, tag = "td") {
  return create("tr", {}, ...cells.map((cell) => create(tag, {}, ...[cell].flat())));
}

// The table of special points. `hooks.select(curve, row)` shows one, `hooks.filter(labels)` hides labels.
class SpecialPoints {
  constructor(model, hooks) {
    this.table = document.getElementById("special");
    this.unmarked = new Set();
    this.table.tHead.append(tableRow(["label", "curve", "point", "at", "what happens"], "th"));
    for (const entry of model.special) this.table.tBodies[0].append(this.line(model, entry, hooks));
    const counts = new Map();
    for (const { label } of model.special) counts.set(label, (counts.get(label) ?? 0) + 1);
    const bar = document.getElementById("label-filter");
    for (const [label, count] of [...counts].sort(([a], [b]) => a.localeCompare(b))) {
      const chip = create("button", { type: "button", className: "chip", textContent: `${label} ${count}`, title: `Show or hide ${label}` });
      chip.dataset.label = label;
      chip.setAttribute("aria-pressed", "true");
      chip.addEventListener("click", () => {
        const shown = this.unmarked.delete(label);
        if (!shown) this.unmarked.add(label);
        chip.setAttribute("aria-pressed", String(shown));
        for (const line of this.table.tBodies[0].rows) if (line.dataset.label === label) line.hidden = !shown;
        hooks.filter(this.unmarked);
      });
      bar.append(chip);
    }
    bar.hidden = counts.size < 2;
  }

  line(model, entry, hooks) {
    const curve = model.curves[entry.curve];
    const at = rowOf(curve, entry.index);
    const where = curve.free.map((name) => `${humanName(model, name)} = ${written(curve.columns[name]?.[at], 12)}`).join(", ");
    const jump = create("button", { type: "button", textContent: entry.label });
    const name = create("span", { textContent: titleOf(model, curve), title: curve.name });
    const line = tableRow([jump, name, String(entry.index), where, worded(entry.message)]);
    line.lastElementChild.className = "message";
    Object.assign(line.dataset, { point: `${entry.curve}:${entry.index}`, label: entry.label });
    line.addEventListener("click", (event) => hooks.select(curve, at, event));
    return line;
  }

  // Say which line is that of the selected point.
  current(curve, index) {
    for (const line of this.table.tBodies[0].rows) {
      if (line.dataset.point === `${curve.at}:${index}`) line.setAttribute("aria-current", "true");
      else line.removeAttribute("aria-current");
    }
  }
}

function fillCurves(model) {
  const table = document.getElementById("curves");
  table.tHead.append(tableRow(["curve", "points", "range", "special points", "ended"], "th"));
  for (const curve of model.curves) {
    const range = curve.free.map((name) => {
      const [low, high] = spanOf(curve.columns[name] ?? [], 0) ?? [NaN, NaN];
      return `${humanName(model, name)} ${written(low, 6)} … ${written(high, 6)}`;
    });
    const counts = new Map();
    for (const { label } of model.special.filter((entry) => entry.curve === curve.at)) counts.set(label, (counts.get(label) ?? 0) + 1);
    const special = [...counts].map(([label, count]) => (count > 1 ? `${count} ${label}` : label)).join(", ");
    const points = curve.rows < curve.points ? `${curve.points} (${curve.rows} here)` : String(curve.points);
    const name = create("span", { textContent: titleOf(model, curve), title: curve.name });
    table.tBodies[0].append(tableRow([name, points, range.join(", "), special, worded(curve.ended)]));
  }
}
