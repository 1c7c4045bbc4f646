// What is drawn on a canvas, as SVG: a pen with the methods of a canvas that this page uses.

class VectorPen {
  constructor(width, height) {
    Object.assign(this, { width, height, parts: [], clips: [], path: [], stack: [], dash: [] });
    Object.assign(this, { strokeStyle: "#000000", fillStyle: "#000000", lineWidth: 1, lineJoin: "round", font: "10px serif", textAlign: "left", globalAlpha: 1 });
    Object.assign(this, { transform: "", clipped: "" });
    this.ruler = document.createElement("canvas").getContext("2d");
  }

  save() {
    const { strokeStyle, fillStyle, lineWidth, dash, font, textAlign, globalAlpha, transform, clipped } = this;
    this.stack.push({ strokeStyle, fillStyle, lineWidth, dash, font, textAlign, globalAlpha, transform, clipped });
  }

  restore() {
    Object.assign(this, this.stack.pop());
  }

  translate(x, y) {
    this.transform += `translate(${short(x)} ${short(y)})`;
  }

  rotate(angle) {
    this.transform += `rotate(${short((angle * 180) / Math.PI)})`;
  }

  setLineDash(dash) {
    this.dash = dash;
  }

  beginPath() {
    this.path = [];
  }

  moveTo(x, y) {
    this.path.push(`M${short(x)} ${short(y)}`);
  }

  lineTo(x, y) {
    this.path.push(`${this.path.length === 0 ? "M" : "L"}${short(x)} ${short(y)}`);
  }

  closePath() {
    this.path.push("Z");
  }

  rect(x, y, width, height) {
    this.path.push(`M${short(x)} ${short(y)}h${short(width)}v${short(height)}h${short(-width)}Z`);
  }

  // Whole circles are all that is drawn.
  arc(x, y, radius) {
    const r = short(radius);
    this.path.push(`M${short(x - radius)} ${short(y)}a${r} ${r} 0 1 0 ${short(2 * radius)} 0a${r} ${r} 0 1 0 ${short(-2 * radius)} 0Z`);
  }

  clip() {
    this.clips.push(`<clipPath id="clip${this.clips.length}"><path d="${this.path.join("")}"/></clipPath>`);
    this.clipped = ` clip-path="url(#clip${this.clips.length - 1})"`;
  }

  stroke() {
    if (this.path.length > 0) this.put("path", `d="${this.path.join("")}" fill="none"${this.line()}`);
  }

  fill() {
    if (this.path.length > 0) this.put("path", `d="${this.path.join("")}" fill="${this.fillStyle}"`);
  }

  strokeRect(x, y, width, height) {
    this.put("path", `d="M${short(x)} ${short(y)}h${short(width)}v${short(height)}h${short(-width)}Z" fill="none"${this.line()}`);
  }

  fillRect(x, y, width, height) {
    this.put("path", `d="M${short(x)} ${short(y)}h${short(width)}v${short(height)}h${short(-width)}Z" fill="${this.fillStyle}"`);
  }

  measureText(text) {
    this.ruler.font = this.font;
    return this.ruler.measureText(text);
  }

  fillText(text, x, y) {
    const [, italic, size] = /^(italic )?([\d.]+)px/.exec(this.font);
    const slant = italic === undefined ? "" : ' font-style="italic"';
    const escaped = text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
    this.put("text", `x="${short(x)}" y="${short(y)}" font-size="${short(+size)}"${slant} fill="${this.fillStyle}" xml:space="preserve"`, escaped);
  }

  line() {
    const dash = this.dash.length === 0 ? "" : ` stroke-dasharray="${this.dash.join(" ")}"`;
    return ` stroke="${this.strokeStyle}" stroke-width="${short(this.lineWidth)}" stroke-linejoin="round"${dash}`;
  }

  put(tag, attributes, content = "") {
    const transform = this.transform === "" ? "" : ` transform="${this.transform}"`;
    const alpha = this.globalAlpha === 1 ? "" : ` opacity="${short(this.globalAlpha)}"`;
    const element = `<${tag} ${attributes}${alpha}${transform}>${content}</${tag}>`;
    // A clip is in the coordinates of the page, not of what is turned.
    this.parts.push(this.clipped === "" ? element : `<g${this.clipped}>${element}</g>`);
  }

  svg(title) {
    const escaped = title.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
    const { width, height } = this;
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${FONT.replaceAll('"', "'")}">` +
      `<title>${escaped}</title><defs>${this.clips.join("")}</defs><rect width="${width}" height="${height}" fill="#ffffff"/>${this.parts.join("\n")}</svg>\n`;
  }
}

const short = (value) => String(+value.toFixed(2));

// What `paint` draws into a plot, as SVG in light colours, of the size that the plot has on the screen unless another is given.
function drawnAsVector(plot, title, size, paint) {
  const root = document.documentElement;
  const theme = root.dataset.theme;
  root.dataset.theme = "light";
  plot.vector = new VectorPen(...(size ?? [plot.canvas.clientWidth || 900, plot.canvas.clientHeight || 600]));
  try {
    paint();
    return plot.vector.svg(title);
  } finally {
    plot.vector = null;
    if (theme === undefined) delete root.dataset.theme;
    else root.dataset.theme = theme;
  }
}
