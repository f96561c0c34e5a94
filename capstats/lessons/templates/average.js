// The average hides people: two releases of one original, a dot for each person.

const SIDES = ["left", "right"];
const COLUMN = 0.05; // the width of a column of dots, in individual CAP
const EDGE = 24; // pixels left and right of the axis
const MOST = 999; // people in a cell
const cells = given.ages.flatMap((_, j) => given.diagnoses.map((_, i) => [i, j]));
const at = (table, [i, j]) => table[i][j];
const start = () => ({
  o: copy(given.originals.O_3), left: copy(given.synthetics.S_b), right: copy(given.synthetics.S_g),
  names: { o: "O_3", left: "S_b", right: "S_g" }, threshold: 0.5, chosen: null,
});

let state = start();
const title = (side) => ({ own: `the ${side} release`, itself: "the original" }[state.names[side]] ?? LETTERS[state.names[side]]);

// --- numbers

const highest = (o, s) => Math.max(...byCap(o, s).filter(({ people }) => people > 0).map(({ value }) => value));

/** The numbers that the page shows, by name. */
function numbers({ o, threshold, ...rest }) {
  const found = { people: total(o), threshold, original: averageCap(o, o), baseline: baselineCap(o) };
  for (const [i, j] of cells) found[`o-${i}-${j}`] = o[i][j];
  for (const side of SIDES) {
    const s = rest[side];
    const q = individualCap(s);
    const box = capBoxplot(o, s);
    for (const [i, j] of cells) found[`cap-${side}-${i}-${j}`] = q[i][j];
    Object.assign(found, {
      [`average-${side}`]: averageCap(o, s), [`highest-${side}`]: total(o) ? highest(o, s) : NaN, [`above-${side}`]: above(o, s, threshold),
      [`lower-whisker-${side}`]: box.lowerWhisker, [`lower-quartile-${side}`]: box.lowerQuartile, [`median-${side}`]: box.median,
      [`upper-quartile-${side}`]: box.upperQuartile, [`upper-whisker-${side}`]: box.upperWhisker,
    });
  }
  return found;
}

// --- dots

/**
 * The people of each cell as dots around their CAP, in the order of CAP: a list of {value, cell, people, above, dots, size, top}. Dots stand in
 * columns, `across` of them for a cell, which begin at the line of a threshold, so that none is cut. Each dot takes the lowest free place of
 * its cell's columns; those of a cell that the line would cut are moved beside it, to the side where the cell is counted.
 */
function stacked(o, s, place, across, threshold) {
  const q = individualCap(s);
  const size = (place(COLUMN) - place(0)) / across;
  const line = place(threshold);
  const heights = new Map();
  const height = (column) => heights.get(column) ?? 0;
  const held = cells.filter(([i, j]) => o[i][j] > 0);
  const groups = held.map((cell) => ({ cell, value: at(q, cell), people: at(o, cell) })).sort((a, b) => a.value - b.value);
  return groups.map((group) => {
    const above = !atMost(group.value, threshold);
    const middle = Math.round((place(group.value) - line) / size - across / 2);
    const first = above ? Math.max(middle, 0) : Math.min(middle, -across);
    const columns = Array.from({ length: across }, (_, k) => first + k);
    const dots = Array.from({ length: group.people }, () => {
      const lowest = columns.reduce((best, column) => (height(column) < height(best) ? column : best));
      heights.set(lowest, height(lowest) + 1);
      return [line + size * (lowest + 0.5), size * (height(lowest) - 0.5)];
    });
    return { ...group, above, dots, size, top: size * Math.max(...columns.map(height)) };
  });
}

/** The dots of a list of releases, as large as all of them fit into the height. */
function stackedAll(o, releases, place, threshold, height) {
  for (let across = 4; ; across += 1) {
    const found = releases.map((s) => stacked(o, s, place, across, threshold));
    if (found.flat().every(({ top }) => top <= height)) return found;
  }
}

/** The dots of one cell as one path: a line of length 0 for each, whose round ends are the dot. */
function path({ dots, size }, floor) {
  return { d: dots.map(([x, y]) => `M${x.toFixed(2)} ${(floor - y).toFixed(2)}h0`).join(""), "stroke-width": (size * 0.86).toFixed(2) };
}

const renew = {};

function renderPanel(side, found, groups, size) {
  const svg = find(`[data-side="${side}"] svg`);
  const { width, height, place } = size;
  const floor = height + 22;
  assign(svg, { viewBox: `0 0 ${width} ${floor + 112}`, height: floor + 112 });
  find(".fixed", svg)?.remove();
  const back = draw("g", { class: "fixed" }, axis(place, floor, [0, 0.25, 0.5, 0.75, 1], "risk: individual CAP", inPercent));
  back.append(...boxplot(found, side, place, floor + 66), draw("g", { class: "threshold", "aria-hidden": "true" },
    draw("path", { d: `M${place(state.threshold)} 16V${floor}` }),
    draw("text", { x: Math.min(Math.max(place(state.threshold), 24), width - 24), y: 11, "text-anchor": "middle" }, inPercent(state.threshold))));
  svg.prepend(back);
  for (const cell of cells) {
    const [i, j] = cell;
    const group = groups.find((one) => one.cell === cell);
    let dots = find(`[data-people="${i}-${j}"]`, svg);
    if (!group) {
      dots?.remove();
      continue;
    }
    if (!dots) {
      dots = draw("path", { "data-people": `${i}-${j}`, role: "button", tabindex: "-1", click: () => choose(cell), pointerenter: () => choose(cell) });
      svg.append(dots);
    }
    const chosen = state.chosen?.join() === `${i},${j}`;
    assign(dots, {
      ...path(group, floor), "aria-label": told(cell, found), "aria-pressed": String(chosen),
      class: `people${group.above ? " above" : ""}${chosen ? " chosen" : ""}`,
    });
  }
  renew[side]();
}

