// Almost any table passes: average CAP of random tables builds up Figure 2 of the paper under its exact law.

const own = { 2: [[30, 10], [20, 40]], 3: [[30, 10, 5], [20, 40, 25]] };
const state = { original: "O_3", keys: 2, m: 900, random: random(2) };
let seen = false; // whether a table was drawn: until then the law is kept back, so that a class can guess
const drawn = { averages: [], passed: 0, last: null, failed: null };

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
  Object.assign(drawn, { averages: [], passed: 0, last: null, failed: null });
  update();
}

let running = false;
const MOST = 50000; // tables; enough to see the law

function run() {
  if (!running) return;
  drawTables(still.matches ? 1000 : 25);
  if (drawn.averages.length >= MOST || empty()) keepDrawing(false);
  else if (still.matches) setTimeout(run, 1000);
  else requestAnimationFrame(run);
}

function keepDrawing(on) {
  running = on;
  assign(find("#run"), { "aria-pressed": String(on) });
  find("#run").textContent = on ? "Stop" : "Keep drawing";
  if (on) run();
  else announce(`${drawn.passed} of ${drawn.averages.length} tables pass.`);
}

// --- the figure

/** Bars: an edge lies at CAP(O), so that each holds tables that pass, or tables that fail. */
function histogram(end) {
  const step = itself() / Math.max(Math.round((itself() / end) * 60), 1);
  const bars = new Map();
  for (const average of drawn.averages) {
    const k = passes(average) ? Math.min(Math.floor(average / step + 1e-9), Math.round(itself() / step) - 1) : Math.floor(average / step);
    bars.set(k, (bars.get(k) ?? 0) + 1);
  }
  const found = [...bars].map(([k, count]) => ({ from: k * step, to: (k + 1) * step, high: count / (drawn.averages.length * step), fails: k * step >= itself() - step / 2 }));
  return { step, bars: found };
}

