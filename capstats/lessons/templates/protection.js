// Choose your protection: theta, the number swapped or epsilon, against risk and utility.

const own = { 2: [[40, 5], [10, 45]], 3: [[30, 10, 5], [10, 40, 15], [5, 10, 50]] };
const state = { original: "O_3", size: 2, method: "theta", theta: 0.3, swapped: 270, epsilon: 2, wanted: 0.42, dots: [], chance: random(7) };
const isOwn = () => state.original === "own";
const table = () => (isOwn() ? own[state.size] : given[state.original]);
const ready = () => targetTotals(table()).filter((o_i) => o_i > 0).length > 1; // there is something to guess
const WORDS = {
  theta: "Post-randomisation (PRAM): with probability \u03b8 the target of a record is drawn anew from the shares of all people.",
  swapped: "Swapping: h records are chosen blindly, and their targets are dealt out among them anew.",
  epsilon: "Randomised response: in secret, each person gives her true target with exp(\u03b5) times the probability of each other one.",
  noise: "Noisy counts: a whole number whose probability falls with its size is added to each count; below 0 becomes 0.",
};

// --- each method: its dial, its expected release, and mean and variance of average CAP

const DIAL = { theta: "theta", swapped: "swapped", epsilon: "epsilon", noise: "epsilon" };
const setting = () => state[DIAL[state.method]];

const methods = {
  theta: (o, theta) => ({ table: changedBy(o, redrawing(shares(o), theta)), ...changedMoments(o, redrawing(shares(o), theta)) }),
  swapped: (o, h) => ({ table: swappedBy(o, h), ...swapMoments(o, h) }),
  epsilon: (o, epsilon) => ({ table: changedBy(o, responding(o.length, epsilon)), ...changedMoments(o, responding(o.length, epsilon)) }),
  noise: (o, epsilon) => ({ table: noisyTable(o, epsilon), mean: noisyCap(o, epsilon), variance: NaN }),
};
const needed = { theta: thetaFor, swapped: swappedFor, epsilon: epsilonFor };
const releases = {
  theta: (o) => releaseBy(o, redrawing(shares(o), state.theta), state.chance),
  swapped: (o) => swapRelease(o, state.swapped, state.chance),
  epsilon: (o) => releaseBy(o, responding(o.length, state.epsilon), state.chance),
  noise: (o) => noisyRelease(o, state.epsilon, state.chance),
};
const NAMES = { theta: "Redraw targets", swapped: "Swap targets", epsilon: "Randomised response", noise: "Noisy counts" };
const LINES = { theta: "redraw", swapped: "redraw", epsilon: "response", noise: "noise" };
const lacking = () => (total(table()) === 0 ? "The table has no people." : "Give at least two targets people.");
const NOTHING = (wide) => draw("svg", { width: wide, viewBox: `0 0 ${wide} 60`, role: "img", "aria-label": lacking() }, draw("text", { x: 8, y: 34, class: "halo" }, lacking()));
const SHOWN = { theta: (x) => x.toFixed(3), swapped: (x) => number(x), epsilon: (x) => (x === Infinity ? "any" : x.toFixed(2)) };

// --- figures

const point = (found) => [targetDistance(table(), found.table), found.mean];
const ends = (name, from, to) => [from, to].map((value) => point(methods[name](table(), value)));

/** The points that each method can reach; redrawing, swapping and randomised response move along straight lines. */
function waysOf(o) {
  const key = JSON.stringify(o);
  if (waysOf.key !== key) {
    const noise = Array.from({ length: 16 }, (_, k) => point(methods.noise(o, 6 * (0.05 / 6) ** (k / 15))));
    Object.assign(waysOf, { key, found: { redraw: ends("theta", 0, 1), response: ends("epsilon", 50, 0), noise } });
  }
  return waysOf.found;
}

const drawPlane = fitted(find("#plane"), 760, (wide) => {
  if (!ready()) return NOTHING(wide);
  const found = methods[state.method](table(), setting());
  return planeFigure(wide, {
    o: table(), chosen: LINES[state.method], point: point(found), deviation: Math.sqrt(found.variance), wanted: state.wanted, dots: state.dots,
    methods: waysOf(table()),
  });
});
const drawBound = fitted(find("#bound"), 760, (wide) => (ready() ? promiseFigure(wide, { p: shares(table()), o: table(), epsilon: state.epsilon }) : NOTHING(wide)));

const drawFigures = later(() => {
  drawPlane();
  drawBound();
});

// --- numbers

const rows = Object.keys(needed).map((name) => {
  const set = make("button", { type: "button", class: "quiet", "aria-label": `Set it: ${NAMES[name]}`, click: () => apply(name) }, "Set it");
  const cell = (what, label) => make("td", { "data-label": label }, output(`${what}_${name}`));
  find("#needs").append(make("tr", {}, make("th", { scope: "row" }, NAMES[name]), cell("needed", "Needed"), cell("needed_distance", "Distance"), cell("needed_deviation", "Deviation"), make("td", {}, set)));
  return { name, set };
});
const SYMBOLS = { theta: "\u03b8 = ", swapped: "h = ", epsilon: "\u03b5 = " };

