// CAP with your hands: two tables of people, moved with the mouse, a finger or the keyboard.

const MOST = 60; // people in a cell
const TARGETS = ["sick", "healthy"];
const KEYS = ["smoker", "non-smoker"];
const start = () => ({ o: copy(given.o), s: copy(given.s) });
const places = [0, 1].flatMap((i) => [0, 1].map((j) => [i, j]));

const sickOnly = find("#sick-only");
/** The names of the average that is looked at, of that of the original itself, and of the highest risk. */
const averaged = () => (sickOnly.checked ? ["average-sick", "original-sick", "highest-sick"] : ["average-zero", "original", "highest"]);

let tables = start();
const past = [];
let seed = 1;

// --- the model

/** The numbers that the page shows, by name. */
function numbers({ o, s }) {
  const q = individualCap(s);
  const found = { "total-o": total(o), "total-s": total(s), original: averageCap(o, o), baseline: baselineCap(o) };
  for (const [i, j] of places) Object.assign(found, { [`o-${i}-${j}`]: o[i][j], [`s-${i}-${j}`]: s[i][j], [`cap-${i}-${j}`]: q[i][j] });
  for (const version of ["zero", "drop"]) {
    found[`average-${version}`] = averageCap(o, s, version);
    found[`minimum-${version}`] = minimumCap(o, version);
    found[`maximum-${version}`] = maximumCap(o, version);
  }
  const highest = (among) => {
    const risks = places.filter(([i, j]) => among[i][j] > 0).map(([i, j]) => q[i][j]);
    return risks.length ? Math.max(...risks) : NaN;
  };
  const sick = [o[0], [0, 0]];
  Object.assign(found, { "average-sick": averageCap(sick, s), "original-sick": averageCap(sick, o), highest: highest(o), "highest-sick": highest(sick) });
  return found;
}

/** Change the tables; the state before is kept for "Undo". */
function change(edit) {
  past.push({ o: copy(tables.o), s: copy(tables.s) });
  if (past.length > 200) past.shift();
  edit(tables);
  render();
}

const named = (i, j, n = 2) => `${TARGETS[i]} ${KEYS[j]}${n === 1 ? "" : "s"}`;
const whose = (table) => (table === "o" ? "original" : "synthetic");

const inWords = () => `Average CAP${sickOnly.checked ? " of the sick" : ""} ${inPercent(numbers(tables)[averaged()[0]])}.`;

function add(table, i, j, by) {
  const count = tables[table][i][j] + by;
  if (count < 0 || count > MOST) return;
  change((all) => { all[table][i][j] = count; });
  announce(`${count} ${whose(table)} ${named(i, j, count)}. ${inWords()}`);
}

function move(table, [i, j], [to, along]) {
  const t = tables[table];
  if ((i === to && j === along) || t[i][j] === 0 || t[to][along] === MOST) return;
  change((all) => {
    all[table][i][j] -= 1;
    all[table][to][along] += 1;
  });
  announce(`Moved: ${t[i][j]} ${named(i, j, t[i][j])}, ${t[to][along]} ${named(to, along, t[to][along])}. ${inWords()}`);
}

// --- people

/** Places for n people in a box: as large as fits, at most 30 wide. */
function laid(n, width, height) {
  let size = 30;
  while (Math.floor(width / size) * Math.floor(height / size) < n) size -= 0.5;
  const across = Math.floor(width / size);
  return Array.from({ length: n }, (_, k) => ({ x: size * ((k % across) + 0.5), y: size * (Math.floor(k / across) + 0.5), size }));
}

/** A person: a head and a body, in a box of 22. */
function person(table, i) {
  const parts = [draw("circle", { cy: -5, r: 4 }), draw("path", { d: "M-7 9v-2a7 7 0 0 1 14 0v2z" })];
  const target = draw("rect", { x: -11, y: -11, width: 22, height: 22, class: "grip" });
  return draw("g", { class: `person ${TARGETS[i]} ${whose(table)}` }, target, ...parts);
}

function renderCell(table, i, j) {
  const cell = find(`[data-cell="${table}-${i}-${j}"]`);
  const n = tables[table][i][j];
  const place = find(".place", cell);
  assign(place, { "aria-valuenow": n, "aria-valuetext": table === "o" ? `${n}, each with CAP ${risk(j, i)}` : String(n) });
  const svg = find("svg", cell);
  const [width, height] = [svg.clientWidth || 132, svg.clientHeight || 68];
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const spots = laid(n, width, height);
  while (svg.children.length > n) svg.lastChild.remove();
  while (svg.children.length < n) svg.append(person(table, i));
  spots.forEach(({ x, y, size }, k) => svg.children[k].setAttribute("transform", `translate(${x} ${y}) scale(${(size / 24)})`));
  if (table === "o") cell.classList.toggle("certain", n > 0 && individualCap(tables.s)[i][j] === 1);
  const input = find(`[data-count="${table}-${i}-${j}"]`);
  if (document.activeElement !== input) input.value = n;
}