const drawChart = fitted(find("#chart"), 760, (wide) => {
  const high = Math.min(Math.max(wide * 0.58, 300), 420);
  const line = curve();
  const end = Math.min(1.04 * Math.max(empty() ? 1 : itself(), ...line.map(([x]) => x), oneValue() || 0), 1.02);
  const { step, bars } = empty() ? { step: 1, bars: [] } : histogram(end);
  const usual = line.length ? Math.max(...line.map(([, y]) => y)) : 1 / step;
  const top = 1.08 * Math.max(usual, ...(drawn.averages.length > 99 ? bars.map((bar) => bar.high) : []));
  const x = scale(0, end, 14, wide - 14);
  const y = scale(0, top, high - 52, 64);
  const svg = draw("svg", { width: wide, viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": `Average CAP of ${drawn.averages.length} random tables${seen ? ", and its exact law" : ""}` });
  for (const bar of bars) {
    const reach = Math.max(y(bar.high), 64);
    svg.append(draw("rect", { x: x(bar.from) + 0.5, width: Math.max(x(bar.to) - x(bar.from) - 1, 1), y: reach, height: high - 52 - reach, class: bar.fails ? "upper" : "lower" }));
  }
  svg.append(axis(x, high - 52, ticks(0, end, wide < 500 ? 4 : 6), "average CAP"));
  if (line.length) svg.append(draw("path", { d: path(line.map(([a, b]) => [x(a), y(b)])), class: "curve secret" }));
  else if (!empty()) svg.append(draw("path", { d: `M${x(oneValue())} ${high - 52}V64`, class: "curve secret" }));
  if (!empty()) {
    const b = baselineCap(table());
    svg.append(draw("path", { d: `M${x(b)} ${high - 52}V44`, class: "base" }), draw("path", { d: `M${x(itself())} ${high - 52}V24`, class: "own-risk" }));
    svg.append(draw("text", { x: x(b) - 6, y: 52, "text-anchor": "end", class: "halo soft" }, "baseline"));
    svg.append(draw("text", { x: x(itself()) - 6, y: 32, "text-anchor": "end", class: "halo of-itself" }, "CAP(O)"));
  }
  return svg;
});

const showChart = later(drawChart);

// --- the numbers

function showTable(found, title) {
  if (!found) return [];
  const { s, average } = found;
  const verdict = passes(average) ? make("span", { class: "passes" }, "passes") : make("span", { class: "fails" }, "fails");
  const head = make("tr", {}, make("td"), ...s[0].map((_, j) => make("th", { scope: "col" }, symbol(`K_${j + 1}`))));
  const body = s.map((row, i) => make("tr", {}, make("th", { scope: "row" }, symbol(`T_${i + 1}`)), ...row.map((count) => make("td", {}, String(count)))));
  return [make("div", {}, make("h3", { class: "after" }, title), make("table", { class: "drawn" }, head, ...body), make("p", { class: "verdict-line" }, `Average CAP ${average.toFixed(3)}: `, verdict))];
}

function update() {
  document.body.classList.toggle("before-draw", !seen);
  const { limit, finite } = exact();
  const count = drawn.averages.length;
  show("itself", empty() ? NaN : itself());
  show("baseline", empty() ? NaN : baselineCap(table()));
  show("drawn", count, number(count));
  show("passed", drawn.passed, number(drawn.passed));
  show("passed_share", ratio(drawn.passed, count), count ? (drawn.passed / count).toFixed(4) : "-");
  show("limit", limit, Number.isNaN(limit) ? "undefined" : limit.toFixed(4));
  show("finite_lower", finite[0], Number.isNaN(finite[0]) ? "not computed" : finite[0].toFixed(finite[0] === finite[1] ? 4 : 5));
  show("finite_upper", finite[1], Number.isNaN(finite[1]) ? "not computed" : finite[1].toFixed(5));
  find("#to").hidden = finite[0] === finite[1] || Number.isNaN(finite[0]);
  find("#finite-label").textContent = `Exact, ${state.m} records`;
  show("mean", uniformMean(table(), state.m), uniformMean(table(), state.m).toFixed(4));
  const last = showTable(drawn.last, "The last table");
  const failed = drawn.failed === drawn.last ? [] : showTable(drawn.failed, "The last one that failed");
  find("#last").replaceChildren(...last, ...failed);
  find("#honest").textContent = honest();
  find("#honest").classList.toggle("secret", !empty());
  showChart();
}

function honest() {
  if (empty()) return "The original has no people. Give it some.";
  const text = state.m === 900 ? "With 900 records the law is close to that of very many." : `With ${state.m} records the law is another one: a key may be missing from a release, and shares are coarse, so the bars do not follow the line.`;
  if (!curve().length) return `${text} For this original the law of very many records is one value, ${oneValue().toFixed(3)}: a random table has it wherever no key is missing.`;
  if (isOwn() && !finiteFits(table(), state.m)) return `${text} For three keys and 900 records the exact share is not computed here; capstats has it.`;
  return text;
}

// --- controls

const width = choices(find("#width"), "width", { 2: "2", 3: "3" }, (keys) => { state.keys = Number(keys); renew(); });
const edit = tableEditor(find("#editor"), {
  label: "People of the original", rows: (i) => symbol(`T_${i + 1}`), columns: (j) => symbol(`K_${j + 1}`),
  change: (changed) => { own[state.keys] = changed; clear(); },
});
const titles = { ...Object.fromEntries(Object.keys(given.originals).map((name) => [name, symbol(name)])), own: "My own" };
choices(find("#originals"), "original", titles, (name) => { state.original = name; renew(); })(state.original);
choices(find("#records"), "records", { 10: "10", 30: "30", 900: "900" }, (m) => { state.m = Number(m); renew(); })("900");
width("2");

function renew() {
  find("#width").hidden = !isOwn();
  edit(table(), isOwn());
  clear();
}

findAll("[data-draw]").forEach((button) => button.addEventListener("click", () => {
  drawTables(Number(button.dataset.draw));
  announce(`${drawn.passed} of ${drawn.averages.length} tables pass.`);
}));
find("#run").addEventListener("click", () => keepDrawing(!running));
find("#clear").addEventListener("click", () => { keepDrawing(false); clear(); });
renew();

// --- questions

ask("below", {
  check: (answer) => answer === "little" || {
    safe: "tables that protect nobody on purpose pass as well: draw 1,000 with O\u2084.",
    close: "a table drawn blindly knows nothing of the original. Draw 1,000 with O\u2084 and see whether they pass.",
    most: "the average says nothing of how many people are above it or below: a few high risks may make up for many low ones, or the reverse.",
  }[answer],
  hints: ["These tables know nothing of the original. How many of them pass?"],
  after: "Whoever offers a table without having looked at the original can say the same.",
});
ask("fail", {
  of: () => 10000,
  check: (answer) => (answer >= 60 && answer <= 61) || "the exact share that passes is in the table of numbers; the others fail.",
  hints: ["Draw a table, choose O\u2084, read the exact share for very many records, subtract it from 1 and multiply by 10,000."],
  after: "The exact probability is 0.99393, so about 61 tables in 10,000 fail. With 900 records it is between 0.99357 and 0.99360, so 64.",
});
ask("even", {
  check: () => {
    if (!isOwn()) return "choose \u201cMy own\u201d and change its counts.";
    if (total(table()) < 20) return "the original needs at least 20 people.";
    const { limit } = exact();
    return limit < 0.6 || `${(100 * limit).toFixed(1)} % of all tables pass.`;
  },
  hints: ["For which originals is CAP(O) near the middle of the law?", "Let the key say almost nothing about the target, and the target be nearly even."],
  after: () => `Here ${(100 * exact().limit).toFixed(1)} % pass. The test can fail where the original tells next to nothing, which is where nobody needs it.`,
});
ask("never", {
  check: () => {
    if (!isOwn()) return "choose \u201cMy own\u201d and change its counts.";
    if (empty()) return "the original needs people.";
    if (!atMost(itself(), 0.6)) return `CAP(O) is ${itself().toFixed(3)}.`;
    return atMost(maximumCap(table()), itself()) || "some table has a greater average CAP: the one with all records of a key on its most frequent target.";
  },
  hints: ["No table exceeds the people in the greatest cell of each key, divided by all. When is CAP(O) as large?", "For one key: either all its people have one target, or both targets have the same number."],
  after: "Then CAP(O) is the greatest value that any release attains, and the test cannot fail.",
});
ask("reason", {
  check: (answer) => answer === "mean" || {
    up: "compare the mean of all tables for O\u2081 and O\u2082, with 900 records.",
    same: "the mean does stay; now compare the widths of the three lines.",
  }[answer],
  hints: ["Choose O\u2081, O\u2084 and O\u2082 in turn, and draw 1,000 tables each."],
  after: "A random table does not know the original, so its mean cannot depend on it; with 10 records it is a little lower, since a key may be missing. CAP(O) moves away to the right much faster than the law widens.",
});
