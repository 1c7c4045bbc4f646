// What columns and curves are called on the page.

const LOWERED = "0₀1₁2₂3₃4₄5₅6₆7₇8₈9₉+₊−₋=₌(₍)₎aₐeₑhₕiᵢjⱼkₖlₗmₘnₙoₒpₚrᵣsₛtₜuᵤvᵥxₓβᵦγᵧρᵨφᵩχᵪ";
const RAISED = "0⁰1¹2²3³4⁴5⁵6⁶7⁷8⁸9⁹+⁺−⁻=⁼(⁽)⁾nⁿiⁱ";

// Letters above or below the line, where each has its sign.
function shifted(text, table, mark) {
  const signs = [...text].map((letter) => {
    const at = table.indexOf(letter);
    return at >= 0 && at % 2 === 0 ? table[at + 1] : null;
  });
  return signs.includes(null) ? `${mark}${text}` : signs.join("");
}

// A label as one line of text.
function textOf(pieces) {
  return pieces.map(([text, , level]) => (level < 0 ? shifted(text, LOWERED, "_") : level > 0 ? shifted(text, RAISED, "^") : text)).join("");
}

// A label as elements of the page.
function lettered(pieces) {
  return pieces.map(([text, italic, level]) => {
    const part = document.createElement(level > 0 ? "sup" : level < 0 ? "sub" : italic ? "i" : "span");
    part.textContent = text;
    return part;
  });
}

// The label of a column expression in pieces.
function labelOf(model, text) {
  const [wrap, name] = expression(text);
  const inner = model.label.get(name)?.label ?? plain(name);
  if (wrap === null) return inner;
  const [before, after] = wrap === "abs" ? [plain("|"), plain("|")] : [[["log", false, 0], ["10", false, -1], ["(", false, 0]], plain(")")];
  return [...before, ...inner, ...after];
}

// A column as people read it: log₁₀|μ₁| for mult1_log10.
const humanName = (model, name) => textOf(labelOf(model, name));

// An option that shows a column by its label and stands for its name.
function columnOption(model, name, chosen) {
  const option = new Option(humanName(model, name), name, false, name === chosen);
  option.title = name;
  return option;
}

// A curve by where it comes from: steady › BP1a for steady-BP1a.
function titleOf(model, curve) {
  if (curve.parent === null || !branches(model, curve)) return curve.name;
  return `${titleOf(model, model.curves[curve.parent[0]])} › ${curve.parent[1]}`;
}

// Whether a curve is a branch, named after the curve it leaves.
const branches = (model, curve) => curve.parent !== null && curve.name === `${model.curves[curve.parent[0]].name}-${curve.parent[1]}`;

// Words with what stands between backticks set as code.
function worded(text) {
  const parts = text.split("`");
  if (parts.length % 2 === 0) return [text];
  return parts.map((part, at) => (at % 2 === 0 ? part : create("code", { textContent: part })));
}

// An element with properties and content.
function create(tag, properties = {}, ...content) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...content);
  return made;
}
