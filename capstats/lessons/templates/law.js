// Does a blind table pass? Average CAP of random tables builds up Figure 2 of the paper under its exact law.

const GUESSED = "O_3"; // the original of the guess
const own = { 2: [[30, 10], [20, 40]], 3: [[30, 10, 5], [20, 40, 25]] };
const state = { original: GUESSED, keys: 2, m: 900, random: random(2) };
let seen = false; // whether a table was drawn: until then the law is kept back, so that a class can guess
const drawn = { averages: [], passed: 0, last: null, failed: null };
let fallen = 0; // tables whose dots have fallen

const isOwn = () => state.original === "own";
const table = () => (isOwn() ? own[state.keys] : given.originals[state.original].o);
const empty = () => total(table()) === 0;
const itself = () => averageCap(table(), table());
const passes = (average) => atMost(average, itself());

// --- the exact law: of the paper's originals from the library, of two targets by its formula

function exact() {
  const o = table();
  if (!isOwn()) {
    const { limit, finite } = given.originals[state.original];
    return { limit, finite: finite[state.m] };
  }
  if (empty()) return { limit: NaN, finite: [NaN, NaN] };
  const held = finiteFits(o, state.m) ? finiteCdf(o, state.m, itself()) : NaN;
  return { limit: limitCdf(o, itself()), finite: [held, held] };
}

/** Points [x, density] of the law, or nothing where it is one value. */
function curve() {
  const o = table();
  const points = 241;
  if (isOwn()) {
    const [least, greatest] = limitSupport(o);
    if (empty() || !(greatest > least)) return [];
    const xs = Array.from({ length: points }, (_, k) => least + ((greatest - least) * k) / (points - 1));
    return xs.map((x) => [x, limitDensity(o, x)]);
  }
  const { least, greatest, density } = given.originals[state.original];
  return density ? density.map((y, k) => [least + ((greatest - least) * k) / (density.length - 1), y]) : [];
}

const oneValue = () => (isOwn() ? limitSupport(table())[0] : given.originals[state.original].least);

// --- draws

function drawTables(count) {
  const o = table();
  if (empty()) return;
  seen = true;
  for (let k = 0; k < count; k += 1) {
    const s = uniformTable(state.m, o.length, o[0].length, state.random);
    const average = averageCap(o, s);
    drawn.averages.push(average);
    drawn.last = { s, average };
    if (passes(average)) drawn.passed += 1;
    else drawn.failed = { s, average };
  }
  update();
}

function clear() {
  fallen = 0;
  Object.assign(drawn, { averages: [], passed: 0, last: null, failed: null });
  update();
}

// --- the figure

const [TOP, FOOT] = [46, 48]; // pixels above and below the plot
const [LARGEST, SMALLEST] = [24, 5]; // a dot
const MOST_DOTS = 300;

/** Tables in steps of average CAP, of which one ends at CAP(O), so that each holds tables that pass, or tables that fail. */
function binned(end, count) {
  const steps = Math.max(Math.round((itself() / end) * count), 1);
  const step = itself() / steps;
  const at = drawn.averages.map((average) => (passes(average) ? Math.min(Math.floor(average / step + 1e-9), steps - 1) : Math.max(Math.floor(average / step), steps)));
  const bins = new Map();
  at.forEach((k, table) => {
    if (!bins.has(k)) bins.set(k, []);
    bins.get(k).push(table);
  });
  return { step, steps, bins: [...bins], highest: Math.max(0, ...[...bins.values()].map((tables) => tables.length)) };
}

/** The largest dots that fit under the top, for all tables and for the law; nothing where they would be too small. */
function dotted(end, wide, room, usual) {
  const count = drawn.averages.length;
  for (let size = LARGEST; count <= MOST_DOTS && size >= SMALLEST; size -= 1) {
    const found = binned(end, wide / size);
    if (size * Math.max(found.highest, usual * count * found.step) <= room) return { ...found, size };
  }
  return null;
}

