// The run's tables, unpacked where they are looked at. A column of a curve is a typed array (numbers), or an array of texts or
// booleans.

function unpack(payload) {
  const curves = payload.curves.map((curve, at) => ({ ...curve, ...unpackTable(curve.table), at }));
  for (const curve of curves) {
    curve.inequalities = curve.inequalities.map(([heading, packed]) => {
      const [label, meaning] = halves(heading, ": ");
      return { label, meaning, get margins() { return (this.unpacked ??= expand(packed, curve.rows)); } };
    });
    curve.strokes = strokesOf(curve);
  }
  const orbits = payload.orbits.map((orbit) => ({ ...orbit, ...unpackTable(orbit.table) }));
  const numbers = (text) => new Uint8Array(bytesOf(text));
  const cells = payload.cells.map((one) => ({ ...one, looks: numbers(one.looks), names: numbers(one.names), known: unpackTable(one.known),
    motions: new Uint16Array(bytesOf(one.motions)), orbits: one.orbits.map((orbit) => ({ ...orbit, ...unpackTable(orbit.table) })) }));
  const views = payload.views.map((view) => ({ ...view, dots: new Float32Array(bytesOf(view.dots)) }));
  return { ...payload, curves, orbits, cells, views, symbols: new Map(Object.entries(payload.symbols)),
    label: new Map(payload.columns.map((column) => [column.name, column])) };
}

function bytesOf(text) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let k = 0; k < raw.length; k++) bytes[k] = raw.charCodeAt(k);
  return bytes.buffer;
}

function expand(packed, count) {
  if ("same" in packed) return new Float64Array(count).fill(packed.same);
  if ("f64" in packed) return new Float64Array(bytesOf(packed.f64));
  if ("f32" in packed) return new Float32Array(bytesOf(packed.f32));
  return packed.runs.flatMap(([value, length]) => new Array(length).fill(value));
}

// A table whose columns are unpacked when they are first read.
function unpackTable(packed) {
  const columns = Object.create(null);
  for (const [name, column] of Object.entries(packed.columns)) {
    const get = () => {
      const value = expand(column, packed.rows);
      Object.defineProperty(columns, name, { value, enumerable: true });
      return value;
    };
    Object.defineProperty(columns, name, { get, enumerable: true, configurable: true });
  }
  return { rows: packed.rows, columns };
}

// A column expression, `abs(x)` or `log10(x)` or `x`: the function and the column.
function expression(text) {
  const match = /^(abs|log10)\((.*)\)$/.exec(text);
  return match === null ? [null, text] : [match[1], match[2].trim()];
}

// The numbers of a column expression in a table; undefined if it has no such numbers.
function valuesOf(table, text) {
  const [wrap, name] = expression(text);
  const column = table.columns[name];
  if (!areNumbers(column)) return undefined;
  return wrap === "abs" ? column.map(Math.abs) : wrap === "log10" ? column.map(Math.log10) : column;
}

// A text before and after the first separator.
function halves(text, separator) {
  const at = text.indexOf(separator);
  return at < 0 ? ["", text] : [text.slice(0, at), text.slice(at + separator.length)];
}

const areNumbers = (column) => ArrayBuffer.isView(column);

const QUIET = new Set(["", "EP", "UZ"]);

// How the piece from each point to the next is drawn: 0 solid (stable), 1 dashed (unstable), 2 dotted (not admissible). A special
// point belongs to both sides, so its other neighbour decides. Two-parameter curves lie on the border of stability.
function strokesOf(curve) {
  const { stable, admissible, label } = curve.columns;
  const turning = (row) => label !== undefined && !QUIET.has(label[row]);
  const both = (flags, row) => {
    if (flags === undefined) return true;
    if (turning(row) !== turning(row + 1)) return flags[turning(row) ? row + 1 : row];
    return flags[row] && flags[row + 1];
  };
  const strokes = new Uint8Array(Math.max(curve.rows - 1, 0));
  for (let row = 0; row < strokes.length; row++) {
    strokes[row] = !both(admissible, row) ? 2 : curve.locus || both(stable, row) ? 0 : 1;
  }
  return strokes;
}

// The rows with a label.
function marksOf(curve) {
  const labels = curve.columns.label ?? [];
  curve.marks ??= [...labels.keys()].filter((row) => labels[row] !== "");
  return curve.marks;
}

// The row of a curve with this index, or the one nearest to it.
function rowOf(curve, index) {
  const indices = curve.columns.index;
  if (indices[index] === index) return index;
  let [low, high] = [0, indices.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (indices[middle] < index) low = middle + 1;
    else high = middle;
  }
  return Math.max(low, 0);
}

// The stored orbits of a curve with their rows, in order along it.
function orbitsOf(model, curve) {
  curve.stored ??= model.orbits
    .filter((orbit) => orbit.curve === curve.at)
    .map((orbit) => ({ orbit, row: rowOf(curve, orbit.index) }))
    .sort((a, b) => a.row - b.row);
  return curve.stored;
}

// The stored orbit nearest to a row of a curve, if the curve has any.
function nearestOrbit(model, curve, row) {
  let best = null;
  for (const { orbit, row: its } of orbitsOf(model, curve)) {
    const off = Math.abs(its - row);
    if (best === null || off < best.off) best = { orbit, off };
  }
  return best;
}

// Stretches of rows over which a predicate holds, as pairs of first and last row.
function stretches(count, holds) {
  const found = [];
  let start = -1;
  for (let row = 0; row <= count; row++) {
    const inside = row < count && holds(row);
    if (inside && start < 0) start = row;
    if (!inside && start >= 0) {
      found.push([start, row - 1]);
      start = -1;
    }
  }
  return found;
}

const sticking = (mode) => /stick|layer/i.test(mode);

// Stretches of one mode: [first row, last row, mode].
function segmentsOf(orbit) {
  const modes = orbit.columns.mode;
  if (modes === undefined) return [];
  const found = [];
  for (let row = 0; row < orbit.rows; row++) {
    if (row > 0 && modes[row] === modes[row - 1]) found.at(-1)[1] = row;
    else found.push([row, row, modes[row]]);
  }
  return found;
}
