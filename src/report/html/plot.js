// A pair of axes on a canvas, or in a vector drawing. Coordinates are those of the axes after taking logarithms; `view` is what the
// frame shows.

const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const FONT = '"STIX Two Text", Georgia, "Times New Roman", serif';
const MARGIN = { left: 84, right: 14, top: 12, bottom: 46 };

class Plot {
  constructor(canvas, margin = MARGIN) {
    this.canvas = canvas;
    this.margin = margin;
    this.view = { x0: 0, x1: 1, y0: 0, y1: 1 };
    this.x = { label: [], log: false };
    this.y = { label: [], log: false };
    // A vector drawing takes the place of the canvas while there is one.
    this.vector = null;
  }

  // Match the canvas to its size on the screen and clear it.
  begin() {
    const { clientWidth, clientHeight } = this.canvas;
    const width = this.vector?.width ?? clientWidth;
    const height = this.vector?.height ?? clientHeight;
    const { left, right, top, bottom } = this.margin;
    this.frame = { left, top, width: Math.max(width - left - right, 1), height: Math.max(height - top - bottom, 1) };
    if (this.vector !== null) return (this.pen = this.vector);
    const ratio = window.devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
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

  // Whether a pixel is inside the frame.
  holds(px, py) {
    const { left, top, width, height } = this.frame ?? { left: 0, top: 0, width: 0, height: 0 };
    return px >= left && px <= left + width && py >= top && py <= top + height;
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

  // A line through places given by functions of a row, joined where they are finite. Steps below half a pixel and pieces outside the
  // frame are left out, so that fifty thousand points stay quick. `apart`: whether two rows are not joined.
  trace(first, last, x, y, apart = () => false) {
    const { left, top, width, height } = this.frame;
    const { pen } = this;
    let [penX, penY] = [NaN, NaN];
    pen.beginPath();
    let [ax, ay] = [this.px(x[first]), this.py(y[first])];
    for (let row = first; row < last; row++) {
      const [bx, by] = [this.px(x[row + 1]), this.py(y[row + 1])];
      const near = Math.abs(ax) < 1e7 && Math.abs(ay) < 1e7 && Math.abs(bx) < 1e7 && Math.abs(by) < 1e7;
      const outside = (ax < left && bx < left) || (ax > left + width && bx > left + width) ||
        (ay < top && by < top) || (ay > top + height && by > top + height);
      if (!near || outside || apart(row)) penX = NaN;
      else {
        if (Number.isNaN(penX)) {
          pen.moveTo(ax, ay);
          [penX, penY] = [ax, ay];
        }
        const ends = row + 1 === last || apart(row + 1);
        if (ends || Math.abs(bx - penX) + Math.abs(by - penY) > 0.5) {
          pen.lineTo(bx, by);
          [penX, penY] = [bx, by];
        }
      }
      [ax, ay] = [bx, by];
    }
    pen.stroke();
  }

  axes() {
    const { pen, frame } = this;
    pen.strokeStyle = style("--ink");
    pen.fillStyle = style("--ink");
    pen.lineWidth = 1;
    pen.setLineDash([]);
    pen.strokeRect(frame.left, frame.top, frame.width, frame.height);
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
    runs(pen, this.x.label, frame.left + frame.width / 2, frame.top + frame.height + 36, "center", 15);
    pen.save();
    pen.translate(15, frame.top + frame.height / 2);
    pen.rotate(-Math.PI / 2);
    runs(pen, this.y.label, 0, 0, "center", 15);
    pen.restore();
  }
}

// Write a label: pieces [text, italic, level] with level 1 raised and -1 lowered. Returns its width.
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
  return total;
}
