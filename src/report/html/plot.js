// A pair of axes on a canvas. Coordinates are those of the axes after taking logarithms; `view` is what the frame shows.

const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const curveColour = (at) => style(`--curve${at % 7}`);
const FONT = '"STIX Two Text", Georgia, "Times New Roman", serif';

class Plot {
  constructor(canvas, margin = { left: 84, right: 14, top: 12, bottom: 44 }) {
    this.canvas = canvas;
    this.margin = margin;
    this.view = { x0: 0, x1: 1, y0: 0, y1: 1 };
    this.x = { label: [], log: false };
    this.y = { label: [], log: false };
  }

  // Match the canvas to its size on the screen and clear it.
  begin() {
    const ratio = window.devicePixelRatio || 1;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    const { left, right, top, bottom } = this.margin;
    this.frame = { left, top, width: Math.max(width - left - right, 1), height: Math.max(height - top - bottom, 1) };
    const pen = this.canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.lineJoin = "round";
    this.pen = pen;
    return pen;
  }

  px(x) {
    return this.frame.left + ((x - this.view.x0) / (this.view.x1 - this.view.x0)) * this.frame.width;
  }

  py(y) {
    return this.frame.top + (1 - (y - this.view.y0) / (this.view.y1 - this.view.y0)) * this.frame.height;
  }

  // From pixels back to coordinates.
  at(px, py) {
    const { left, top, width, height } = this.frame;
    return {
      x: this.view.x0 + ((px - left) / width) * (this.view.x1 - this.view.x0),
      y: this.view.y1 - ((py - top) / height) * (this.view.y1 - this.view.y0),
    };
  }

  clip() {
    const { left, top, width, height } = this.frame;
    this.pen.save();
    this.pen.beginPath();
    this.pen.rect(left, top, width, height);
    this.pen.clip();
  }

  unclip() {
    this.pen.restore();
  }

  axes() {
    const { pen, frame } = this;
    pen.strokeStyle = style("--ink");
    pen.fillStyle = style("--ink");
    pen.lineWidth = 1;
    pen.setLineDash([]);
    pen.strokeRect(frame.left, frame.top, frame.width, frame.height);
    pen.font = `13px ${FONT}`;
    // An axis that counts has no ticks between whole numbers.
    const counted = (tick) => !this.x.counts || Math.abs(tick.at - Math.round(tick.at)) < 1e-9;
    const across = ticks(this.view.x0, this.view.x1, this.x, Math.max(frame.width / 85, 2)).filter(counted);
    const up = ticks(this.view.y0, this.view.y1, this.y, Math.max(frame.height / 42, 2));
    pen.beginPath();
    for (const tick of across) {
      const x = this.px(tick.at);
      const length = tick.text === null ? 3 : 6;
      pen.moveTo(x, frame.top + frame.height);
      pen.lineTo(x, frame.top + frame.height - length);
      pen.moveTo(x, frame.top);
      pen.lineTo(x, frame.top + length);
    }
    for (const tick of up) {
      const y = this.py(tick.at);
      const length = tick.text === null ? 3 : 6;
      pen.moveTo(frame.left, y);
      pen.lineTo(frame.left + length, y);
      pen.moveTo(frame.left + frame.width, y);
      pen.lineTo(frame.left + frame.width - length, y);
    }
    pen.stroke();
    for (const tick of across) {
      if (tick.text !== null) runs(pen, tick.text, this.px(tick.at), frame.top + frame.height + 16, "center");
    }
    for (const tick of up) {
      if (tick.text !== null) runs(pen, tick.text, frame.left - 6, this.py(tick.at) + 4, "right");
    }
    pen.font = `15px ${FONT}`;
    runs(pen, this.x.label, frame.left + frame.width / 2, frame.top + frame.height + 36, "center", 15);
    pen.save();
    pen.translate(15, frame.top + frame.height / 2);
    pen.rotate(-Math.PI / 2);
    runs(pen, this.y.label, 0, 0, "center", 15);
    pen.restore();
  }
}

