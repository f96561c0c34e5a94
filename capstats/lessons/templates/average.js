// The average hides people: two releases of one original, a dot for each person.

const SIDES = ["left", "right"];
const KEYS = ["K_1", "K_2", "K_3"];
const TARGETS = ["T_1", "T_2", "T_3"];
const BINS = 20; // of individual CAP, from 0 to 1
const MOST = 999; // people in a cell
const cells = KEYS.flatMap((_, j) => TARGETS.map((_, i) => [i, j]));
const copy = (t) => t.map((row) => [...row]);
const start = () => ({
  o: copy(given.originals.O_3), left: copy(given.synthetics.S_b), right: copy(given.synthetics.S_g),
  names: { o: "O_3", left: "S_b", right: "S_g" }, threshold: 0.5, chosen: null,
});

let state = start();
const title = (side) => ({ own: `the ${side} release`, itself: "the original" }[state.names[side]] ?? state.names[side]);

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
    const none = total(o) === 0;
    for (const [i, j] of cells) found[`cap-${side}-${i}-${j}`] = q[i][j];
    Object.assign(found, {
      [`average-${side}`]: averageCap(o, s), [`highest-${side}`]: none ? NaN : highest(o, s), [`above-${side}`]: above(o, s, threshold),
      [`lower-whisker-${side}`]: none ? NaN : box.lowerWhisker, [`lower-quartile-${side}`]: box.lowerQuartile, [`median-${side}`]: box.median,
      [`upper-quartile-${side}`]: box.upperQuartile, [`upper-whisker-${side}`]: none ? NaN : box.upperWhisker,
    });
  }
  return found;
}

// --- dots

/** The people of each cell in bins of their CAP: a list of {bin, value, i, j, people, below}, `below` people of other cells in the bin. */
function stacked(o, s) {
  const q = individualCap(s);
  const filled = Array(BINS).fill(0);
  return cells.filter(([i, j]) => o[i][j] > 0)
    .map(([i, j]) => ({ i, j, value: q[i][j], people: o[i][j], bin: Math.min(Math.floor(q[i][j] * BINS + 1e-9), BINS - 1) }))
    .sort((a, b) => a.value - b.value)
    .map((group) => {
      const below = filled[group.bin];
      filled[group.bin] += group.people;
      return { ...group, below };
    });
}

/** How many dots lie side by side in a bin so that the highest stack of both panels fits. */
function acrossFor(most, bin, height) {
  let across = 4;
  while (Math.ceil(most / across) * (bin / across) > height) across += 1;
  return across;
}

/** The dots of one cell as one path: a line of length 0 for each, whose round ends are the dot. */
function path({ bin, people, below }, place, floor, across) {
  const size = (place(1 / BINS) - place(0)) / across;
  const left = place(bin / BINS);
  let d = "";
  for (let k = below; k < below + people; k += 1) {
    d += `M${(left + size * ((k % across) + 0.5)).toFixed(2)} ${(floor - size * (Math.floor(k / across) + 0.5)).toFixed(2)}h0`;
  }
  return { d, "stroke-width": (size * 0.86).toFixed(2) };
}

const renew = {};

function renderPanel(side, found, groups, across, size) {
  const svg = find(`[data-side="${side}"] svg`);
  const { width, height, place } = size;
  const floor = height + 22;
  assign(svg, { viewBox: `0 0 ${width} ${floor + 112}`, height: floor + 112 });
  find(".fixed", svg)?.remove();
  const back = draw("g", { class: "fixed" }, axis(place, floor, [0, 0.2, 0.4, 0.6, 0.8, 1], "individual CAP"));
  back.append(...boxplot(found, side, place, floor + 66), draw("g", { class: "threshold", "aria-hidden": "true" },
    draw("path", { d: `M${place(state.threshold)} 16V${floor}` }),
    draw("text", { x: Math.min(Math.max(place(state.threshold), 24), width - 24), y: 11, "text-anchor": "middle" }, shown(state.threshold, 2))));
  svg.prepend(back);
  for (const [i, j] of cells) {
    const group = groups.find((one) => one.i === i && one.j === j);
    let dots = find(`[data-people="${i}-${j}"]`, svg);
    if (!group) {
      dots?.remove();
      continue;
    }
    if (!dots) {
      dots = draw("path", { "data-people": `${i}-${j}`, role: "button", tabindex: "-1", click: () => choose([i, j]), pointerenter: () => choose([i, j]) });
      svg.append(dots);
    }
    const chosen = state.chosen?.join() === `${i},${j}`;
    assign(dots, {
      ...path(group, place, floor, across), "aria-label": told(i, j, found), "aria-pressed": String(chosen),
      class: `people${atMost(group.value, state.threshold) ? "" : " above"}${chosen ? " chosen" : ""}`,
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
    draw("text", { x: near(mean), y: y + 26, "text-anchor": "middle" }, `average ${shown(found[`average-${side}`])}`),
    draw("text", { x: near(itself), y: y + 42, "text-anchor": "middle", class: "soft" }, `original with itself ${shown(found.original)}`))];
}

// --- one group of people

function told(i, j, found) {
  const risks = SIDES.map((side) => `${shown(found[`cap-${side}-${i}-${j}`])} with ${title(side)}`);
  return `${counted(state.o[i][j], "person", "people")} with key ${KEYS[j]} and target ${TARGETS[i]}: CAP ${risks.join(", ")}.`;
}

function renderChosen(found) {
  const chosen = state.chosen?.join("-");
  for (const row of findAll("[data-row]")) for (const cell of row.children) cell.classList.toggle("chosen", row.dataset.row === chosen);
  const lines = ["Point at a dot, or go to one with the Tab key: who is it?"];
  if (chosen) {
    const [i, j] = state.chosen;
    lines[0] = told(i, j, found);
    lines.push(...SIDES.map((side) => `${title(side)[0].toUpperCase()}${title(side).slice(1)}: ${guess(side, i, j)}`));
  }
  find("#who").replaceChildren(...lines.map((line, k) => make(k ? "span" : "strong", {}, line)));
}

function guess(side, i, j) {
  const m = keyTotals(state[side])[j];
  if (m === 0) return `no record has ${KEYS[j]}, so there is nothing to guess from.`;
  return `${state[side][i][j]} of the ${counted(m, "record", "records")} with ${KEYS[j]} ${state[side][i][j] === 1 ? "has" : "have"} ${TARGETS[i]}.`;
}

function choose(cell) {
  if (state.chosen?.join() === cell?.join()) return;
  state.chosen = cell;
  render();
}

// --- all of it

const render = later(() => {
  const found = numbers(state);
  for (const [name, value] of Object.entries(found)) show(name, value, name === "threshold" ? shown(value, 2) : shown(value));
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
  const width = Math.max(find(".panel svg").clientWidth, 240);
  const size = { width, height: width > 450 ? 300 : 230, place: scale(0, 1, 8, width - 8) };
  const groups = Object.fromEntries(SIDES.map((side) => [side, stacked(state.o, state[side])]));
  const most = Math.max(0, ...SIDES.flatMap((side) => groups[side].map(({ below, people }) => below + people)));
  const across = acrossFor(most, (width - 16) / BINS, size.height);
  for (const side of SIDES) renderPanel(side, found, groups[side], across, size);
  renderChosen(found);
});
