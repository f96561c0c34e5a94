// What does my number mean? Numbers of a report, typed, on the scale of its front sheet, and the sentences that follow from them.

const NEAR = 0.05; // baseline and original, between which nothing is called high or low
const WIDE = 0.02; // what digits leave open, from which on nothing is called as high as another

// --- numbers as reports write them

const whole = (x) => Number(fixed(x, 0));

const percent = (x) => inPercent(x, 0);
const points = (x) => inPercent(x).replace("%", "points");

/** Why numbers that are each right cannot belong together, if so. */
function problem({ average: c, baseline: b, original: o, sure: a, ...commonest }, version) {
  if (c && version === "drop") return fill(said.wrong.version_2);
  const least = (x) => x.value - x.open - TIE;
  const most = (x) => x.value + x.open + TIE;
  if (o && b && most(o) < least(b)) return fill(said.wrong.original_below, { original: inPercent(o.value), baseline: inPercent(b.value) });
  const { named, named_without: without, named_with: best } = commonest;
  for (const [name, x, y] of [["without", without, b], ["original", best, o]]) {
    const outside = x && y && (most(x) < least(y) || least(x) > Math.sqrt(most(y)));
    if (outside) return fill(said.wrong[`commonest_${name}`], { named: inPercent(x.value), least: inPercent(y.value), most: inPercent(Math.sqrt(y.value)) });
  }
  for (const x of best ? [named, without, c] : []) {
    if (x && least(x) > most(best)) return fill(said.wrong.above_best, { named: inPercent(x.value), best: inPercent(best.value) });
  }
  if (!c) return "";
  const average = inPercent(c.value);
  if (o && least(c) > Math.sqrt(most(o))) {
    return fill(said.wrong.above_greatest, { average, original: inPercent(o.value), greatest: inPercent(Math.sqrt(o.value)) });
  }
  const ends = a && { average, share_sure: percent(a.value), least: inPercent(0.9 * a.value), most: inPercent(0.9 + 0.1 * a.value) };
  if (a && 0.9 * least(a) > most(c)) return fill(said.wrong.too_low, ends);
  if (a && 0.9 + 0.1 * most(a) < least(c)) return fill(said.wrong.too_high, ends);
  return "";
}

// --- what it means

/** Whether x lies below (-1), at (0) or above (1) y, as far as their digits tell. */
const side = (x, y) => (Math.abs(x.value - y.value) <= x.open + y.open + TIE ? 0 : Math.sign(x.value - y.value));
const isOpen = (x, y) => x.open + y.open > WIDE; // so few digits that equal numbers may be far apart

/** Where average CAP lies: the name of a sentence, and what goes into it. */
function place({ average: c, baseline: b, original: o }) {
  const above = side(c, b);
  if (above < 0) return [c.value ? "below" : "never", { by: points(b.value - c.value) }];
  if (!above) return isOpen(c, b) ? ["open", { mark: front.marks.baseline }] : [c.value === 1 && b.value === 1 ? "always" : "at_baseline"];
  if (!o) return ["above_baseline", { by: points(c.value - b.value), way: percent((c.value - b.value) / (1 - b.value)) }];
  const beyond = side(c, o);
  if (!beyond && isOpen(c, o)) return ["open", { mark: front.marks.original }];
  if (beyond >= 0) return beyond ? ["above_original", { by: points(c.value - o.value) }] : ["at_original"];
  const range = o.value - b.value;
  const way = (c.value - b.value) / range;
  if ((c.open + (1 - way) * b.open + way * o.open) / range > 0.05) return ["rough"];
  if (range < NEAR) return ["near_both", { range: points(range) }];
  return [way < 0.25 ? "near_baseline" : way > 0.75 ? "near_original" : "between", { way: percent(way) }];
}

function ofBaseline({ baseline: { value: b, open }, average: c, named_without: without }) {
  const ends = without ? [without.value, without.value + without.open] : [b - open, Math.sqrt(b + open)]; // of the share of the commonest answer
  const isAbove = c.value - c.open > ends[1] + TIE;
  const name = b === 1 ? "one" : b < 0.5 ? "even" : isAbove ? "frequent_above" : "frequent";
  const [least, most] = [Math.max(0, ends[0]), Math.min(1, without?.value ?? ends[1])].map(percent);
  return fill(said.baseline[name], { range: least === most ? `about ${least}` : `${least} to ${most}`, most });
}

function ofCommonest({ named: x, named_without: without, baseline: b }) {
  if (!x) return said.commonest.missing;
  if (without) {
    if (!side(x, without) && isOpen(x, without)) return said.commonest.open;
    return fill(said.commonest[["below", "alike", "above"][side(x, without) + 1]], { by: points(Math.abs(x.value - without.value)) });
  }
  const most = Math.sqrt(b.value + b.open); // the greatest share that the commonest answer can have
  return fill(said.commonest[x.value - x.open > most + TIE ? "above_any" : "unknown"], { most: percent(Math.min(1, most)) });
}

