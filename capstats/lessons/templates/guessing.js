// Guessing is not predicting: the random guesser of average CAP beside the modal guesser.

const MOST = 500; // of a slider
const RELEASES = { S_b: "A", S_g: "B", S_a: "C", S_e: "D" };
const START = ["O_3", "S_b"];
const state = { turned: 0 }; // how much of the second picture has turned
const people = () => total(state.o);

/** Another clinic, another release, or both. */
function take(original, name, table = given.synthetics[name]) {
  Object.assign(state, { original, o: given.originals[original], s: mapped(table, (count) => Math.min(count, MOST)), release: name });
}
take(...START);
/** What the page calls the release: "release A", "the original". */
const released = () => (RELEASES[state.release] ? `release ${RELEASES[state.release]}` : state.release);

// --- the two intruders, key by key

/** For one key: the shares of the release, and the probability with which each target is named by the second guesser. */
function guesses(j) {
  const key = column(state.s, j);
  const q = key.map((s_ij) => ratio(s_ij, sum(key), 0));
  const modes = key.map((s_ij) => (sum(key) > 0 && s_ij === Math.max(...key) ? 1 : 0));
  return { q, named: modes.map((mode) => ratio(mode, sum(modes), 0)) };
}

const rightOf = (j, named) => sum(column(state.o, j).map((o_ij, i) => o_ij * named[i]));

// --- the pictures: a dot for each person, by age group and diagnosis

/** A picture as wide as its place, of those whom one of the two guesses right. */
function picture(who) {
  const right = (i, j) => (who === "random" ? state.o[i][j] * guesses(j).q[i] : state.turned * state.o[i][j] * guesses(j).named[i]);
  const again = fitted(find(`#${who}-dots`), 700, (wide) => {
    const small = wide < 420;
    const [left, pitch, room] = small ? [84, 3.4, 5] : [96, 6, 9];
    const across = Math.floor(((wide - left) / 3 - 2 * room) / pitch);
    const svg = draw("svg", { class: `${who}${small ? " small" : ""}`, role: "img" });
    given.ages.forEach((key, j) => svg.append(draw("text", { x: left + (j * (wide - left)) / 3, y: 12 }, key)));
    let top = 20;
    given.diagnoses.forEach((target, i) => {
      const high = Math.max(Math.ceil(Math.max(...state.o[i]) / across), 2) * pitch;
      svg.append(draw("text", { x: 0, y: top + high / 2 + 4 }, target));
      state.o[i].forEach((n, j) => {
        const x = left + (j * (wide - left)) / 3;
        const dots = (places) => places.map((k) => `M${(x + pitch * ((k % across) + 0.5)).toFixed(1)} ${(top + pitch * (Math.floor(k / across) + 0.5)).toFixed(1)}h0`);
        const hits = Math.round(right(i, j));
        const order = shuffle([...Array(n).keys()], random(n)); // always the same
        svg.append(draw("path", { class: "missed", d: dots(order.slice(hits)).join("") }), draw("path", { class: "guessed", d: dots(order.slice(0, hits)).join("") }));
        if (who === "modal" && state.turned && guesses(j).named[i]) {
          svg.append(draw("rect", { class: "said", x: x - 3, y: top - 3, width: across * pitch + 6, height: high + 6, rx: 5 }));
        }
      });
      top += high + room;
    });
    const value = who === "random" ? averageCap(state.o, state.s) * people() : correctPredictions(state.o, state.s);
    const text = who === "modal" && !state.turned ? "not guessed yet" : `${number(value)} right`;
    return assign(svg, { width: wide, viewBox: `0 0 ${wide} ${top}`, "aria-label": `${people()} people by age group and diagnosis: ${text}` });
  });
  return later(again);
}
const pictures = ["random", "modal"].map(picture);

/** The second picture turns, within a second. */
function turn() {
  grow((share) => {
    state.turned = Math.max(share, 0.01);
    pictures[1]();
  });
}

// --- a card for each key: sliders of the release

