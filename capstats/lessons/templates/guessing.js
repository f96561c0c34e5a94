// Guessing is not predicting: the random guesser of average CAP beside the modal guesser.

const MOST = 500; // of a slider
const names = { targets: ["T_1", "T_2", "T_3"], keys: ["K_1", "K_2", "K_3"] };
const state = { original: "O_4", o: given.originals.O_4, s: mapped(given.synthetics.S_a, (x) => x), release: "S_a" };
const people = () => total(state.o);

// --- the two intruders, key by key

/** For one key: the shares of the release, and the probability with which each target is named by the modal guesser. */
function guesses(j) {
  const key = column(state.s, j);
  const q = key.map((s_ij) => ratio(s_ij, sum(key), 0));
  const modes = key.map((s_ij) => (sum(key) > 0 && s_ij === Math.max(...key) ? 1 : 0));
  return { q, named: modes.map((mode) => ratio(mode, sum(modes), 0)) };
}

const rightOf = (j, named) => sum(column(state.o, j).map((o_ij, i) => o_ij * named[i]));

// --- a card for each key: sliders of the release, two bars of the original

const cards = names.keys.map((key, j) => {
  const rows = names.targets.map((target, i) => {
    const slider = make("input", { type: "range", min: 0, max: MOST, step: 1, id: `s${i}${j}`, "data-cell": `${i},${j}`, input: () => move(i, j) });
    const badge = make("span", { class: "badge" });
    const text = output(`share_${i}_${j}`);
    return { slider, badge, text, count: make("span", { class: "count" }), label: make("label", { for: `s${i}${j}` }, symbol(target)) };
  });
  const bars = {};
  for (const who of ["random", "modal"]) {
    bars[who] = draw("svg", { viewBox: "0 0 300 34", class: `bar ${who}`, role: "img" });
  }
  const line = (who, text) => make("p", { class: `result ${who}` }, `${text}: `, output(`${who}_right_${j}`), make("span", { class: "held" }));
  const card = make("section", { class: "card key", "aria-label": `Key ${key}` },
    make("h3", {}, "Key ", symbol(key)),
    ...rows.map(({ label, slider, count, text, badge }) => make("div", { class: "dial" }, label, slider, count, make("span", { class: "share" }, text, badge))),
    line("random", "Random guesser right"), bars.random, line("modal", "Modal guesser right"), bars.modal);
  find("#keys").append(card);
  return { card, rows, bars };
});

function move(i, j) {
  state.s[i][j] = Number(cards[j].rows[i].slider.value);
  state.release = "yours";
  update();
}

/** People of one key by target; in each segment the share that is guessed right is filled. */
function fillBar(svg, j, named, text) {
  const o_j = sum(column(state.o, j));
  const parts = [];
  let x = 0;
  column(state.o, j).forEach((o_ij, i) => {
    const wide = ratio(300 * o_ij, o_j, 0);
    if (wide > 0) {
      parts.push(draw("rect", { x: x + 1, y: 1, width: Math.max(wide - 2, 0.5), height: 32, rx: 3, class: "segment" }));
      if (named[i] > 0) parts.push(draw("rect", { x: x + 1, y: 1, width: Math.max((wide - 2) * named[i], 0.5), height: 32, rx: 3, class: "right" }));
      if (wide > 44) parts.push(draw("text", { x: x + wide / 2, y: 22, "text-anchor": "middle", class: "on" }, symbol(names.targets[i], draw), draw("tspan", { dy: -3 }, ` ${o_ij}`)));
    }
    x += wide;
  });
  svg.replaceChildren(draw("title", {}, text), ...parts);
}

function showKey(j) {
  const { q, named } = guesses(j);
  const { rows, card } = cards[j];
  const o_j = sum(column(state.o, j));
  rows.forEach((row, i) => {
    row.slider.value = state.s[i][j];
    row.count.textContent = state.s[i][j];
    row.badge.textContent = named[i] === 1 ? "named" : named[i] > 0 ? "tied" : "";
    show(`share_${i}_${j}`, q[i], `${(100 * q[i]).toFixed(0)} %`);
    row.slider.setAttribute("aria-valuetext", `${state.s[i][j]} released records, ${(100 * q[i]).toFixed(0)} % of the key`);
  });
  show(`random_right_${j}`, rightOf(j, q), number(rightOf(j, q), 1));
  show(`modal_right_${j}`, rightOf(j, named), number(rightOf(j, named), Number.isInteger(rightOf(j, named)) ? 0 : 1));
  findAll(".held", card).forEach((span) => { span.textContent = ` of ${o_j}`; });
}

const drawBars = later(() => names.keys.forEach((_, j) => {
  const { q, named } = guesses(j);
  const o_j = sum(column(state.o, j));
  fillBar(cards[j].bars.random, j, q, `Random guesser: ${rightOf(j, q).toFixed(1)} of ${o_j} people right`);
  fillBar(cards[j].bars.modal, j, named, `Modal guesser: ${rightOf(j, named).toFixed(1)} of ${o_j} people right`);
}));