function ofOriginal({ original: o, baseline: b }) {
  if (!o) return said.original.missing;
  if (side(o, b)) return fill(said.original.above, { by: points(o.value - b.value) });
  return isOpen(o, b) ? fill(said.average.open, { mark: front.marks.baseline }) : said.original.alike;
}

function ofSure({ sure: a, average: { value: c }, people: n }) {
  if (c === 0 || c === 1) return fill(said.above.only, { average: inPercent(c), share_sure: percent(c) });
  if (!a) return fill(said.above.missing, { least: percent(Math.max(0, (c - 0.9) / 0.1)), most: percent(Math.min(1, c / 0.9)) });
  const many = n ? ` (${grouped(whole(a.value * n.value))})` : "";
  return a.value ? fill(said.above.some, { share_sure: inPercent(a.value), sure: many }) : said.above.none;
}

/** An interval of a mean of numbers from 0 to 1 (Wilson's). */
function interval(mean, n) {
  const z2 = given.z ** 2 / n;
  const middle = (mean + z2 / 2) / (1 + z2);
  const half = Math.sqrt(z2 * (mean * (1 - mean) + z2 / 4)) / (1 + z2);
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}

function ofFresh({ fresh: f, holdout: n, average: c, original: o }) {
  if (!f) return front.no_holdout;
  if (o && side(f, o) > 0) return said.fresh_sample.odd;
  if (!n && !side(c, f) && isOpen(c, f)) return fill(said.average.open, { mark: front.marks.fresh_sample });
  const [lower, upper] = n ? interval(f.value, n.value) : [f.value, f.value];
  const open = c.open + (n ? 0 : f.open) + TIE;
  const inside = c.value >= lower - TIE && c.value <= upper + TIE;
  const texts = { by: points(Math.abs(c.value - f.value)), lower: inPercent(lower), upper: inPercent(upper) };
  if (c.value < lower - open) return fill(said.fresh_sample.below, texts);
  if (n && !inside && c.value <= upper + open) return fill(said.fresh_sample.rough, texts);
  if (c.value <= upper + open) return fill(said.fresh_sample[n ? "within" : "as_high"], texts);
  return fill(said.fresh_sample[n ? "surely" : "above"], texts);
}

/** The number and the sentence in front: people where their number is known. */
function headline({ average: c, baseline: b, original: o, people: n, named, named_without: without, named_with: best }) {
  const text = (x) => {
    if (!n) return inPercent(x.value);
    if (x.open <= TIE) return ofPeople(x.value, n.value);
    const [least, most] = [-1, 1].map((sign) => whole((x.value + sign * x.open * (1 - 1e-9)) * n.value));
    return `${"about ".repeat(least !== most)}${grouped(whole(x.value * n.value))}`;
  };
  const part = (name, x) => (x ? fill(said.right[name], { [name]: text(x) }) : "");
  const [release, commonest] = [text(c), named && text(named)];
  const parts = { named: part("named", named), named_without: part("named_without", without), original: part("original", o), named_with: o ? part("named_with", best) : "" };
  const of = n ? fill(said.right.of, { n: grouped(n.value) }) : said.right.share;
  return [[...new Set([release, ...(named ? [commonest] : [])])].join(" or "), fill(said.right.whole, { release, of: fill(of), baseline: text(b), ...parts })];
}

/** The marks of the scale: name, value, whether it is the release. */
function marks({ average, baseline, original, fresh }) {
  return [
    [front.marks.baseline, baseline.value], ...(fresh ? [[front.marks.fresh_sample, fresh.value]] : []), [said.release, average.value, true],
    original ? [front.marks.original, original.value] : [said.everybody, 1],
  ];
}

/** What to look at next, in its order. */
function following(numbers, where) {
  const names = [
    "report", ...(numbers.sure ? [] : ["above"]), "people", "copies", where === "below" || where === "at_baseline" ? "utility" : "lower",
    ...(numbers.fresh ? [] : ["holdout"]), "limit",
  ];
  return names.map((name) => said.next[name]);
}

/** A sentence whose link, [title](page of the documentation), leads there on the site; a page that is a file of its own names it. */
function linked(text) {
  const { home } = find("#next").dataset;
  const [before, title, path, after] = text.split(/\[(.+)\]\(docs\/(.+)\.md\)/);
  if (!title) return [before];
  return [before, home ? make("a", { href: `${home}/${path}.html` }, title) : `"${title}" in the documentation`, after];
}

// --- the page

const field = (name) => find(`#${name}`);
const write = (id, text) => { find(`#${id}`).textContent = text; };