const cards = given.ages.map((key, j) => {
  const rows = given.diagnoses.map((target, i) => {
    const slider = make("input", { type: "range", min: 0, max: MOST, step: 1, id: `s${i}${j}`, "data-cell": `${i},${j}`, input: () => move(i, j) });
    const badge = make("span", { class: "badge" });
    const text = output(`share_${i}_${j}`);
    return { slider, badge, text, count: make("span", { class: "count" }), label: make("label", { for: `s${i}${j}` }, target) };
  });
  const line = (who, text) => make("p", { class: `result ${who}` }, `${text}: `, output(`${who}_right_${j}`), make("span", { class: "held" }));
  const card = make("section", { class: "card key", "aria-label": `Age ${key}` },
    make("h3", {}, key),
    ...rows.map(({ label, slider, count, text, badge }) => make("div", { class: "dial" }, label, slider, count, make("span", { class: "share" }, text, badge))),
    line("random", "First guesser right"), line("modal", "Second guesser right"));
  find("#keys").append(card);
  return { card, rows };
});

function move(i, j) {
  state.s[i][j] = Number(cards[j].rows[i].slider.value);
  state.release = "your release";
  update();
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
    row.slider.setAttribute("aria-valuetext", `${state.s[i][j]} released records, ${(100 * q[i]).toFixed(0)} % of the age group`);
  });
  show(`random_right_${j}`, rightOf(j, q), number(rightOf(j, q), 1));
  show(`modal_right_${j}`, rightOf(j, named), number(rightOf(j, named), Number.isInteger(rightOf(j, named)) ? 0 : 1));
  findAll(".held", card).forEach((span) => { span.textContent = ` of ${o_j}`; });
}

function update() {
  given.ages.forEach((_, j) => showKey(j));
  const [average, predicted] = [averageCap(state.o, state.s), correctPredictions(state.o, state.s)];
  show("people", people(), number(people()));
  show("average", average, inPercent(average));
  show("random_right", average * people(), number(average * people()));
  show("modal_right", predicted, number(predicted, Number.isInteger(predicted) ? 0 : 1));
  show("modal_share", predicted / people(), inPercent(predicted / people()));
  find("#release").textContent = released();
  changed();
  findAll(".of").forEach((span) => { span.textContent = `of ${number(people())}`; });
  findAll("#presets button").forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.release === state.release)));
  chooseOriginal(state.original);
  if (state.original !== drawn) showCloud();
  find(".glance").classList.toggle("until", `${state.original} ${state.release}` === START.join(" ")); // on a phone, not over the answer
  pictures.forEach((again) => again());
  placeYours();
}

// --- choices

const renew = () => {
  forget();
  update();
};
const chance = random(20);
const presets = {
  ...Object.fromEntries(Object.keys(RELEASES).map((name) => [name, () => given.synthetics[name]])),
  "the original": () => state.o,
  "a random table": () => uniformTable(900, 3, 3, chance),
};
for (const [name, table] of Object.entries(presets)) {
  find("#presets").append(make("button", { type: "button", class: "quiet", "data-release": name, click: () => {
    take(state.original, name, table());
    renew();
  } }, RELEASES[name] ?? name));
}

const clinics = Object.fromEntries(Object.keys(given.originals).map((name) => [name, name.replace("O_", "clinic ")]));
const chooseOriginal = choices(find("#originals"), "original", clinics, (name) => {
  take(name, state.release, state.s);
  renew();
});

// --- all releases as points: right guesses of the one and of the other

let plane;
let drawn; // the original of the drawing
let yours;

/** Where a release lies: right guesses of the first guesser, across, and of the second guesser, upwards. */
const where = (s) => [plane.x(averageCap(state.o, s) * people()), plane.y(correctPredictions(state.o, s))];