// Write a label: pieces [text, italic, level] with level 1 raised and -1 lowered.
function runs(pen, pieces, x, y, align, size = 13) {
  const font = ([, italic, level]) => `${italic ? "italic " : ""}${level === 0 ? size : size * 0.72}px ${FONT}`;
  const widths = pieces.map((piece) => {
    pen.font = font(piece);
    return pen.measureText(piece[0]).width;
  });
  const total = widths.reduce((sum, width) => sum + width, 0);
  let from = align === "center" ? x - total / 2 : align === "right" ? x - total : x;
  pen.textAlign = "left";
  pieces.forEach((piece, at) => {
    pen.font = font(piece);
    pen.fillText(piece[0], from, y - piece[2] * (piece[2] > 0 ? 0.38 : 0.24) * size);
    from += widths[at];
  });
}

const plain = (text) => [[text.replaceAll("-", "−"), false, 0]];

function ticks(low, high, axis, room) {
  if (!(high > low)) return [];
  if (axis.log && high - low > 0.9) return decades(low, high, room);
  if (axis.log) {
    // Less than a decade: the ticks of a linear axis at their logarithmic places.
    const found = ticks(10 ** low, 10 ** high, { log: false }, room);
    return found.filter((tick) => tick.at > 0).map((tick) => ({ ...tick, at: Math.log10(tick.at) }));
  }
  const power = 10 ** Math.floor(Math.log10((high - low) / room));
  const step = power * ([1, 2, 5, 10].find((factor) => (high - low) / (power * factor) <= room) ?? 10);
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const large = Math.max(Math.abs(low), Math.abs(high));
  const found = [];
  const parts = Math.round(step / power) === 2 ? 4 : 5;
  const small = step / parts;
  for (let k = Math.ceil(low / small - 1e-9); k <= high / small + 1e-9; k++) {
    const at = k * small;
    if (k % parts !== 0) found.push({ at, text: null });
    else if (large >= 1e6 || large < 1e-3) found.push({ at, text: k === 0 ? plain("0") : scientific(at) });
    else found.push({ at, text: plain((k === 0 ? 0 : at).toFixed(Math.min(decimals, 12))) });
  }
  return found;
}

function decades(low, high, room) {
  const found = [];
  const stride = Math.max(1, Math.ceil((high - low) / room));
  const few = high - low < 2.5;
  for (let power = Math.floor(low); power <= high; power++) {
    for (let digit = 1; digit < 10; digit++) {
      const at = power + Math.log10(digit);
      if (at < low - 1e-9 || at > high + 1e-9 || (stride > 1 && digit > 1)) continue;
      const named = few ? [1, 2, 5].includes(digit) : digit === 1 && power % stride === 0;
      const value = digit * 10 ** power;
      const text = few && value >= 1e-3 && value < 1e5 ? plain(String(+value.toPrecision(6))) : scientific(value);
      found.push({ at, text: named ? text : null });
    }
  }
  return found;
}

function scientific(value) {
  const [digits, power] = value.toExponential(3).split("e");
  const short = String(+digits);
  const raised = [String(+power).replace("-", "−"), false, 1];
  return short === "1" ? [["10", false, 0], raised] : [[`${short.replace("-", "−")}×10`, false, 0], raised];
}

// Symbols of labels, as in the printed figures: full for smooth bifurcations, open for what happens at switching sets.
function symbol(pen, label, x, y, colour) {
  const radius = label === "EP" ? 2 : label === "UZ" ? 3 : 5;
  const polygon = (count, turn) => {
    pen.beginPath();
    for (let k = 0; k < count; k++) {
      const angle = turn + (2 * Math.PI * k) / count;
      pen.lineTo(x + radius * 1.2 * Math.sin(angle), y - radius * 1.2 * Math.cos(angle));
    }
    pen.closePath();
  };
  const corners = { SB: [4, 0], BP: [4, Math.PI / 4], PD: [3, 0], GR: [3, Math.PI], VT: [3, 0], OV: [4, Math.PI / 4], BE: [4, Math.PI / 4], TF: [3, 0], CT: [3, 0], NU: [4, 0] }[label];
  if (corners) polygon(...corners);
  else {
    pen.beginPath();
    pen.arc(x, y, radius, 0, 2 * Math.PI);
  }
  const open = ["VS", "GR", "VT", "OV", "BE", "TF", "CT", "NU", "UZ"].includes(label);
  pen.setLineDash([]);
  pen.lineWidth = 1.4;
  pen.fillStyle = open ? style("--paper") : label === "EP" ? colour : style("--ink");
  pen.strokeStyle = label === "UZ" || label === "EP" ? colour : style("--ink");
  pen.fill();
  pen.stroke();
}

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
