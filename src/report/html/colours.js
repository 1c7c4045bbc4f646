// Which curve has which colour: that of the print in the view of a figure. In the dark, colours are lightened until they can be seen.

// The part of white light that a colour gives back, as WCAG has it.
function luminance([red, green, blue]) {
  const part = (value) => (value <= 10.31 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue);
}

const isDark = () => style("--paper") !== "#ffffff";

const onDark = new Map();

// A colour of print as it is drawn on the page.
function shown(rgb) {
  if (!isDark()) return `rgb(${rgb.join(" ")})`;
  const key = rgb.join(" ");
  if (!onDark.has(key)) {
    const paper = luminance([22, 23, 26]);
    let mixed = rgb;
    for (let white = 0; white <= 1; white += 0.05) {
      mixed = rgb.map((value) => Math.round(value + (255 - value) * white));
      if ((luminance(mixed) + 0.05) / (paper + 0.05) >= 4.5) break;
    }
    onDark.set(key, `rgb(${mixed.join(" ")})`);
  }
  return onDark.get(key);
}

// A colour as SVG has it everywhere.
const hexadecimal = (colour) => colour.replace(/^rgb\((\d+) (\d+) (\d+)\)$/, (_, ...parts) =>
  `#${parts.slice(0, 3).map((part) => (+part).toString(16).padStart(2, "0")).join("")}`);

// The colours of curves in one view.
class Colours {
  constructor(model, view) {
    this.model = model;
    this.byCurve = new Map(view.traces);
    const taken = new Set(view.traces.flatMap(([, colours]) => colours.map(String)));
    // Curves that the figure does not show have colours of their own.
    const others = model.palette.filter((colour) => !taken.has(String(colour)));
    let next = 0;
    for (const curve of model.curves) {
      if (!this.byCurve.has(curve.at)) this.byCurve.set(curve.at, [others[next++ % others.length]]);
    }
  }

  // Of a curve, or of one of its columns where these have the colours.
  of(curve, column = 0) {
    const colours = this.byCurve.get(curve.at);
    return hexadecimal(shown(colours[column] ?? colours[0]));
  }
}