const drawCloud = fitted(find("#cloud"), 760, (wide) => {
  drawn = state.original;
  const high = Math.min(Math.max(wide * 0.6, 330), 440);
  const most = maximumCap(state.o) * people();
  const end = Math.ceil((1.07 * most) / 100) * 100;
  plane = { x: scale(0, end, 52, wide - 24), y: scale(0, end, high - 52, 40) };
  const svg = draw("svg", {
    width: wide, viewBox: `0 0 ${wide} ${high}`, role: "img",
    "aria-label": "People guessed right by the first guesser, across, and by the second guesser, upwards, for 400 random releases and yours",
  });
  const values = [...new Set([...ticks(0, end, 5), end])].filter((value) => value === end || value < 0.9 * end);
  svg.append(axis(plane.x, high - 52, values, "first guesser: expected right guesses", number));
  svg.append(upright(plane.y, 52, values, "second guesser: people predicted", number, [high - 52, 40]));
  svg.append(draw("path", { d: path([[plane.x(0), plane.y(0)], [plane.x(end), plane.y(end)]]), class: "both" }));
  svg.append(draw("text", { x: plane.x(0.86 * end), y: plane.y(0.86 * end) + 26, "text-anchor": "middle", class: "soft" }, "both alike"));
  const draws = random(900);
  for (let k = 0; k < 400; k += 1) {
    const [x, y] = where(uniformTable(900, 3, 3, draws));
    svg.append(draw("circle", { cx: x.toFixed(1), cy: y.toFixed(1), r: 3, class: "drawn-dot" }));
  }
  const named = [...Object.entries(given.synthetics), ["the original", state.o]];
  const places = named.map(([, table]) => where(table));
  for (const [name, table] of named) {
    const [x, y] = where(table);
    svg.append(draw("path", { d: `M${x} ${y - 7}l7 7l-7 7l-7 -7z`, class: "named" }));
    const text = RELEASES[name] ?? name;
    const crowded = x + 20 + 8 * text.length > wide || places.some(([a, b]) => a > x && a - x < 75 && Math.abs(b - y) < 20); // no room on the right
    svg.append(draw("text", { x: crowded ? x - 11 : x + 13, y: y - 9, "text-anchor": crowded ? "end" : "start", class: "halo" }, text));
  }
  yours = draw("g", { class: "yours" }, draw("circle", { r: 11 }), draw("text", { x: 0, y: 27, "text-anchor": "middle", class: "halo" }, "yours"));
  svg.append(yours);
  placeYours();
  return svg;
});

const showCloud = later(drawCloud);
find("#cloud").closest("details").addEventListener("toggle", () => dispatchEvent(new Event("resize"))); // it has its width once it is open

function placeYours() {
  const [x, y] = where(state.s);
  yours.setAttribute("transform", `translate(${x} ${y})`);
}

// --- 100 people

const game = { people: 0, random: 0, modal: 0, draws: random(100) };
const panels = ["random", "modal"].map((who) => {
  const svg = draw("svg", { viewBox: "0 0 300 132", role: "img", class: `dots ${who}` });
  const text = make("p", {}, "Right: ", output(`game_${who}`), " of ", output(`game_people_${who}`), make("span", { class: "expected" }));
  find("#dots").append(make("div", { class: `card ${who}` }, make("h3", {}, who === "random" ? "First guesser" : "Second guesser"), svg, text));
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
  announce(`Of ${game.people} people the first guesser is right for ${game.random}, the second guesser for ${game.modal}.`);
}

function showGame(found) {
  const expected = { random: averageCap(state.o, state.s), modal: correctPredictions(state.o, state.s) / people() };
  for (const { who, svg, text } of panels) {
    const held = found?.[who] ?? Array(100).fill(false);
    svg.replaceChildren(...held.map((right, k) => draw("circle", { cx: 12 + (k % 20) * 14.5, cy: 12 + Math.floor(k / 20) * 26, r: 6, class: right ? "hit" : "miss" })));
    show(`game_${who}`, game[who]);
    show(`game_people_${who}`, game.people);
    find(".expected", text).textContent = game.people ? `, or ${inPercent(game[who] / game.people)}. Expected: ${inPercent(expected[who])}.` : ".";
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