/** Individual CAP as a fraction and in percent: "2/7 = 28.6 %". */
function risk(j, i) {
  const m = keyTotals(tables.s)[j];
  return m === 0 ? "0: nothing to guess from" : `${tables.s[i][j]}/${m} = ${inPercent(tables.s[i][j] / m)}`;
}

// --- the ruler

function renderRuler(found) {
  const svg = find("#ruler");
  const place = scale(0, 1, 16, 338);
  const marks = (sickOnly.checked ? [["the original itself", "original-sick"]]
    : [["least possible", "minimum-zero"], ["no release", "baseline"], ["the original itself", "original"], ["greatest possible", "maximum-zero"]])
    .map(([text, name]) => ({ text, value: found[name] })).filter(({ value }) => !Number.isNaN(value));
  svg.replaceChildren(axis(place, 48, [0, 0.25, 0.5, 0.75, 1], "", inPercent));
  const ends = [];
  for (const { text, value } of marks.sort((a, b) => a.value - b.value)) {
    const half = text.length * 3.7 + 4;
    const middle = Math.min(Math.max(place(value), half), 360 - half);
    const free = ends.findIndex((end) => end < middle - half);
    const level = free < 0 ? ends.length : free;
    ends[level] = middle + half;
    const y = 84 + 18 * level;
    svg.append(draw("path", { class: "line", d: `M${place(value)} 42V${y - 12}` }));
    svg.append(draw("text", { x: middle, y, "text-anchor": "middle" }, text));
  }
  const value = found[averaged()[0]];
  if (Number.isNaN(value) || !found["total-s"]) return;
  svg.append(draw("path", { class: "pointer", d: `M${place(value)} 46l-8 -15h16z` }));
  svg.append(draw("text", { x: Math.min(Math.max(place(value), 36), 324), y: 25, "text-anchor": "middle" }, "this release"));
}

// --- words

function renderWords(found) {
  const { o, s } = tables;
  const n = total(o);
  const m = keyTotals(s);
  const terms = places.filter(([i, j]) => o[i][j] > 0).map(([i, j]) => `${o[i][j]} × ${m[j] ? `${s[i][j]}/${m[j]}` : "0"}`).join(" + ");
  const matched = matchedRecords(o, s);
  const value = inPercent(found["average-zero"]);
  const version2 = matched === n ? "All keys of the original are in the release, so version 2 is the same."
    : matched === 0 ? "No key of the original is in the release, so version 2 is undefined."
      : `Version 2 divides by the ${matched} people whose key is in the release: ${inPercent(found["average-drop"])}.`;
  find("#formula").textContent = n ? `Average CAP, version 1 = (${terms}) / ${n} = ${value}. ${version2}` : "The original has no people.";
  const sick = targetTotals(o);
  find("#others").textContent = n
    ? `Baseline = (${sick[0]}² + ${sick[1]}²) / ${n}² = ${inPercent(found.baseline)}. Least, the smallest cell = ${Math.min(...o.flat())}/${n} = `
      + `${inPercent(found["minimum-zero"])}. Greatest, the largest cell of each key = (${Math.max(...column(o, 0))} + ${Math.max(...column(o, 1))})/${n} = `
      + `${inPercent(found["maximum-zero"])}.` : "";
}

function compared(found) {
  const [value, original] = averaged().map((name) => found[name]);
  if (Number.isNaN(value)) return "";
  if (!found["total-s"]) return "nothing to guess from";
  if (same(value, original)) return "as risky as publishing the original";
  return value < original ? "less risky than publishing the original" : "riskier than publishing the original";
}

const render = later(() => {
  const found = numbers(tables);
  for (const table of ["o", "s"]) for (const [i, j] of places) renderCell(table, i, j);
  for (const [name, value] of Object.entries(found)) {
    const [, i, j] = name.split("-");
    show(name, value, name.startsWith("cap-") ? risk(Number(j), Number(i)) : name.startsWith("average-") && !found["total-s"] ? "no release" : /^(o|s|total)-/.test(name) ? shown(value) : inPercent(value));
  }
  find("#verdict").textContent = compared(found);
  document.body.classList.toggle("sick-only", sickOnly.checked);
  for (const j of [0, 1]) {
    find(`[data-share="${j}"]`).textContent = keyTotals(tables.s)[j] ? `${tables.s[0][j]} of ${keyTotals(tables.s)[j]}` : "none";
  }
  const most = found[averaged()[2]];
  const seen = places.filter(([i, j]) => tables.o[i][j] > 0 && !(sickOnly.checked && i));
  const who = seen.filter(([i, j]) => found[`cap-${i}-${j}`] === most).map(([i, j]) => named(i, j, tables.o[i][j]));
  find("#riskiest").textContent = who.length && most > 0 ? `(${who.join(", ")})` : "";
  assign(find('[data-do="undo"]'), { "aria-disabled": String(past.length === 0) });
  find(".glance").classList.toggle("until", past.length === 0); // on a phone, not over the answer
  renderRuler(found);
  renderWords(found);
  changed();
});
