// A second run or measured data, laid over the diagram from a file.

// Rows of texts of a CSV file: commas, semicolons, tabs or blanks between them, # before comments.
function rowsOfCsv(text) {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "" && !line.startsWith("#"));
  const separator = [",", ";", "\t"].find((one) => lines[0]?.includes(one));
  if (separator === undefined) return lines.map((line) => line.trim().split(/\s+/));
  return lines.map((line) => {
    const cells = [];
    const pattern = new RegExp(`(?:^|${separator})(?:"((?:[^"]|"")*)"|([^${separator}]*))`, "g");
    for (const match of line.matchAll(pattern)) cells.push(match[1]?.replaceAll('""', '"') ?? match[2].trim());
    return cells;
  });
}

// A number as tables have it; NaN for anything else.
function numberOf(text) {
  if (text === undefined || text === "") return NaN;
  return text === "inf" ? Infinity : text === "-inf" ? -Infinity : Number(text);
}

// The columns of a CSV file: numbers where most of what stands there are numbers, without the rest.
function columnsOfCsv(text) {
  const rows = rowsOfCsv(text);
  if (rows.length === 0) return null;
  const bare = rows[0].every((cell) => !Number.isNaN(numberOf(cell)));
  const names = bare ? rows[0].map((_, at) => `column ${at + 1}`) : rows.shift();
  const columns = Object.create(null);
  names.forEach((name, at) => {
    const cells = rows.map((row) => row[at] ?? "");
    const numbers = Float64Array.from(cells, numberOf);
    const isNumber = 2 * numbers.filter((value) => !Number.isNaN(value)).length > cells.filter((cell) => cell !== "").length;
    const flags = cells.every((cell) => cell === "true" || cell === "false");
    columns[name] = flags && cells.length > 0 ? cells.map((cell) => cell === "true") : isNumber ? numbers : cells;
  });
  return { rows: rows.length, columns };
}

class Overlay {
  // `story` says what the file is, or why it cannot be shown.
  constructor(name, text, colour) {
    Object.assign(this, { name, colour, curves: [], traces: [] });
    const table = columnsOfCsv(text);
    this.data = table !== null && table.columns.curve === undefined ? table : null;
    if (table?.columns.curve !== undefined) this.curves = curvesOf(table);
  }

  // Take the columns that are on the axes of a diagram.
  place(diagram) {
    const placed = (values, axis) => (diagram.plot[axis].log ? Float64Array.from(values, Math.log10) : values);
    this.traces = [];
    for (const curve of this.curves) {
      const x = valuesOf(curve, diagram.xName);
      for (const name of diagram.columns) {
        const y = valuesOf(curve, name);
        if (x !== undefined && y !== undefined) this.traces.push({ curve, x: placed(x, "x"), y: placed(y, "y") });
      }
    }
    if (this.data !== null) {
      // Columns of the same names, else the first two with numbers.
      const numbers = Object.keys(this.data.columns).filter((name) => areNumbers(this.data.columns[name]));
      const x = valuesOf(this.data, diagram.xName) ?? this.data.columns[numbers[0]];
      const y = valuesOf(this.data, diagram.columns[0]) ?? this.data.columns[numbers[1]];
      if (x !== undefined && y !== undefined) this.traces.push({ curve: null, x: placed(x, "x"), y: placed(y, "y") });
    }
    this.story = this.traces.length > 0
      ? `${this.name}: ${this.curves.length > 0 ? `${this.curves.length} curve${this.curves.length > 1 ? "s" : ""}` : `${this.traces[0].x.length} points`}`
      : this.curves.length > 0 ? `${this.name} has no columns ${diagram.xName} and ${diagram.columns.join(", ")}`
      : `${this.name} has no two columns of numbers`;
  }

  paint(pen, plot) {
    const colour = hexadecimal(shown(this.colour));
    for (const { curve, x, y } of this.traces) {
      pen.strokeStyle = colour;
      if (curve !== null) {
        pen.lineWidth = 1.3;
        STROKES.forEach((name, stroke) => {
          pen.setLineDash(DASHES[name]);
          plot.trace(0, x.length - 1, x, y, (row) => curve.strokes[row] !== stroke);
        });
        pen.setLineDash([]);
        continue;
      }
      pen.lineWidth = 1.4;
      for (let row = 0; row < x.length; row++) {
        const [px, py] = [plot.px(x[row]), plot.py(y[row])];
        if (!plot.holds(px, py)) continue;
        pen.beginPath();
        pen.arc(px, py, 3.2, 0, 2 * Math.PI);
        pen.stroke();
      }
    }
  }
}

// The curves of a table of points.
function curvesOf(table) {
  const names = [...new Set(table.columns.curve)];
  return names.map((name) => {
    const rows = [...table.columns.curve.keys()].filter((row) => table.columns.curve[row] === name);
    const columns = Object.create(null);
    for (const [column, values] of Object.entries(table.columns)) {
      columns[column] = areNumbers(values) ? Float64Array.from(rows, (row) => values[row]) : rows.map((row) => values[row]);
    }
    const curve = { name, rows: rows.length, columns, locus: false };
    curve.strokes = strokesOf(curve);
    return curve;
  });
}