/** The boxplot of a panel at height y, with the average as a diamond and the original with itself as a broken line. */
function boxplot(found, side, place, y) {
  if (Number.isNaN(found[`median-${side}`])) return [];
  const at = (name) => place(found[`${name}-${side}`]);
  const { outliers } = capBoxplot(state.o, state[side]);
  const mean = at("average");
  const itself = place(found.original);
  const near = (x) => Math.min(Math.max(x, 60), place(1) - 50);
  return [draw("g", { class: "box", "aria-hidden": "true" },
    draw("path", { class: "itself", d: `M${itself} ${y - 16}v32` }),
    draw("path", { d: `M${at("lower-whisker")} ${y}H${at("lower-quartile")}M${at("upper-quartile")} ${y}H${at("upper-whisker")}` }),
    draw("path", { d: `M${at("lower-whisker")} ${y - 6}v12M${at("upper-whisker")} ${y - 6}v12` }),
    draw("rect", { x: at("lower-quartile"), y: y - 10, width: Math.max(at("upper-quartile") - at("lower-quartile"), 1), height: 20 }),
    draw("path", { d: `M${at("median")} ${y - 10}v20` }),
    ...outliers.map((value) => draw("circle", { class: "outlier", cx: place(value), cy: y, r: 3 })),
    draw("path", { class: "mean", d: `M${mean} ${y - 8}l8 8l-8 8l-8 -8z` }),
    draw("text", { x: near(mean), y: y + 26, "text-anchor": "middle" }, `average ${inPercent(found[`average-${side}`])}`),
    draw("text", { x: near(itself), y: y + 42, "text-anchor": "middle", class: "soft" }, `the original itself ${inPercent(found.original)}`))];
}

// --- one group of people

/** "93 people over 65 with asthma". */
const group = (o, [i, j]) => `${counted(o[i][j], "person", "people")} ${AGED[j]} with ${given.diagnoses[i]}`;

function told(cell, found) {
  const each = SIDES.map((side) => `${inPercent(found[`cap-${side}-${cell.join("-")}`])} with ${title(side)}`);
  return `${group(state.o, cell)}: risk ${each.join(", ")}.`;
}

function renderChosen(found) {
  const chosen = state.chosen?.join("-");
  for (const row of findAll("[data-row]")) for (const cell of row.children) cell.classList.toggle("chosen", row.dataset.row === chosen);
  const lines = ["Point at a dot, or go to one with the Tab key: who is it?"];
  if (chosen) {
    lines[0] = told(state.chosen, found);
    lines.push(...SIDES.map((side) => `${title(side)[0].toUpperCase()}${title(side).slice(1)}: ${guess(side, state.chosen)}`));
  }
  find("#who").replaceChildren(...lines.map((line, k) => make(k ? "span" : "strong", {}, line)));
}

function guess(side, [i, j]) {
  const m = keyTotals(state[side])[j];
  if (m === 0) return `no record is ${AGED[j]}, so there is nothing to guess from.`;
  return `${state[side][i][j]} of the ${counted(m, "record", "records")} ${AGED[j]} ${state[side][i][j] === 1 ? "has" : "have"} ${given.diagnoses[i]}.`;
}

function choose(cell) {
  if (state.chosen?.join() === cell?.join()) return;
  state.chosen = cell;
  render();
}

// --- all of it

const render = later(() => {
  const found = numbers(state);
  for (const [name, value] of Object.entries(found)) show(name, value, /^(people|o-|above)/.test(name) ? grouped(value) : inPercent(value));
  for (const side of SIDES) {
    find(`[data-release="${side}"]`).value = state.names[side];
    for (const cell of findAll(`[data-title="${side}"]`)) cell.textContent = title(side);
  }
  find("#original").value = state.names.o;
  if (Number(find("#threshold").value) !== state.threshold) find("#threshold").value = state.threshold;
  for (const table of ["o", ...SIDES]) {
    for (const [i, j] of cells) {
      const input = find(`[data-count="${table}-${i}-${j}"]`);
      if (document.activeElement !== input) input.value = state[table][i][j];
    }
  }
  if (!find("#explore").open) return;
  const width = Math.max(find(".panel svg").clientWidth, 240);
  const size = { width, height: width > 450 ? 300 : 230, place: scale(0, 1, EDGE, width - EDGE) };
  const groups = stackedAll(state.o, SIDES.map((side) => state[side]), size.place, state.threshold, size.height);
  SIDES.forEach((side, k) => renderPanel(side, found, groups[k], size));
  renderChosen(found);
});