function drawScale(all) {
  const values = all.map(([, value]) => value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const at = (value) => `${(2 + 96 * (most > least ? (value - least) / (most - least) : 0.5)).toFixed(2)}%`;
  const fresh = all.find(([name]) => name === front.marks.fresh_sample)?.[1];
  const line = (kind, x1, x2, y1, y2) => draw("line", { class: kind, x1, x2, y1, y2 });
  find("#scale").replaceChildren(...all.map(([name, value, isRelease]) => {
    const picture = draw("svg", { "aria-hidden": "true", width: "100%", height: 24 }, line("axis", "2%", "98%", 12, 12));
    for (const [, other, released] of all) if (!released) picture.append(line("tick", at(other), at(other), 0, 24));
    if (isRelease && value > fresh) picture.append(line("bar", at(fresh), at(value), 12, 12));
    if (isRelease) picture.append(draw("svg", { x: at(value), overflow: "visible" }, draw("path", { d: "M-8 1H8L0 15Z" })));
    else picture.append(line("own", at(value), at(value), 2, 22));
    return make("div", { class: `mark${isRelease ? " release" : ""}` }, make("span", {}, name), picture, " ", make("strong", {}, inPercent(value)));
  }));
}

function render() {
  const typedIn = Object.fromEntries(NAMES.map((name) => [name, field(name).value.trim().replace(/\s+/g, " ")]));
  const isExample = NAMES.every((name) => name === "version" || !typedIn[name]);
  const texts = isExample ? { ...typedIn, ...given.example } : typedIn;
  const numbers = numbersOf(texts);
  let bad = "";
  for (const name of [...SHARES, ...COUNTS]) {
    const text = numbers[name]?.wrong;
    const described = `${name}-hint${text ? " problem" : ""}`;
    assign(field(name), { "aria-invalid": text ? "true" : null, "aria-describedby": described, placeholder: isExample && given.example[name] });
    if (text) bad ||= `${field(name).labels[0].textContent}: ${text}`;
  }
  const together = bad || isExample ? "" : problem(numbers, texts.version);
  const ready = !bad && !together && numbers.average && numbers.baseline;
  write("problem", bad || together);
  write("about", isExample ? said.example : ready || bad || together ? "" : said.missing);
  find("#found").hidden = !ready;
  find("#each").hidden = !ready;
  if (ready) fillIn(numbers, texts.version);
  return bad || together || (ready ? `${find("#right-text").textContent} ${find("#place").textContent}` : said.missing);
}

function fillIn(numbers, version) {
  const [right, text] = headline(numbers);
  write("right", right);
  write("right-text", text);
  const [where, values] = place(numbers);
  const sentence = fill(said.average[where], values);
  write("place", sentence);
  drawScale(marks(numbers));
  const captions = [version === "zero" ? "scale_zero" : "scale", ...(numbers.fresh ? ["fresh", "other_size"] : [])];
  write("caption", captions.map((name) => fill(front[name])).join(" "));
  const rows = [
    [front.marks.baseline, numbers.baseline, ofBaseline(numbers)], [front.marks.original, numbers.original, ofOriginal(numbers)],
    [said.named, numbers.named, ofCommonest(numbers)],
    [said.sure, numbers.sure, ofSure(numbers)], [front.marks.fresh_sample, numbers.fresh, ofFresh(numbers)],
  ];
  find("#rows").replaceChildren(...rows.map(([name, x, meaning]) => make("div", {},
    make("dt", {}, name, " ", make("span", {}, x ? inPercent(x.value) : "not typed")), make("dd", {}, meaning))));
  find("#next").replaceChildren(...following(numbers, where).map((line) => make("li", {}, ...linked(line))));
}

/** The address gets what was typed. */
function remember() {
  const filled = NAMES.filter((name) => field(name).value && !(name === "version" && field(name).value === "nearest"));
  const kept = new URLSearchParams(filled.map((name) => [name, field(name).value]));
  history.replaceState(null, "", filled.length ? `#${kept}` : location.pathname + location.search);
}

/** The fields get what the address has; an address without numbers, such as that of the skip link, changes nothing. */
function recall() {
  if (!location.hash.includes("=")) return;
  put(Object.fromEntries(new URLSearchParams(location.hash.slice(1))));
}

function put(values) {
  for (const name of NAMES) field(name).value = (values[name] ?? "").slice(0, 40);
  if (!find("#version").value) find("#version").value = "nearest";
  render();
}

function fromButton(values) {
  put(values);
  remember();
  announce(render());
}

find("#numbers").addEventListener("input", later(() => {
  render();
  remember();
}));
find("#numbers").addEventListener("change", () => announce(render()));
find("#numbers").addEventListener("submit", (event) => event.preventDefault());
find("#example").addEventListener("click", () => fromButton(given.example));
find("#empty").addEventListener("click", () => {
  fromButton({});
  field("average").focus();
});
addEventListener("hashchange", recall);
put({});
recall();
