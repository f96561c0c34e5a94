// The results of the page that counts two files: the answer, the scale, the people, the groups and the numbers.

const KINDS = { sure: "guessed right with probability above 90 %", half: "above 50 %", others: "others" };
const whole = (n) => Number(fixed(n, 0)).toLocaleString("en");
/** A text with escapes in place of what cannot be seen: control characters, marks of direction, spaces but the ordinary one; as Python has them. */
const printable = (text) => text.replace(/(?! )[\p{C}\p{Z}]/gu, (sign) => {
  const code = sign.codePointAt(0).toString(16);
  const [letter, digits] = code.length < 3 ? ["x", 2] : code.length < 5 ? ["u", 4] : ["U", 8];
  return { "\t": "\\t", "\n": "\\n", "\r": "\\r" }[sign] ?? `\\${letter}${code.padStart(digits, "0")}`;
});
const label = (text) => (text === null ? "missing" : ["", "missing"].includes(text) || text !== text.trim() ? `"${printable(text)}"` : printable(text));
const people = (n) => (n === 1 ? "1 person" : `${whole(n)} people`);

/** A name within a sentence, in quotes where it is more than one plain word; names as a list. */
const named = (name) => (/^[\p{L}\p{N}][\p{L}\p{N}_.\-/%]*$/u.test(name) ? name : `'${printable(name)}'`);
const few = (names, most, rest) => (names.length > most ? [...names.slice(0, most), rest(names.length - most)] : names);
const listed = (names) => [names.slice(0, -1).join(", "), ...names.slice(-1)].filter(Boolean).join(" and ");
const many = (n, what) => `${whole(n)} ${what}${n === 1 ? "" : "s"}`;

function showResults({ numbers, dots, groups, fine, copies }, keys, target) {
  const version = Number.isNaN(numbers.average_cap_nearest) ? "zero" : "nearest";
  const shares = {
    release: numbers[`average_cap_${version}`], named: numbers[`predictive_success_${version}`], baseline: numbers.baseline,
    named_without: numbers.baseline_predictive_success, original: numbers.original_cap, named_with: numbers.original_predictive_success,
  };
  const n = numbers.original_records;
  const right = Object.fromEntries(Object.entries(shares).map(([name, x]) => [name, ofPeople(x, n)]));
  for (const [name, value] of Object.entries(numbers)) show(name, value, name.match(/records|keys/) ? whole(value) : inPercent(value));
  find("#right").textContent = [...new Set([right.release, right.named])].join(" or ");
  find("#right-of").textContent = fill(given.front.right, { ...right, n: whole(n) });
  showScale([[given.front.marks.baseline, shares.baseline], ["this release", shares.release], [given.front.marks.original, shares.original]]);
  find("#scale-says").textContent = fill(given.front[version === "zero" ? "scale_zero" : "scale"], { target });
  const unmatched = numbers.matched_share === 1 ? "" : version === "zero" ? " (unmatched: never right)" : " (unmatched: nearest keys)";
  for (const place of findAll(".unmatched")) place.textContent = unmatched;
  const { release: average, ...others } = shares;
  const typed = Object.entries({ average, ...others }).map(([name, x]) => [name, x.toFixed(18)]);
  find("#hand")?.setAttribute("href", `number.html#${new URLSearchParams([...typed, ["people", n], ["version", version]])}`);
  showHint(fine, numbers);
  showCopies(copies);
  showPeople(dots, keys, target);
  showGroups(groups);
  find("#results").hidden = false;
  announce(find("#right-of").textContent);
  find("#results").focus({ preventScroll: true });
  find("#results").scrollIntoView({ behavior: still.matches ? "auto" : "smooth" });
}