/** A dot for each table; those that are new fall, one after another. */
function dotsOf({ bins, steps, step, size }, x, floor) {
  const fresh = drawn.averages.length - fallen;
  const dots = bins.flatMap(([k, tables]) => tables.map((table, place) => {
    const dot = draw("circle", { cx: x((k + 0.5) * step), cy: floor - (place + 0.5) * size, r: size * 0.43, class: `${k < steps ? "lower" : "upper"}${table >= fallen ? " falling" : ""}` });
    if (table >= fallen) dot.style.animationDelay = `${Math.round((1000 * (table - fallen)) / fresh)}ms`;
    return dot;
  }));
  fallen = drawn.averages.length;
  return dots;
}

function barsOf({ bins, steps, step }, x, y, floor) {
  fallen = drawn.averages.length;
  return bins.map(([k, tables]) => {
    const reach = Math.max(y(tables.length / (drawn.averages.length * step)), TOP);
    return draw("rect", { x: x(k * step) + 0.5, width: Math.max(x((k + 1) * step) - x(k * step) - 1, 1), y: reach, height: floor - reach, class: k < steps ? "lower" : "upper" });
  });
}

const drawChart = fitted(find("#chart"), 1168, (wide) => {
  const below = innerHeight - find("#chart").getBoundingClientRect().top - scrollY;
  const high = Math.min(Math.max(below - 64, 260), 430);
  const floor = high - FOOT;
  const line = curve();
  const own = empty() ? 1 : itself();
  const end = Math.min(1.04 * Math.max(own * 1.12, ...line.map(([x]) => x), oneValue() || 0), 1.12);
  const x = scale(0, end, 14, wide - 14);
  const usual = line.length ? Math.max(...line.map(([, y]) => y)) : 0;
  const dots = empty() ? null : dotted(end, wide - 28, floor - TOP, usual);
  const bars = dots || empty() ? null : binned(end, 60);
  const count = Math.max(drawn.averages.length, 1);
  const top = dots && drawn.averages.length ? (floor - TOP) / (dots.size * count * dots.step) : 1.08 * Math.max(usual || 1, bars ? bars.highest / (count * bars.step) : 0);
  const y = scale(0, top, floor, TOP);
  const svg = draw("svg", { width: wide, viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": `Average risk of ${drawn.averages.length} random tables, ${drawn.passed} of which pass${seen ? ", and its exact law" : ""}` });
  svg.append(draw("rect", { x: x(own), y: 0, width: Math.max(wide - 14 - x(own), 0), height: floor, class: "fails-here" }));
  const coming = fallen < drawn.averages.length && dots ? " coming" : "";
  svg.append(...(dots ? dotsOf(dots, x, floor) : []), ...(bars ? barsOf(bars, x, y, floor) : []));
  svg.append(axis(x, floor, ticks(0, end, wide < 500 ? 4 : 6), "average risk", inPercent));
  if (line.length) svg.append(draw("path", { d: path(line.map(([a, b]) => [x(a), y(b)])), class: `curve secret${coming}` }));
  else if (!empty()) svg.append(draw("path", { d: `M${x(oneValue())} ${floor}V${TOP}`, class: `curve secret${coming}` }));
  if (!empty()) {
    svg.append(draw("path", { d: `M${x(own)} ${floor}V0`, class: "own-risk" }));
    svg.append(draw("text", { x: x(own) - 8, y: 16, "text-anchor": "end", class: "halo of-itself" }, `the real data: ${inPercent(own)}`));
    svg.append(draw("text", { x: x(own) - 8, y: 36, "text-anchor": "end", class: "halo it-passes" }, "\u2190 passes"));
    svg.append(draw("text", { x: x(own) + 8, y: 36, class: "halo of-itself" }, "fails \u2192"));
  }
  return svg;
});

const showChart = later(drawChart);

// --- the numbers

function showTable(found, title) {
  if (!found) return [];
  const { s, average } = found;
  const verdict = passes(average) ? make("span", { class: "passes" }, "passes") : make("span", { class: "fails" }, "fails");
  const { ages, diagnoses } = groupsOf(s);
  return [make("div", {}, make("h2", { class: "after" }, title), tableOf(s, ages, diagnoses, { class: "drawn" }), make("p", { class: "verdict-line" }, `Average risk ${inPercent(average)}: `, verdict))];
}

function update() {
  document.body.classList.toggle("before-draw", !seen);
  const { limit, finite } = exact();
  const count = drawn.averages.length;
  show("itself", empty() ? NaN : itself(), empty() ? "undefined" : inPercent(itself()));
  show("baseline", baselineCap(table()), inPercent(baselineCap(table())));
  show("drawn", count, number(count));
  show("passed", drawn.passed, number(drawn.passed));
  show("passed_share", ratio(drawn.passed, count), count ? inPercent(drawn.passed / count, 2) : "-");
  show("limit", limit, inPercent(limit, 2));
  show("finite_lower", finite[0], Number.isNaN(finite[0]) ? "not computed" : inPercent(finite[0], finite[0] === finite[1] ? 2 : 3));
  show("finite_upper", finite[1], inPercent(finite[1], 3));
  find("#to").hidden = finite[0] === finite[1] || Number.isNaN(finite[0]);
  find("#finite-label").textContent = `Passes, ${state.m} records`;
  show("mean", uniformMean(table(), state.m), inPercent(uniformMean(table(), state.m), 2));
  const last = showTable(drawn.last, "The last table");
  const failed = drawn.failed === drawn.last ? [] : showTable(drawn.failed, "The last one that failed");
  find("#last").replaceChildren(...last, ...failed);
  find("#honest").textContent = honest();
  find("#honest").classList.toggle("secret", !empty());
  for (const mark of [".truth", ".verdict"]) find(`.predict ${mark}`).hidden = state.original !== GUESSED || state.m !== 900 || !count;
  changed();
  showChart();
}

function honest() {
  if (empty()) return "There are no people. Add some.";
  const text = state.m === 900 ? "With 900 records the law is close to the line." : `With ${state.m} records the law is another one: an age group may be missing, and shares are coarse.`;
  if (!curve().length) return `${text} Here the line is one value, ${inPercent(oneValue())}: every table has it if no age group is missing.`;
  if (isOwn() && !finiteFits(table(), state.m)) return `${text} For three age groups and 900 records the exact share is not computed here; capstats has it.`;
  return text;
}

// --- controls

choices(find("#width"), "width", { 2: "2", 3: "3" }, "2", (keys) => { state.keys = Number(keys); renew(); });
const edit = tableEditor(find("#editor"), (changed) => { own[state.keys] = changed; clear(); });
const setOriginal = choices(find("#originals"), "original", { O_1: "Clinic 1: nothing", O_4: "Clinic 4: a little", O_3: "Clinic 3: more", O_2: "Clinic 2: everything", own: "My own" }, state.original, (name) => { state.original = name; renew(); });
const setRecords = choices(find("#records"), "records", { 10: "10", 30: "30", 900: "900" }, "900", (m) => { state.m = Number(m); renew(); });

function renew() {
  find("#width").hidden = !isOwn();
  edit(table(), isOwn());
  clear();
}

/** Put an original on the page, with 900 records; what is there already stays. */
function put(name) {
  if (state.original === name && state.m === 900) return;
  Object.assign(state, { original: name, m: 900 });
  setOriginal(name);
  setRecords("900");
  renew();
}

findAll("[data-draw]").forEach((button) => button.addEventListener("click", () => {
  drawTables(Number(button.dataset.draw));
  announce(`${drawn.passed} of ${drawn.averages.length} tables pass.`);
}));
find("#clear").addEventListener("click", () => { clear(); announce("No table is drawn."); });
renew();

predict("pass", {
  text: (share) => String(Math.round(100 * share)),
  value: () => ratio(drawn.passed, drawn.averages.length),
  start: () => {
    const was = kept.get("guess-pass") === null ? GUESSED : state.original; // that of a question which was brought back
    put(GUESSED);
    clear();
    drawTables(100);
    put(was);
  },
  say: (guess, share) => {
    const yours = Math.round(100 * guess);
    const opening = [
      [Math.abs(guess - share) < 0.045, "You were close"],
      [yours === 50, "It is no toss of a coin"],
      [yours < 10, "Not looking is no failing"],
      [true, `You said ${yours}`],
    ].find(([fits]) => fits)[1];
    return `${opening}: ${number(drawn.passed)} of ${number(drawn.averages.length)} passed, ${(100 * given.originals[GUESSED].limit).toFixed(1)} of 100 in the long run. They know nobody, so passing proves nothing.`;
  },
});