function update() {
  names.keys.forEach((_, j) => showKey(j));
  const [average, predicted] = [averageCap(state.o, state.s), correctPredictions(state.o, state.s)];
  show("people", people(), number(people()));
  show("average", average);
  show("random_right", average * people(), number(average * people(), 1));
  show("modal_right", predicted, number(predicted, Number.isInteger(predicted) ? 0 : 1));
  show("modal_share", predicted / people());
  findAll(".of").forEach((span) => { span.textContent = `of ${number(people())} people`; });
  findAll("#presets button").forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.release === state.release)));
  drawBars();
  placeYours();
}

// --- choices

function release(name, table) {
  state.s = mapped(table, (count) => Math.min(count, MOST));
  state.release = name;
  forget();
  update();
}

const chance = random(20);
const presets = {
  ...Object.fromEntries(Object.keys(given.synthetics).map((name) => [name, () => given.synthetics[name]])),
  "the original": () => state.o,
  "a random table": () => uniformTable(900, 3, 3, chance),
};
for (const [name, table] of Object.entries(presets)) {
  const text = name.includes("_") ? symbol(name) : name;
  find("#presets").append(make("button", { type: "button", class: "quiet", "data-release": name, click: () => release(name, table()) }, text));
}

const chooseOriginal = choices(find("#originals"), "original", Object.fromEntries(Object.keys(given.originals).map((name) => [name, symbol(name)])), (name) => {
  state.original = name;
  state.o = given.originals[name];
  forget();
  showCloud();
  update();
});
chooseOriginal(state.original);

// --- all releases as points: right guesses of the one and of the other

let plane;
let yours;

/** Where a release lies: right guesses of the random guesser, across, and of the modal guesser, upwards. */
const where = (s) => [plane.x(averageCap(state.o, s) * people()), plane.y(correctPredictions(state.o, s))];

const drawCloud = fitted(find("#cloud"), 760, (wide) => {
  const high = Math.min(Math.max(wide * 0.6, 330), 440);
  const most = maximumCap(state.o) * people();
  const end = Math.ceil((1.07 * most) / 100) * 100;
  plane = { x: scale(0, end, 52, wide - 24), y: scale(0, end, high - 52, 40) };
  const svg = draw("svg", {
    width: wide, viewBox: `0 0 ${wide} ${high}`, role: "img",
    "aria-label": "People guessed right by the random guesser, across, and by the modal guesser, upwards, for 400 random releases and yours",
  });
  const values = [...new Set([...ticks(0, end, 5), end])].filter((value) => value === end || value < 0.9 * end);
  svg.append(axis(plane.x, high - 52, values, "random guesser: expected right guesses", number));
  svg.append(upright(plane.y, 52, values, "modal guesser: people predicted", number, [high - 52, 40]));
  svg.append(draw("path", { d: path([[plane.x(0), plane.y(0)], [plane.x(end), plane.y(end)]]), class: "both" }));
  svg.append(draw("text", { x: plane.x(0.86 * end), y: plane.y(0.86 * end) + 26, "text-anchor": "middle", class: "soft" }, "both alike"));
  const draws = random(900);
  for (let k = 0; k < 400; k += 1) {
    const [x, y] = where(uniformTable(900, 3, 3, draws));
    svg.append(draw("circle", { cx: x.toFixed(1), cy: y.toFixed(1), r: 3, class: "drawn-dot" }));
  }
  const named = [...Object.entries(given.synthetics), [state.original, state.o]];
  const places = named.map(([, table]) => where(table));
  for (const [name, table] of named) {
    const [x, y] = where(table);
    svg.append(draw("path", { d: `M${x} ${y - 7}l7 7l-7 7l-7 -7z`, class: "named" }));
    const crowded = places.some(([a, b]) => a > x && a - x < 75 && Math.abs(b - y) < 20); // another one to the right
    svg.append(draw("text", { x: crowded ? x - 11 : x + 13, y: y - 9, "text-anchor": crowded ? "end" : "start", class: "halo" }, symbol(name, draw)));
  }
  yours = draw("g", { class: "yours" }, draw("circle", { r: 11 }), draw("text", { x: 0, y: 27, "text-anchor": "middle", class: "halo" }, "yours"));
  svg.append(yours);
  placeYours();
  return svg;
});

const showCloud = later(drawCloud);

function placeYours() {
  const [x, y] = where(state.s);
  yours.setAttribute("transform", `translate(${x} ${y})`);
}

// --- 100 people

const game = { people: 0, random: 0, modal: 0, draws: random(100) };
const panels = ["random", "modal"].map((who) => {
  const svg = draw("svg", { viewBox: "0 0 300 132", role: "img", class: `dots ${who}` });
  const text = make("p", {}, "Right: ", output(`game_${who}`), " of ", output(`game_people_${who}`), make("span", { class: "expected" }));
  find("#dots").append(make("div", { class: `card ${who}` }, make("h3", {}, who === "random" ? "Random guesser" : "Modal guesser"), svg, text));
  return { who, svg, text };
});

