// What to type to go on from a point: the command that shows it, and a study that continues from it.

// The folder of the run, as far as the page knows where it is.
function runFolder() {
  if (window.location.protocol !== "file:") return ".";
  const path = decodeURIComponent(window.location.pathname).replace(/\/[^/]*$/, "");
  return path.replace(/^\/([A-Za-z]:)/, "$1");
}

const shellWord = (text) => (/^[\w./:=+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

const showCommand = (curve, row) => `slipstick show ${shellWord(runFolder())} ${shellWord(`${curve.name}-${curve.columns.index[row]}`)}`;

// Past a text or a comment that begins here; the same place if none does.
function beyond(text, at) {
  const raw = /^r(#*)"/.exec(text.slice(at, at + 20));
  if (raw !== null) {
    const end = text.indexOf(`"${raw[1]}`, at + raw[0].length);
    return end < 0 ? text.length : end + 1 + raw[1].length;
  }
  if (text[at] === '"') {
    let end = at + 1;
    while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
    return end + 1;
  }
  if (text.startsWith("//", at)) {
    const end = text.indexOf("\n", at);
    return end < 0 ? text.length : end;
  }
  if (text.startsWith("/*", at)) {
    const end = text.indexOf("*/", at);
    return end < 0 ? text.length : end + 2;
  }
  return at;
}

// The items between a bracket that opens before `at` and the one that closes it, as texts without comments around them.
function itemsOf(text, at) {
  const items = [];
  let [depth, item] = [0, ""];
  while (at < text.length) {
    const past = beyond(text, at);
    if (past > at) {
      if (text[at] !== "/") item += text.slice(at, past);
      at = past;
      continue;
    }
    const sign = text[at++];
    if ("([{".includes(sign)) depth += 1;
    if (")]}".includes(sign)) depth -= 1;
    if (depth < 0) break;
    if (sign === "," && depth === 0) {
      items.push(item.trim());
      item = "";
    } else item += sign;
  }
  return [...items, item.trim()].filter((one) => one !== "");
}

// The fields of `Name(key: value, …)`.
function fieldsOf(text) {
  const fields = new Map();
  for (const item of itemsOf(text, text.indexOf("(") + 1)) {
    const match = /^(\w+)\s*:\s*([^]*)$/.exec(item);
    if (match !== null) fields.set(match[1], match[2]);
  }
  return fields;
}

// The text of a study without the comments before its name.
function fieldsOfStudy(text) {
  let at = 0;
  while (at < text.length && !/[\w(]/.test(text[at])) {
    const past = beyond(text, at);
    at = past > at ? past : at + 1;
  }
  return fieldsOf(text.slice(at));
}

// What the study says of a curve, of the one it branches off, or of the one it starts from.
function specOf(model, study, curve) {
  const specs = study.has("curves") ? itemsOf(study.get("curves"), 1).map(fieldsOf) : [];
  for (let own = curve; own !== undefined; own = model.curves[own.parent?.[0]]) {
    const named = (name) => specs.find((spec) => spec.get("name") === ronText(name));
    const found = named(own.name) ?? named(own.name.replace(/-(\d+|or\d+)$/, ""));
    if (found !== undefined) return found;
  }
  return new Map();
}

// What kind of orbit a point is, in the words of a study.
function orbitText(curve, row, orbit, spec) {
  const own = spec.get("orbit") ?? "";
  const word = curve.columns.word?.[row] ?? "";
  if (curve.map) return orbit.rows > 1 ? `Cycle(${orbit.rows})` : "FixedPoint";
  if (orbit.rows === 1) return own.startsWith("Equilibrium") ? own : "Equilibrium";
  if (segmentsOf(orbit).length === 0 || word === "") return own === "" || own.startsWith("Equilibrium") ? "PeriodicOrbit" : own;
  const half = word.split(" | ")[0];
  return word.includes(" | ") ? `Symmetric(${ronText(half)})` : `Periodic(${ronText(half)})`;
}

// Its parameters: the columns between the label and the period.
function parametersAt(curve, row) {
  const names = Object.keys(curve.columns);
  const inner = names.slice(names.indexOf("label") + 1, names.indexOf("period"));
  return inner.map((name) => [name, curve.columns[name][row]]).filter(([, value]) => Number.isFinite(value));
}

const ronMap = (pairs) => `{${pairs.map(([name, value]) => `${ronText(name)}: ${value}`).join(", ")}}`;

// A guess for Newton's method from a stored orbit: the state at the start of each segment of the word, and how long each takes.
function guessText(curve, row, orbit) {
  const stateAt = (at) => curve.states.filter((name) => orbit.columns[name] !== undefined).map((name) => [name, orbit.columns[name][at]]);
  const at = ronMap(parametersAt(curve, row));
  const { t } = orbit.columns;
  const segments = lasting(orbit);
  if (curve.map) {
    const points = Array.from({ length: orbit.rows }, (_, k) => ronMap(stateAt(k)));
    return `Guess(at: ${at}, states: [${points.join(", ")}])`;
  }
  if (orbit.rows === 1) return `Guess(at: ${at}, states: [${ronMap(stateAt(0))}])`;
  if (segments.length === 0) return `Guess(at: ${at}, states: [${ronMap(stateAt(0))}], durations: [${t[orbit.rows - 1] - t[0]}])`;
  // The second half of a symmetric orbit follows from the first.
  const half = (curve.columns.word?.[row] ?? "").includes(" | ") ? Math.ceil(segments.length / 2) : segments.length;
  const used = segments.slice(0, half);
  const ends = used.map((_, k) => (k + 1 < segments.length ? t[segments[k + 1][0]] : t[orbit.rows - 1]));
  const states = used.map(([first]) => ronMap(stateAt(first)));
  return `Guess(at: ${at}, states: [${states.join(", ")}], durations: [${used.map(([first], k) => ends[k] - t[first]).join(", ")}])`;
}

// Segments, without the one row at the end in which the next period begins.
function lasting(orbit) {
  const segments = segmentsOf(orbit);
  const [first, last] = [segments[0], segments.at(-1)];
  const begins = segments.length > 1 && last[0] === last[1] && last[2] === first[2];
  return begins ? segments.slice(0, -1) : segments;
}

// Whether one can start from an orbit: where a segment vanishes, or a curve turns or branches, equations are singular.
function startable(curve, { orbit, row }) {
  if (["LP", "BP", "CP"].includes(curve.columns.label?.[row])) return false;
  const { t } = orbit.columns;
  const segments = lasting(orbit);
  const ends = segments.map((_, k) => t[segments[k + 1]?.[0] ?? orbit.rows - 1]);
  return segments.length < 2 || segments.every(([first], k) => ends[k] - t[first] > 1e-6 * (t[orbit.rows - 1] - t[0]));
}

// A study whose only curve starts at this point, or at the nearest from which one can start; where there is none, why.
function continuingStudy(model, text, curve, row, shownColumn) {
  if (curve.states.length === 0) return { why: "An analysis made this curve: there is no system whose orbits a study could go on with." };
  const near = orbitsOf(model, curve).toSorted((a, b) => Math.abs(a.row - row) - Math.abs(b.row - row));
  const found = near.find((stored) => startable(curve, stored));
  if (found === undefined) {
    return { why: near.length === 0 ? "No orbit of this curve is stored." : "Along this curve the equations of its orbits are singular: start at a point of a curve beside it." };
  }
  const { orbit, row: at } = found;
  const study = fieldsOfStudy(text);
  const spec = specOf(model, study, curve);
  // Points with a label have a file with their orbit.
  const stored = model.special.some((entry) => entry.curve === curve.at && entry.index === orbit.index);
  const start = stored ? `Point(from: ${ronText(`${runFolder()}, ${curve.name}, ${orbit.index}`)})` : guessText(curve, at, orbit);
  const [free] = curve.free;
  const [low, high] = spanOf(curve.columns[free] ?? [], 0.5) ?? [0, 1];
  const range = spec.get("free") === ronText(free) && spec.has("range") ? spec.get("range") : ronRange(low, high);
  const copied = (fields, keys, indent) => keys.filter((key) => fields.has(key)).map((key) => `${indent}${key}: ${fields.get(key)},\n`).join("");
  const drawn = shownColumn !== undefined && Number.isFinite(curve.columns[shownColumn]?.[at]);
  const figure = !drawn ? "" : `    figures: [Diagram(name: "continued", x: ${ronText(free)}, y: ${ronText(shownColumn)})],\n`;
  const written = `Study(\n    title: ${ronText(`Continued from ${curve.name}-${orbit.index}`)},\n${copied(study, ["system", "systems"], "    ")}` +
    `    curves: [\n        Curve(\n            name: "continued",\n${copied(spec, ["system", "set"], "            ")}` +
    `            orbit: ${orbitText(curve, at, orbit, spec)},\n            start: ${start},\n            free: ${ronText(free)},\n            range: ${range},\n` +
    `${copied(spec, ["within", "method", "step", "switch", "choice"], "            ")}        ),\n    ],\n${figure})\n`;
  return { study: written };
}