function showNeeds(o) {
  for (const { name, set } of rows) {
    const value = ready() ? needed[name](o, state.wanted) : NaN;
    const found = Number.isNaN(value) ? { table: null, variance: NaN } : methods[name](o, value);
    const away = found.table ? targetDistance(o, found.table) : NaN;
    show(`needed_${name}`, value, Number.isNaN(value) ? "out of reach" : `${SYMBOLS[name]}${SHOWN[name](value)}`);
    show(`needed_distance_${name}`, away, Number.isNaN(away) ? "-" : inPercent(away));
    show(`needed_deviation_${name}`, Math.sqrt(found.variance), Number.isNaN(away) ? "-" : inPercent(Math.sqrt(found.variance)));
    set.disabled = Number.isNaN(value);
  }
  const [b, itself] = [baselineCap(o), averageCap(o, o)];
  find("#range").textContent = !ready() ? lacking()
    : `Redrawing and swapping reach ${inPercent(b)}, the baseline, to ${inPercent(itself)}, CAP(O); randomised response begins at ${inPercent(1 / o.length)}. Noisy counts have no such formula.`;
}

/** A number, or a dash where the table has none. */
const tell = (name, value) => show(name, value, Number.isNaN(value) ? "-" : inPercent(value));

function update() {
  const o = table();
  const n = total(o);
  state.swapped = Math.min(state.swapped, n);
  const [b, itself] = ready() ? [baselineCap(o), averageCap(o, o)] : [NaN, NaN];
  const found = ready() ? methods[state.method](o, setting()) : { mean: NaN, variance: NaN };
  const promise = ready() ? dpBound(shares(o), state.epsilon) : { bound: NaN, guess: NaN, gain: NaN };
  tell("itself", itself);
  tell("baseline", b);
  tell("guess", promise.guess);
  for (const name of Object.keys(needed)) {
    show(name, state[name], SHOWN[name](state[name]));
    find(`[data-dial="${name}"]`).hidden = name !== DIAL[state.method];
  }
  tell("risk", found.mean);
  show("deviation", Math.sqrt(found.variance), !ready() ? "-" : Number.isNaN(found.variance) ? "not known" : inPercent(Math.sqrt(found.variance), 2));
  tell("above", ready() ? above(o, found.table, 0.5) / n : NaN);
  tell("distance", ready() ? targetDistance(o, found.table) : NaN);
  tell("left", greater(itself, b) ? (found.mean - b) / (itself - b) : NaN);
  tell("wanted", state.wanted);
  tell("bound", promise.bound);
  tell("gain", promise.gain);
  show("free", ready() ? dpEpsilon(shares(o), promise.guess) : NaN, ready() ? dpEpsilon(shares(o), promise.guess).toFixed(2) : "-");
  show("drawn", state.dots.length);
  tell("drawn_mean", ratio(sum(state.dots.map(([, cap]) => cap)), state.dots.length));
  find("#drawn").hidden = !state.dots.length;
  find("#draw").disabled = !ready();
  find("#method").textContent = WORDS[state.method];
  showNeeds(o);
  drawFigures();
}

find("#breach").textContent = "A coloured line above the promise is not a breach. The patients with noisy counts and \u03b5 = 0.2: risk "
  + `${inPercent(noisyCap(given.O_3, 0.2))}, promise ${inPercent(dpBound(shares(given.O_3), 0.2).bound)}. What is learned of an age group would be nearly the same without any one person.`;

// --- controls

const sliders = ["theta", "swapped", "epsilon", "wanted"].map((name) => find(`#${name}`));
for (const slider of sliders) {
  slider.addEventListener("input", () => {
    state[slider.id] = Number(slider.value);
    if (slider.id !== "wanted") state.dots = [];
    update();
  });
}

function renew() {
  const n = total(table());
  assign(find("#swapped"), { max: Math.max(n, 1) });
  if (ready()) {
    const least = Math.ceil(1000 / table().length) / 1000;
    const greatest = Math.max(Math.floor(averageCap(table(), table()) * 1000) / 1000, least);
    assign(find("#wanted"), { min: least, max: greatest });
    state.wanted = Math.min(Math.max(state.wanted, least), greatest);
  }
  state.swapped = Math.min(state.swapped, n);
  state.dots = [];
  for (const slider of sliders) slider.value = state[slider.id];
  edit(table(), isOwn());
  find("#sizes").hidden = !isOwn();
  find("#locked").hidden = isOwn();
  update();
}

function apply(name) {
  state.method = name;
  state[name] = Math.min(needed[name](table(), state.wanted), name === "epsilon" ? 50 : Infinity);
  setMethod(name);
  renew();
  announce(`${NAMES[name]}: risk ${find("[data-name=risk]").textContent}.`);
}

const edit = tableEditor(find("#editor"), (changed) => { own[state.size] = changed; renew(); });
function begin() {
  state.swapped = Math.round(0.3 * total(table()));
  if (ready()) state.wanted = Math.round(500 * (averageCap(table(), table()) + baselineCap(table()))) / 1000;
  renew();
}

choices(find("#sizes"), "size", { 2: "2 x 2", 3: "3 x 3" }, "2", (size) => { state.size = Number(size); begin(); });
const setOriginal = choices(find("#originals"), "original", { O_3: "Patients, clinic 3", O_4: "Clinic 4", hundred: "100 patients", own: "My own" }, state.original, (name) => {
  state.original = name;
  begin();
});
const setMethod = choices(find("#methods"), "method", NAMES, state.method, (name) => { state.method = name; renew(); });

/** Put an original, a method and its epsilon on the page; an original that is there stays as it is. */
function put(name, method, epsilon = state.epsilon) {
  if (state.original !== name) {
    state.original = name;
    setOriginal(name);
    begin();
  }
  Object.assign(state, { method, epsilon });
  setMethod(method);
  renew();
}

find("#draw").addEventListener("click", () => {
  for (let k = 0; k < 50; k += 1) {
    const s = releases[state.method](table());
    state.dots.push([targetDistance(table(), s), averageCap(table(), s)]);
  }
  update();
  announce(find("#drawn").textContent);
});
find("#clear").addEventListener("click", () => { state.dots = []; update(); announce("Cleared."); });
renew();