/** A place of a list, with these probabilities; -1 with what is missing to 1. */
function pick(probabilities) {
  let left = game.draws();
  return probabilities.findIndex((p) => (left -= p) < 0);
}

function guessHundred() {
  const cells = mapped(state.o, (o_ij) => o_ij / people()).flat();
  const found = { random: [], modal: [] };
  for (let k = 0; k < 100; k += 1) {
    const cell = pick(cells);
    const { q, named } = guesses(cell % 3);
    found.random.push(pick(q) === Math.floor(cell / 3));
    found.modal.push(pick(named) === Math.floor(cell / 3));
  }
  game.people += 100;
  for (const { who } of panels) game[who] += found[who].filter(Boolean).length;
  showGame(found);
  announce(`Of ${game.people} people the random guesser is right for ${game.random}, the modal guesser for ${game.modal}.`);
}

function showGame(found) {
  const expected = { random: averageCap(state.o, state.s), modal: correctPredictions(state.o, state.s) / people() };
  for (const { who, svg, text } of panels) {
    const held = found?.[who] ?? Array(100).fill(false);
    svg.replaceChildren(...held.map((right, k) => draw("circle", { cx: 12 + (k % 20) * 14.5, cy: 12 + Math.floor(k / 20) * 26, r: 6, class: right ? "hit" : "miss" })));
    show(`game_${who}`, game[who]);
    show(`game_people_${who}`, game.people);
    find(".expected", text).textContent = game.people ? `, a share of ${(game[who] / game.people).toFixed(3)}. Expected: ${expected[who].toFixed(3)}.` : ".";
  }
}

function forget() {
  Object.assign(game, { people: 0, random: 0, modal: 0 });
  showGame();
}

find("#guess").addEventListener("click", guessHundred);
find("#forget").addEventListener("click", forget);
forget();
update();

// --- questions

const onO4 = () => (state.original === "O_4" ? "" : "choose O\u2084 as the original first.");
const now = () => [averageCap(state.o, state.s), correctPredictions(state.o, state.s)];

ask("order", {
  check: (answer) => answer === "split" || {
    a: "against the modal guesser it is. Compare the two average CAPs once more.",
    e: "against the random guesser it is. Compare the people predicted once more.",
    reverse: "there is one for each guesser. Read both totals again: lower is safer.",
  }[answer],
  hints: ["Choose O\u2084, then press S\u2090 and S\u2091 in turn. Lower is safer."],
  after: "Average CAP is 0.318 for S\u2090 and 0.309 for S\u2091, but S\u2091 lets the modal guesser predict 272 people, S\u2090 only 134. In each key of S\u2090 the most frequent target is a rare one in O\u2084.",
});
ask("itself", {
  of: () => total(given.originals.O_4),
  check: (answer) => answer === correctPredictions(given.originals.O_4, given.originals.O_4) || "add up the greatest count of each key.",
  hints: ["Press \u201cthe original\u201d and read the total, or add up the greatest counts of the three columns of O\u2084."],
  after: "197 + 136 + 198: with the original the guess for each key is the best possible one. A random guess is right for 439 people.",
});
ask("lower", {
  check: () => {
    const [average, predicted] = now();
    if (onO4()) return onO4();
    if (!(average < averageCap(state.o, given.synthetics.S_a))) return `average CAP is ${average.toFixed(3)}, which is not below 0.318.`;
    return predicted > 400 || `${number(predicted)} people are predicted; more than 400 are wanted.`;
  },
  hints: [
    "A target is named for everybody with the key if it leads by one record. So give about half of the key to a target that many people have, and the rest to a target that few people have.",
    "In K\u2081 and in K\u2082 let T\u2082 lead T\u2081 by one record, and leave T\u2083 empty.",
    "In K\u2083 let T\u2082 lead T\u2081 by one record, and leave T\u2083 empty: fewer people are predicted than with T\u2083, but average CAP falls below 0.318.",
  ],
  after: "A target that leads by one record is predicted for everybody, while the random guesser names it in little more than a third of the cases.",
});
ask("higher", {
  check: () => {
    const [average, predicted] = now();
    if (onO4()) return onO4();
    if (!(average > averageCap(state.o, given.synthetics.S_e))) return `average CAP is ${average.toFixed(3)}, which is not above 0.309.`;
    return predicted < 100 || `${number(predicted)} people are predicted; fewer than 100 are wanted.`;
  },
  hints: ["Make the rarest target of each key the most frequent in the release, by one record.", "Give all the other records of the key to the target that most people have."],
  after: "The modal guesser is led astray in every key, and the random guesser still profits from the second most frequent target.",
});
ask("agree", {
  check: (answer) => answer === "itself" || {
    pure: "with a single target in a key there is nothing else to name, so both name it.",
    even: "if all targets tie, the modal guesser names each of them equally often, as the random guesser does.",
  }[answer],
  hints: ["With one target in a key there is nothing to choose. And what does the modal guesser do if all targets tie?"],
  after: "With the original the modal guesser has 531 right, the random guesser 439. With one target in each key both name it, and with a tie of all targets the modal guesser guesses at random.",
});