/** The answer of the library's front sheet on copies of real records, and what it rests on; it comes first, in a box, where there are any. */
function showCopies(copies) {
  const { not_computed: why, columns = 0, left_out = {}, apart = {}, spelled = {}, copied_beyond_chance: answer = null, copied_p_value: p } = copies;
  const say = (name, values = {}) => fill(given.copies[name], { of: "", release: "the release", Release: "The release", ...values });
  const numbers = Object.fromEntries(Object.entries(copies).filter(([, x]) => typeof x === "number").map(([name, x]) => [name, whole(x)]));
  const share = inPercent(copies.copied_records / copies.records);
  const texts = { ...numbers, columns: many(columns, "column"), records: many(copies.records ?? 0, "record"), share, p: p < 1e-4 ? "p < 0.0001" : `p = ${Number(p?.toPrecision(1))}` };
  const reasons = Object.entries(apart).map(([name, reason]) => `${named(name)} ${reason}`);
  const causes = Object.entries(spelled).map(([name, cause]) => `${named(name)} (${cause})`);
  const reason = listed(few(reasons, 3, (n) => `${counted(n, "more column", "more columns")} likewise`));
  const partly = reasons.length ? ` ${say("partly", { why: reason })}` : "";
  const [head, rest] = answer === 1
    ? ["Copies of real records are more than chance explains.", ` ${say("copies", texts)}. ${say("beyond_fresh", texts)}${partly}`]
    : answer === 0 ? parted(`${say("no_copies_fresh", texts)}${copies.copied_people ? ` ${say("by_chance")}` : ""}`)
    : why ? parted(`Whether real records were copied cannot be told: ${printable(why)}.`)
    : parted(say("untold", { ...texts, why: reasons.length ? reason : say("no_test_fresh") }));
  const place = find("#copies");
  place.className = answer === 1 ? "warning" : "note hint";
  place.dataset.found = JSON.stringify(copies);
  place.replaceChildren(make("strong", {}, head), rest, causes.length ? ` ${say("spelled", { spelled: listed(causes) })}` : "");
  find(answer === 1 ? "#answer" : "#scale-says").after(place, find("#compared"));
  const without = [...new Set(Object.values(left_out))].map((reason) => {
    const names = Object.keys(left_out).filter((name) => left_out[name] === reason).map(named);
    return `; without ${listed(few(names, 10, (n) => `${n} more`))}: ${reason}`;
  });
  find("#compared").textContent = why ? "" : `Whole records are compared over ${many(columns, "column")} that both files have${without.join("")}. Numbers are equal by what `
    + "they say, missing values to each other. Near copies, other in one column, are not looked for.";
}

/** A text up to its first comma or colon, and the rest. */
const parted = (text) => [text.slice(0, text.search(/[,:]/)), text.slice(text.search(/[,:]/))];

