// Ticks of axes: never more than a screen shows, however far the view reaches.

const MOST_TICKS = 400;

function ticks(low, high, axis, room) {
  if (!(high > low) || !Number.isFinite(high - low)) return [];
  if (axis.log && high - low > 0.9) return decades(low, high, room);
  if (axis.log) {
    // Less than a decade: the ticks of a linear axis at their logarithmic places.
    const found = ticks(10 ** low, 10 ** high, { log: false }, room);
    return found.filter((tick) => tick.at > 0).map((tick) => ({ ...tick, at: Math.log10(tick.at) }));
  }
  return axis.angle ? partsOfPi(low, high, room) : evenly(low, high, room);
}

// Multiples of a step between two ends; none if that were too many to see.
function* multiples(low, high, step) {
  const [first, last] = [Math.ceil(low / step - 1e-9), Math.floor(high / step + 1e-9)];
  if (!(last - first <= MOST_TICKS) || Math.abs(first) > Number.MAX_SAFE_INTEGER) return;
  for (let k = first; k <= last; k++) yield k;
}

function evenly(low, high, room) {
  const power = 10 ** Math.floor(Math.log10((high - low) / room));
  const step = power * ([1, 2, 5, 10].find((factor) => (high - low) / (power * factor) <= room) ?? 10);
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const large = Math.max(Math.abs(low), Math.abs(high));
  const parts = Math.round(step / power) === 2 ? 4 : 5;
  const small = step / parts;
  const found = [];
  for (const k of multiples(low, high, small)) {
    const at = k * small;
    if (k % parts !== 0) found.push({ at, text: null });
    else if (large >= 1e6 || large < 1e-3) found.push({ at, text: k === 0 ? plain("0") : scientific(at) });
    else found.push({ at, text: plain((k === 0 ? 0 : at).toFixed(Math.min(decimals, 12))) });
  }
  return found;
}

// Parts of a turn that people divide it into: numerator and denominator of π, and in how many parts small ticks divide them.
const TURNS = [[1, 12, 1], [1, 6, 2], [1, 4, 3], [1, 3, 2], [1, 2, 3], [1, 1, 2], [2, 1, 2], [5, 1, 5], [10, 1, 5], [50, 1, 5], [100, 1, 5]];

function partsOfPi(low, high, room) {
  const fits = ([over, under]) => ((high - low) / Math.PI) * (under / over) <= room;
  const turn = TURNS.find(fits);
  if (turn === undefined) return evenly(low, high, room);
  // Less than a small part of a turn: decimal parts of π.
  if (turn === TURNS[0] && (high - low) / (Math.PI / 12) < 2) {
    return evenly(low / Math.PI, high / Math.PI, room).map(({ at, text }) => ({
      at: at * Math.PI,
      text: text === null || text[0][0] === "0" ? text : [...text, ["π", false, 0]],
    }));
  }
  const [over, under, parts] = turn;
  const step = (Math.PI * over) / under;
  return [...multiples(low, high, step / parts)].map((k) => ({
    at: (k * step) / parts,
    text: k % parts === 0 ? plain(fraction((k / parts) * over, under)) : null,
  }));
}

function fraction(over, under) {
  const divisor = (a, b) => (b === 0 ? Math.abs(a) : divisor(b, a % b));
  const common = divisor(over, under) || 1;
  const [top, bottom] = [over / common, under / common];
  if (top === 0) return "0";
  const times = Math.abs(top) === 1 ? (top < 0 ? "−" : "") : String(top);
  return bottom === 1 ? `${times}π` : `${times}π/${bottom}`;
}

function decades(low, high, room) {
  const found = [];
  const stride = Math.max(1, Math.ceil((high - low) / room));
  const few = high - low < 2.5;
  if ((high - low) / stride > MOST_TICKS) return found;
  for (let power = Math.floor(low / stride) * stride; power <= high; power += stride) {
    for (let digit = 1; digit < (stride > 1 ? 2 : 10); digit++) {
      const at = power + Math.log10(digit);
      if (at < low - 1e-9 || at > high + 1e-9) continue;
      const named = few ? [1, 2, 5].includes(digit) : digit === 1;
      const value = digit * 10 ** power;
      const text = few && value >= 1e-3 && value < 1e5 ? plain(String(+value.toPrecision(6))) : powerOfTen(digit, power);
      found.push({ at, text: named ? text : null });
    }
  }
  return found;
}

// As `scientific`, beyond what a number can hold.
function powerOfTen(digit, power) {
  const above = [String(power).replace("-", "−"), false, 1];
  return digit === 1 ? [["10", false, 0], above] : [[`${digit}×10`, false, 0], above];
}
