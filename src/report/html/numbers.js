// Numbers as people write them.

// A whole number as an exponent or as an index.
const raised = (digits) => [...digits].map((digit) => (digit === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit])).join("");
const subscript = (digits) => [...digits].map((digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]).join("");

// A number; with more than 15 digits, all it has.
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

// A label without italics and indices.
const plain = (text) => [[text.replaceAll("-", "−"), false, 0]];

// A label in powers of ten.
function scientific(value) {
  const [digits, power] = value.toExponential(3).split("e");
  const short = String(+digits);
  const above = [String(+power).replace("-", "−"), false, 1];
  return short === "1" ? [["10", false, 0], above] : [[`${short.replace("-", "−")}×10`, false, 0], above];
}

// 10 to this power, in words short enough for a line.
function power(size) {
  if (size === -Infinity) return "0";
  return Math.abs(size) < 4 ? written(10 ** size, 6) : `10^${written(size, 7)}`;
}

// An angle as a part of π, to the digits that a number of single precision has.
function partOfPi(angle) {
  const part = written(Math.round((angle / Math.PI) * 1e6) / 1e6, 4);
  if (part === "0" || part === "−0") return "0";
  return part === "1" || part === "−1" ? part.replace("1", "π") : `${part}π`;
}

// A boundary that was located lies on its inequality, up to rounding.
const ROUNDING = 1e-9;
const marginOf = (margin, digits) => (margin < 0 && margin >= -ROUNDING ? "0 (to rounding)" : written(margin, digits));

// The span of some numbers with a little room; null if there are none.
function spanOf(values, room = 0.05) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (low > high) return null;
  const margin = high > low ? room * (high - low) : low === 0 ? 1 : Math.abs(low) * 0.1;
  return [low - margin, high + margin];
}