/** Three marks on one axis, a line each. */
function showScale(marks) {
  const values = marks.map(([, value]) => value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const place = (value) => `${2 + 96 * (most > least ? (value - least) / (most - least) : 0.5)}%`;
  find("#scale").setAttribute("aria-label", marks.map(([name, value]) => `${name} ${inPercent(value)}`).join(", "));
  find("#scale").replaceChildren(...marks.map(([name, value], i) => {
    const line = draw("svg", {}, draw("line", { class: "line", x1: "2%", x2: "98%", y1: "50%", y2: "50%" }));
    for (const [, other] of marks) line.append(draw("line", { class: "tick", x1: place(other), x2: place(other), y1: 0, y2: "100%" }));
    if (i === 1 && value > values[0]) line.append(draw("line", { class: "bar", x1: place(values[0]), x2: place(value), y1: "50%", y2: "50%" }));
    line.append(draw("circle", { class: "at", cx: place(value), cy: "50%", r: 7 }));
    return make("div", { class: i === 1 ? "mark release" : "mark" }, make("span", {}, name), line, make("span", {}, inPercent(value)));
  }));
}

function showHint({ columns: fine, whole: isWhole }, { matched_share: matched }) {
  const names = fine.map(({ name, levels }) => `${printable(name)} (${whole(levels)} values)`).join(", ");
  const why = `${inPercent(1 - matched)} of people are without a synthetic record of their keys. Where they count 0, as in version 1, average CAP is low `
    + "because the keys are fine, not because the release is safe: look at the matched people and at the nearest keys.";
  const hint = find("#fine");
  hint.hidden = !fine.length && !isWhole && matched > 0;
  if (matched === 0) hint.textContent = "No key of the original is in the synthetic file, although each column shares values with it. Choose fewer or coarser keys.";
  else if (fine.length) hint.textContent = `Nearly an identifier: ${names}. ${why} Round or group these values in both files, or leave the column out.`;
  else hint.textContent = `These keys are too fine. ${why} Choose fewer or coarser keys.`;
}

function showPeople({ each, rows, rest }, keys, target) {
  const buttons = [];
  const tell = ({ target: dot }) => {
    for (const one of buttons) one.classList.toggle("chosen", one === dot);
    find("#person").textContent = dot.ariaLabel;
  };
  const say = ({ key, cap, people: n }, level) => `${keys.map((name, i) => `${name} ${label(key[i])}`).join(", ")}; ${target} ${label(level)}: `
    + `guessed right with probability ${inPercent(cap)}${n > 1 ? `. The dot stands for ${people(n)}; this is one of them` : ""}.`;
  find("#people").replaceChildren(...rows.map(({ target: level, numbers: [sure, half, others], dots }) => {
    const n = sure + half + others;
    const says = `${people(n)}, ${inPercent(sure / n, 0)} guessed right with more than 9 in 10 (${whole(sure)}), ${inPercent((sure + half) / n, 0)} with more than `
      + `1 in 2 (${whole(sure + half)})`;
    const own = dots.map((dot) => make("button", { type: "button", class: `dot ${dot.kind}`, "aria-label": say(dot, level), tabindex: "-1", focus: tell }));
    own.forEach((button, i) => button.style.setProperty("--part", Math.max(3, Math.round(10 * Math.sqrt(dots[i].part))) / 10));
    buttons.push(...own);
    const nearest = ({ clientX, clientY }) => {
      const far = (dot, { x, y, width } = dot.getBoundingClientRect()) => Math.hypot(clientX - x - width / 2, clientY - y - width / 2);
      tell({ target: own.reduce((a, b) => (far(b) < far(a) ? b : a)) });
    };
    const box = make("div", { class: "dots", role: "group", "aria-label": `${target} ${label(level)}`, pointermove: nearest, click: nearest }, ...own);
    return make("div", { class: "level" }, make("p", {}, make("strong", {}, `${target} ${label(level)}`), `: ${says}`), box);
  }));
  rove(() => buttons)();
  find("#person").textContent = "Point at a dot, tap it, or go to it with the arrow keys: it says whom it stands for.";
  const swatches = Object.entries(KINDS).flatMap(([kind, text]) => [make("span", { class: `dot swatch ${kind}` }), ` ${text}`]);
  const more = rest.length ? ` ${counted(rest.length, "more value", "more values")} of ${target}: ${whole(sum(rest.map(([sure]) => sure)))} of `
    + `${people(sum(rest.map(sum)))} above 90 %.` : "";
  const smaller = rows.some(({ dots }) => dots.some(({ part }) => part < 1)) ? "; the last of a colour is smaller, for fewer" : "";
  const oneDot = each > 1 ? `One dot for ${people(each)}${smaller}.` : "One dot a person.";
  find("#dot-says").replaceChildren(...swatches, `. ${oneDot}${more}`);
}

function showGroups(all) {
  const groups = all.filter(({ above }) => above > given.small);
  if (!groups.length) return find("#groups").replaceChildren(make("p", {}, fill(given.front.no_group, { fewest: 10 })));
  const head = [fill(given.front.group, { fewest: 10 }), ...given.front.group_columns].map((text) => make("th", { scope: "col" }, fill(text)));
  const rows = groups.map((group) => make("tr", {}, make("th", { scope: "row" }, `${printable(group.column)}: ${label(group.label)}`),
    ...[`+${fixed(100 * group.above, 1)}`, inPercent(group.sure, 0), whole(group.people), inPercent(group.cap, 0)].map((text) => make("td", {}, text))));
  find("#groups").replaceChildren(make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows)));
}
