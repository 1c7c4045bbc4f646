// Symbols of special points, as in the printed figures: full for smooth bifurcations, open for what happens at switching sets.

// Corners around the centre: how many, turned by how much, how far out.
const OUTLINES = {
  square: [4, Math.PI / 4, 6],
  "open-square": [4, Math.PI / 4, 6],
  diamond: [4, 0, 6.2],
  "open-diamond": [4, 0, 6.2],
  triangle: [3, 0, 6.2],
  "open-triangle": [3, 0, 6.2],
  "open-triangle-down": [3, Math.PI, 6.2],
};

// Large symbols are in ink with a rim that keeps them apart from curves, small ones in the colour of their curve.
function symbol(pen, shape, x, y, colour) {
  const [ink, paper] = [style("--ink"), style("--paper")];
  pen.setLineDash([]);
  pen.lineWidth = 1.4;
  if (shape === "cross") {
    pen.strokeStyle = ink;
    pen.lineWidth = 1.8;
    pen.beginPath();
    for (const turn of [1, -1]) {
      pen.moveTo(x - 4, y - 4 * turn);
      pen.lineTo(x + 4, y + 4 * turn);
    }
    pen.stroke();
    return;
  }
  pen.beginPath();
  const round = { dot: 2, ring: 3, disc: 5, circle: 5 }[shape];
  if (round !== undefined) pen.arc(x, y, round, 0, 2 * Math.PI);
  else if (shape === "star") {
    for (let k = 0; k < 10; k++) {
      const radius = k % 2 === 0 ? 7.2 : 3.2;
      const [cx, cy] = [x + radius * Math.sin((Math.PI * k) / 5), y - radius * Math.cos((Math.PI * k) / 5)];
      if (k === 0) pen.moveTo(cx, cy);
      else pen.lineTo(cx, cy);
    }
    pen.closePath();
  } else {
    const [count, turn, radius] = OUTLINES[shape] ?? OUTLINES.diamond;
    for (let k = 0; k < count; k++) {
      const angle = turn + (2 * Math.PI * k) / count;
      const [cx, cy] = [x + radius * Math.sin(angle), y - radius * Math.cos(angle)];
      if (k === 0) pen.moveTo(cx, cy);
      else pen.lineTo(cx, cy);
    }
    pen.closePath();
  }
  const open = shape === "ring" || shape === "circle" || shape.startsWith("open-");
  const small = shape === "dot" || shape === "ring";
  pen.fillStyle = open ? paper : small ? colour : ink;
  pen.strokeStyle = small ? colour : open ? ink : paper;
  pen.stroke();
  pen.fill();
  if (open) pen.stroke();
}
