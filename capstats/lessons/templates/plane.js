// The figures of the lesson on protection: risk against utility, and what an epsilon promises.

const ENDS = 6; // of the epsilon axis
const WAYS = { redraw: "redraw, swap", response: "randomised response", noise: "noisy counts" };

/** Risk upwards, distance across: a line for each method, the chosen setting with its deviation, drawn releases as dots. */
function planeFigure(wide, { o, methods, chosen, point, deviation, wanted, dots }) {
  const high = Math.min(Math.max(wide * 0.62, 320), 430);
  const [itself, base] = [averageCap(o, o), baselineCap(o)];
  const lines = Object.entries(methods);
  const ys = [itself, base, ...lines.flatMap(([, points]) => points.map((p) => p[1])), ...dots.map((p) => p[1])];
  const xs = [0.02, ...lines.flatMap(([, points]) => points.map((p) => p[0])), ...dots.map((p) => p[0])];
  const room = Math.max(Math.max(...ys) - Math.min(...ys), 0.02);
  const x = scale(0, Math.max(...xs) * 1.06, 54, wide - 16);
  const y = scale(Math.min(...ys) - 0.08 * room, Math.max(...ys) + 0.1 * room, high - 52, 34);
  const svg = draw("svg", {
    width: wide, viewBox: `0 0 ${wide} ${high}`, role: "img",
    "aria-label": `Risk ${inPercent(point[1])} at distance ${inPercent(point[0])}, on the lines that the methods allow`,
  });
  const rule = (value, text, name, down = -6) => {
    svg.append(draw("path", { d: `M54 ${y(value)}H${wide - 16}`, class: name }));
    svg.append(draw("text", { x: wide - 18, y: y(value) + down, "text-anchor": "end", class: `halo ${name}-text` }, text));
  };
  svg.append(axis(x, high - 52, ticks(0, Math.max(...xs) * 1.06, wide < 500 ? 4 : 6), "distance from the original", inPercent));
  svg.append(upright(y, 54, ticks(Math.min(...ys) - 0.08 * room, Math.max(...ys) + 0.1 * room, 6), "expected average CAP", inPercent, [high - 52, 34]));
  for (const [a, b] of dots) svg.append(draw("circle", { cx: x(a).toFixed(1), cy: y(b).toFixed(1), r: 3.5, class: "drawn-dot" }));
  rule(itself, "CAP(O)", "base");
  rule(base, "baseline", "base", 16);
  if (wanted >= Math.min(...ys) && wanted <= Math.max(...ys)) rule(wanted, "wanted", "goal");
  for (const [name, points] of lines) {
    svg.append(draw("path", { d: path(points.map(([a, b]) => [x(a), y(b)])), class: `way ${name}${name === chosen ? " on-way" : ""}` }));
  }
  for (const [name, points] of lines) {
    const [a, b] = points[points.length - 1];
    const right = x(a) > wide * 0.6;
    svg.append(draw("text", { x: x(a) + (right ? -2 : 8), y: name === "redraw" ? y(b) - 9 : Math.min(y(b) + (name === "noise" ? 28 : 17), high - 58), "text-anchor": right ? "end" : "start", class: `halo ${name}-text` }, WAYS[name]));
  }
  const [cx, cy] = [x(point[0]), y(point[1])];
  if (deviation >= 0) svg.append(draw("path", { d: `M${cx} ${y(point[1] + deviation)}V${y(point[1] - deviation)}`, class: "spread" }));
  svg.append(draw("circle", { cx, cy, r: 8, class: "chosen" }));
  return svg;
}

/** The bound on a guess over epsilon, its modal guess, and the expected average CAP of two methods on this original. */
function promiseFigure(wide, { p, o, epsilon }) {
  const high = Math.min(Math.max(wide * 0.6, 300), 400);
  const least = Math.min(p.length ? 1 / p.length : 0, Math.max(...p)) - 0.05;
  const x = scale(0, ENDS, 48, wide - 16);
  const y = scale(Math.max(least, 0), 1.02, high - 52, 34);
  const bound = dpBound(p, epsilon).bound;
  const svg = draw("svg", { width: wide, viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": `At epsilon ${epsilon.toFixed(2)} a guess about one person, with all others known, is right with at most ${inPercent(bound)}` });
  const xs = Array.from({ length: 241 }, (_, k) => (ENDS * k) / 240);
  svg.append(axis(x, high - 52, ticks(0, ENDS, 6), "epsilon"));
  svg.append(upright(y, 48, ticks(Math.max(least, 0), 1, 5), "probability of a right guess", inPercent, [high - 52, 34]));
  const noisier = noisyCap(o, 4) > Math.max(...p); // which of the two lines is the upper one
  svg.append(draw("path", { d: `M48 ${y(Math.max(...p))}H${wide - 16}`, class: "base" }));
  svg.append(draw("text", { x: wide - 18, y: y(Math.max(...p)) + (noisier ? 17 : -6), "text-anchor": "end", class: "halo soft" }, "modal guesser without it"));
  const averages = { response: (e) => changedMoments(o, responding(p.length, e)).mean, noise: (e) => noisyCap(o, e) };
  const few = [0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1.1, 1.5, 2, 2.6, 3.3, 4, 5, ENDS];
  for (const [name, mean] of Object.entries(averages)) {
    svg.append(draw("path", { d: path(few.map((e) => [x(e), y(mean(e))])), class: `way ${name}` }));
    const at = name === "response" ? 0.55 : 3.3;
    svg.append(draw("text", { x: x(at) + 8, y: y(mean(at)) + (name === "noise" && noisier ? -8 : 20), class: `halo ${name}-text` }, WAYS[name]));
  }
  svg.append(draw("path", { d: path(xs.map((e) => [x(e), y(dpBound(p, e).bound)])), class: "curve" }));
  svg.append(draw("text", { x: x(ENDS) - 2, y: y(dpBound(p, 3).bound) + 18, "text-anchor": "end", class: "halo" }, "the promise"));
  svg.append(draw("circle", { cx: x(epsilon), cy: y(bound), r: 8, class: "chosen" }));
  return svg;
}

// --- single releases

/** A place of a list with these probabilities. */
function picked(probabilities, chance) {
  let left = chance();
  const found = probabilities.findIndex((p) => (left -= p) < 0);
  return found < 0 ? probabilities.length - 1 : found;
}

/** Every record gets a target by its row of the matrix. */
function releaseBy(o, matrix, chance) {
  const s = mapped(o, () => 0);
  o.forEach((row, b) => row.forEach((count, j) => {
    for (let k = 0; k < count; k += 1) s[picked(matrix[b], chance)][j] += 1;
  }));
  return s;
}

/** The targets of h records, chosen blindly, are dealt out among them. */
function swapRelease(o, h, chance) {
  const all = o.flatMap((row, i) => row.flatMap((count, j) => Array.from({ length: count }, () => [i, j])));
  shuffle(all, chance);
  const targets = shuffle(all.slice(0, h).map(([i]) => i), chance);
  const s = mapped(o, () => 0);
  all.forEach(([i, j], k) => { s[k < h ? targets[k] : i][j] += 1; });
  return s;
}
