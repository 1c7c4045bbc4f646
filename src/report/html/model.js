// The run's tables, unpacked. A column of a curve is a typed array (numbers), or an array of texts or booleans.

function unpack(payload) {
  const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer;
  const expand = (packed, count) => {
    if ("same" in packed) return new Float64Array(count).fill(packed.same);
    if ("f64" in packed) return new Float64Array(bytes(packed.f64));
    if ("f32" in packed) return new Float32Array(bytes(packed.f32));
    return packed.runs.flatMap(([value, length]) => new Array(length).fill(value));
  };
  const table = (packed) => {
    const columns = {};
    for (const [name, column] of Object.entries(packed.columns)) columns[name] = expand(column, packed.rows);
    return { rows: packed.rows, columns };
  };
  const curves = payload.curves.map((curve, at) => ({ ...curve, ...table(curve.table), at }));
  for (const curve of curves) {
    curve.inequalities = curve.inequalities.map(([heading, packed]) => {
      const [label, meaning] = halves(heading, ": ");
      return { label, meaning, margins: expand(packed, curve.rows) };
    });
  }
  for (const curve of curves) curve.strokes = strokesOf(curve);
  const orbits = payload.orbits.map((orbit) => ({ ...orbit, ...table(orbit.table) }));
  const numbers = (text) => new Uint8Array(bytes(text));
  const cells = payload.cells.map((one) => ({ ...one, looks: numbers(one.looks), names: numbers(one.names), known: table(one.known),
    motions: new Uint16Array(bytes(one.motions)), orbits: one.orbits.map((orbit) => ({ ...orbit, ...table(orbit.table) })) }));
  return { ...payload, curves, orbits, cells, label: new Map(payload.columns.map((column) => [column.name, column])) };
}

// A text before and after the first separator.
function halves(text, separator) {
  const at = text.indexOf(separator);
  return at < 0 ? ["", text] : [text.slice(0, at), text.slice(at + separator.length)];
}

// Words with what stands between backticks set as code.
function worded(text) {
  const parts = text.split("`");
  if (parts.length % 2 === 0) return [text];
  return parts.map((part, at) => (at % 2 === 0 ? part : Object.assign(document.createElement("code"), { textContent: part })));
}

const areNumbers = (column) => ArrayBuffer.isView(column);

const QUIET = new Set(["", "EP", "UZ"]);

// How the piece from each point to the next is drawn: 0 solid (stable), 1 dashed (unstable), 2 dotted (not admissible). A special
// point belongs to both sides, so its other neighbour decides.
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
    strokes[row] = !both(admissible, row) ? 2 : both(stable, row) ? 0 : 1;
  }
  return strokes;
}

// The row of a curve with this index.
function rowOf(curve, index) {
  const indices = curve.columns.index;
  if (indices[index] === index) return index;
  return Math.max(indices.indexOf(index), 0);
}

// The stored orbit nearest to a row of a curve, if the curve has any.
function nearestOrbit(model, curve, row) {
  let best = null;
  for (const orbit of model.orbits) {
    if (orbit.curve !== curve.at) continue;
    const off = Math.abs(rowOf(curve, orbit.index) - row);
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

// A whole number as an exponent.
const raised = (digits) => [...digits].map((digit) => (digit === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit])).join("");

// A number as people write it; with more than 15 digits, all it has.
function written(value, digits = 7) {
  if (typeof value !== "number") return String(value);
  if (Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  let text = digits > 15 ? String(value) : size !== 0 && (size < 1e-4 || size >= 1e7) ? value.toExponential(digits - 1) : value.toPrecision(digits);
  if (digits <= 15 && text.includes(".")) text = text.replace(/\.?0+(e|$)/, "$1");
  text = text.replace(/e\+?(-?\d+)$/, (_, power) => ` × 10${raised(power)}`);
  return text.replaceAll("-", "−");
}
