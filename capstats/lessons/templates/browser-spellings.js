// What labels say, and which are likely one thing in two spellings: codes/spellings.py and counting/copies.py. This runs in a worker.

const EXAMINED = 50_000; // levels of each table, those with the most records, that are looked at for another spelling
const NUMBER = /^(?:[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|[+-]?inf(?:inity)?)$/i;
const DATETIME = /^([0-9]{4})-([0-9]{2})-([0-9]{2})[ T]([0-9]{2})(?::?([0-9]{2})(?::?([0-9]{2})(?:[.,]([0-9]+))?)?)?(?:(Z)|([+-])([0-9]{2}):?([0-9]{2})?)?$/;
const SPACES = String.raw`[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+`; // of Python
const ENDS = new RegExp(`^${SPACES}|${SPACES}$`, "g");
const MISSING_WORDS = new Set(["", "na", "n/a", "#n/a", "<na>", "nan", "nat", "none", "null", "nil", "missing", ".", "..", "?", "-", "\\n", "0000-00-00",
  ...[..."abcdefghijklmnopqrstuvwxyz"].map((letter) => `.${letter}`)]); // the last of Stata
const WORDS = new Set([...MISSING_WORDS, "unknown", "*"].filter((word) => word !== "none")); // codes of missing values; people have none of something
const NINES = Array.from({ length: 9 }, (_, i) => 10 ** (i + 1) - 1);
const USUAL = NINES.flatMap((n) => [n, n - 1, n - 2, (n / 9) * 8, (n / 9) * 7]);
const CODES = new Set([...USUAL, ...USUAL.map((x) => -x), ...NINES.slice(2).flatMap((n) => [1, 2, 3, 4, 5, 6].map((x) => (-n / 9) * x))]);
for (const bits of [15, 31, 63]) CODES.add(-(2 ** bits)); // the least integers
const CODE_DAYS = new Set(["1899-12-31", "2099-12-31", "2999-12-31", "9999-12-31", "0001-01-01", "1800-01-01", "1900-01-01", "1901-01-01", "1970-01-01",
  "1111-11-11", "1899-12-30"]);
const [YES, NO] = [["true", "t", "yes", "1", "y", "on", "1.0"], ["false", "f", "no", "0", "n", "off", "0.0"]];
const TRUTHS = new Map([...YES.map((word) => [word, true]), ...NO.map((word) => [word, false])]);
const WITHIN = /(?:(?<![0-9.])|(?<=[-\u2013,;(\[]))(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]{1,3}(?![0-9]))?/g; // numbers in a text
const GROUPED = /^[+-]?[1-9][0-9]{0,2}(?:[,_][0-9]{2,3})*[,_][0-9]{3}(?:\.[0-9]+)?$/;
const COMMA = /^[+-]?(?:[0-9]+|[1-9][0-9]{0,2}(?:[. '][0-9]{3})+),[0-9]+$|^[+-]?[1-9][0-9]{0,2}(?:[. '][0-9]{3})+$/;
const DAYS = [ // how a date is written
  /^(?<year>[0-9]{4})[-/. ]?(?<month>[0-9]{1,2})[-/. ]?(?<day>[0-9]{1,2})$/,
  /^(?<day>[0-9]{1,2})[-/. ] *(?<month>[0-9]{1,2})[-/. ] *(?<year>[0-9]{4})$/,
  /^(?<month>[0-9]{1,2})[-/. ] *(?<day>[0-9]{1,2})[-/. ] *(?<year>[0-9]{4})$/,
  /^(?<day>[0-9]{1,2})[-. ]*(?<month>[a-z]{3,9})[-., ]*(?<year>[0-9]{4})$/,
  /^(?<month>[a-z]{3,9})[. ]+(?<day>[0-9]{1,2}),? +(?<year>[0-9]{4})$/,
];
const CLOCK = /[t ](?:(?=[0-9]{1,2}:)|(?<=[0-9]{8}[t ]))([0-9]{1,2}):?([0-9]{2})(?::?([0-9]{2})(?:[.,]([0-9]+?)0*)?)?(?:z|[+]00:?00)?$/;
const BESIDE_SIGNS = /(?<![\p{L}\p{N}_]) | (?![\p{L}\p{N}_])|(?<=[0-9]) (?=[\p{L}_])|(?<=[\p{L}_]) (?=[0-9])/gu; // and between a digit and a letter
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const CP1252 = new Map(Array.from({ length: 256 }, (_, byte) => [new TextDecoder("windows-1252").decode(Uint8Array.of(byte)), byte]));

const UNSAID = "a missing value written as text or code";
const PRECISION = "numbers of another precision";
const BESIDE = "spaces beside signs";

const isNumber = (x) => typeof x === "number" || typeof x === "bigint";
const isFraction = (x) => typeof x === "number" && !Number.isInteger(x);

/** A number, a text, or null where it is missing; a date and time is a text as ISO 8601 has it. */
function said(label) {
  if (label === null) return null;
  const text = label.replace(ENDS, "");
  if (NUMBER.test(text)) {
    const x = /inf/i.test(text) ? (text.startsWith("-") ? -Infinity : Infinity) : Number(text);
    if (Number.isSafeInteger(x)) return x + 0; // 0 for -0
    if (/^[+-]?[0-9]+(\.0*)?$/.test(text)) return BigInt(text.replace(/\..*/, ""));
    if (Number.isInteger(x)) return BigInt(x);
    return Number.isFinite(x) || /inf/i.test(text) ? x : text;
  }
  const lower = text.toLowerCase();
  return lower === "true" ? 1 : lower === "false" ? 0 : moment(DATETIME.exec(text)) ?? text;
}

/** The text of a date and time, undefined where it is none. */
function moment(found) {
  if (!found) return undefined;
  const [, year, month, day, hour, minute = 0, second = 0, part = "", utc, sign, hours, minutes = 0] = found;
  const time = timeOf(year, month, day, hour, minute, second);
  if (time === undefined) return undefined;
  const [date, clock] = new Date(time - (sign ? Number(`${sign}60000`) * (60 * hours + Number(minutes)) : 0)).toISOString().slice(0, 19).split("T");
  const rest = clock + part.slice(0, 6).replace(/0+$/, "").replace(/^(?=.)/, ".") + (utc || sign ? "+00:00" : "");
  return rest === "00:00:00" ? date : `${date}T${rest}`;
}

/** Milliseconds; undefined where there is no such day or hour. */
function timeOf(year, month, day, hour = 0, minute = 0, second = 0) {
  const time = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  return time.getUTCMonth() === month - 1 && time.getUTCDate() === Number(day) && hour < 24 && minute < 60 && second < 60 ? time.getTime() : undefined;
}

const FOLDS = { // what spellings differ in
  "Unicode form": (text) => text.normalize("NFKC").replace(/[\p{Cf}\ufe00-\ufe0f]/gu, ""),
  "dashes or quotes": (text) => text.replace(/[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/g, "-").replace(/[\u2018-\u201f\u2032\u2033\u00b4`"]/g, "'"),
  spaces: (text) => text.replace(new RegExp(SPACES, "g"), " ").replace(/^ | $/g, ""),
  case: (text) => text.toLowerCase().replaceAll("\u00df", "ss"),
};
const FOLDED = ["spaces", "case", "Unicode form", "dashes or quotes"]; // in the order in which they are named
const folded = (text) => Object.values(FOLDS).reduce((found, step) => step(found), text);

/** One form of a number: its digits, and a power of ten. */
function plain(number) {
  const [, sign, whole, part = "", power = 0] = /^([+-]?)([0-9]*)\.?([0-9]*)(?:e([+-]?[0-9]+))?$/i.exec(number);
  const digits = (whole + part).replace(/^0+/, "");
  const kept = digits.replace(/0+$/, "");
  return kept ? `${sign === "-" ? "-" : ""}${kept}e${Number(power) - part.length + digits.length - kept.length}` : "0e0";
}

/** What a number with a fraction has in common with itself in single precision, and in 15 digits. */
const rounded = (x) => (Math.abs(x) < 3e38 && !Number.isInteger(x) ? [`single ${Math.fround(x)}`, `number ${plain(x.toPrecision(15))}`] : []);

/** The digit 0 to 9 that a digit of any script is: their codes begin at a multiple of 16, or 6 after one. */
function digit(sign) {
  const code = sign.codePointAt(0);
  return code < 0x80 ? sign : (code % 16) - (/\p{Nd}/u.test(String.fromCodePoint(code - (code % 16))) ? 0 : 6);
}

/** A text without spaces but those between two words or two numbers. */
const unspaced = (text) => FOLDS.spaces(text).replace(BESIDE_SIGNS, "");

/** A text with its numbers in one form, for each way in which they can be read. */
function numbersIn(text) {
  if (!/\p{Nd}/u.test(text)) return [];
  const bare = text.replace(/^\+/, "").replace(/\p{Nd}/gu, digit);
  const found = [bare.replace(WITHIN, plain).replace(/^-(?=0e0$)/, "")];
  if (GROUPED.test(bare)) found.push(plain(bare.replace(/[,_]/g, "")));
  if (COMMA.test(bare)) found.push(plain(bare.replace(/[. ']/g, "").replace(",", ".")));
  else if (/[0-9][,\u00b7][0-9]/.test(bare)) found.push(bare.replace(/(?<=[0-9])[,\u00b7](?=[0-9])/g, ".").replace(WITHIN, plain));
  return found;
}

/** What two spellings of one thing have in common, most telling first; `truth` where all labels of both tables are truth values; `days` are forms. */
function spellingsOf(x, truth, days) {
  if (x === null) return ["missing"];
  if (isNumber(x) && truth) return [`number ${plain(String(x))}`, `truth ${x === 1}`]; // as whole records have true
  if (isNumber(x) && Math.abs(Number(x)) === Infinity) return [`number ${x}`];
  if (isNumber(x)) return [`number ${plain(String(x))}`, ...rounded(Number(x)), ...(x >= 1e7 && x < 1e8 && !isFraction(x) ? datesOf(String(x), days) : [])];
  const text = folded(x);
  const found = [`text ${text}`];
  if (MISSING_WORDS.has(text)) found.push("missing");
  if (truth) found.push(`truth ${TRUTHS.get(text)}`);
  for (const number of numbersIn(text)) found.push(`number ${number}`, ...(NUMBER.test(number) ? rounded(Number(number)) : []));
  found.push(...datesOf(text, days), `unspaced ${unspaced(text)}`);
  const bytes = [...x].map((sign) => CP1252.get(sign) ?? sign.codePointAt(0));
  if (bytes.some((byte) => byte > 0x7f) && bytes.every((byte) => byte < 256)) {
    try { // UTF-8 that was decoded as cp1252
      found.push(`text ${folded(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes)))}`);
    } catch { /* it was not */ }
  }
  return found;
}

/** The dates, or times, that a text may mean, in these forms. */
function datesOf(text, days = DAYS) {
  const clock = CLOCK.exec(text);
  const day = clock ? text.slice(0, clock.index) : text;
  const times = days.map((form) => form.exec(day)?.groups).filter(Boolean).map((found) => {
    const month = MONTHS.indexOf(found.month.slice(0, 3)) + 1 || Number(found.month);
    return timeOf(found.year, month, found.day, ...(clock ?? []).slice(1, 4).map((x) => x ?? 0));
  });
  return times.filter((time) => time !== undefined).map((time) => `date ${time} ${Number(`.${clock?.[4] ?? 0}`)}`);
}

/** The forms that all dates of a table have: of several, those that find the most dates in another table. */
function dayForms(labels, others) {
  const dates = labels.filter((x) => typeof x === "string").map(folded).filter((text) => datesOf(text).length);
  const forms = DAYS.filter((form) => dates.length && dates.every((text) => datesOf(text, [form]).length));
  if (forms.length < 2) return forms.length ? forms : DAYS;
  const known = new Set(others.flatMap((x) => datesOf(folded(String(x)))));
  const found = forms.map((form) => dates.filter((text) => known.has(datesOf(text, [form])[0])).length);
  return forms.filter((_, i) => found[i] === Math.max(...found));
}

/** What makes the difference between two labels that have something in common. */
function causeOf(...both) {
  if (both.includes(null)) return UNSAID;
  const isSameDay = (...texts) => datesOf(texts[0]).some((x) => datesOf(texts[1]).includes(x));
  if (both.every(isNumber)) return PRECISION;
  if (both.some(isNumber)) return isSameDay(...both.map(String)) ? "dates written in another way" : "text in one table and not in the other";
  const cause = FOLDED.find((name) => FOLDS[name](both[0]) === FOLDS[name](both[1]));
  if (cause) return cause;
  const [a, b] = both.map(folded);
  if (a === b) return FOLDED.filter((name) => both.some((x) => FOLDS[name](x) !== x)).join(" and ");
  if (MISSING_WORDS.has(a)) return UNSAID;
  if (numbersIn(a).some((x) => numbersIn(b).includes(x))) return "numbers written in another way";
  if (isSameDay(a, b)) return "dates written in another way";
  if (TRUTHS.has(a) && TRUTHS.has(b)) return "truth values written in another way";
  if (unspaced(a) === unspaced(b)) {
    const changed = FOLDED.filter((name) => name !== "spaces" && both.some((x) => FOLDS[name](x) !== x));
    return unspaced(both[0]) === unspaced(both[1]) ? BESIDE : [...changed, BESIDE].join(" and ");
  }
  return !/[^\0-\x7f]/.test(a) && [a, b].flatMap(numbersIn).every((x) => NUMBER.test(x)) ? PRECISION : "text decoded with the wrong encoding";
}

/** Values that one table lacks and that look like one of the other, those with most records first; `records` are maps, `label` says what is compared. */
function lookalikePairs(records, label) {
  const kind = (x) => (x === null ? 0 : isNumber(x) ? 1 : 2);
  const inOrder = ({ value: a }, { value: b }) => kind(a) - kind(b) || (a < b ? -1 : 1);
  const examined = records.map((of, which) => {
    const all = [...of].map(([value, n]) => ({ value, n, label: label(value, which) })).sort(inOrder);
    return (all.length > EXAMINED ? all.sort((a, b) => b.n - a.n).slice(0, EXAMINED) : all).map((one, at) => ({ ...one, at }));
  });
  const truth = examined.flat().every(({ label }) => label === null || label === 0 || label === 1 || (typeof label === "string" && TRUTHS.has(folded(label))));
  const all = examined.map((of) => of.map(({ label }) => label));
  const days = [dayForms(all[0], all[1]), dayForms(all[1], all[0])];
  const resembling = (which) => {
    const [mine, theirs] = [examined[which], examined[1 - which]];
    const held = new Set(theirs.map(({ label }) => label));
    const absent = mine.filter(({ label }) => !held.has(label));
    const known = new Map();
    if (absent.length) for (const one of theirs) for (const spelling of spellingsOf(one.label, truth, days[1 - which])) if (!known.has(spelling)) known.set(spelling, one);
    return absent.map((one) => [one, known.get(spellingsOf(one.label, truth, days[which]).find((spelling) => known.has(spelling)))]).filter(([, twin]) => twin);
  };
  const known = examined.map((all) => new Map(all.map((one) => [one.label, one])));
  const codes = codesForMissing(...known.map((of) => [...of.keys()])).map(([a, b, cause]) => Object.assign([known[0].get(a), known[1].get(b)], { cause }));
  const alike = inAnotherPrecision(...known.map((of) => [...of.keys()])).map(([a, b, cause]) => Object.assign([known[0].get(a), known[1].get(b)], { cause }));
  const found = [...alike, ...resembling(0), ...resembling(1).map(([theirs, mine]) => [mine, theirs]), ...codes];
  const fewest = (pair) => Math.min(...pair.map(({ n }) => n));
  const pairs = [...new Map(found.map((pair) => [pair.map(({ at }) => at).join(), pair])).values()].sort((a, b) => fewest(b) - fewest(a));
  return pairs.map((pair) => [...pair.map(({ value }) => value), pair.cause ?? causeOf(...pair.map(({ label }) => label))]);
}

const widest = (sorted) => sorted.reduce((most, x, i) => Math.max(most, i && x - sorted[i - 1]), 0);
const isCode = (x) => CODES.has(x) || (Number.isInteger(x) && x < 0 && x >= -9);

/** Of codes above all other numbers, in increasing order: the first that is far from the number before it, and all later ones. */
function beyond(held, others) {
  let [greatest, wide] = [others.at(-1), widest(others)];
  const first = held.findIndex((code) => {
    const gap = code - greatest;
    const isFar = gap >= Math.max(greatest - others[0], 3 * wide);
    [greatest, wide] = [code, Math.max(wide, gap)];
    return isFar;
  });
  return first < 0 ? [] : held.slice(first);
}

/** Usual codes of missing values that are far from all other numbers. */
function farNumbers(values) {
  const sorted = values.filter((x) => x >= -(2 ** 63) && x < 2 ** 53).sort((a, b) => a - b);
  if (!isCode(sorted[0]) && !isCode(sorted.at(-1))) return [];
  const [minus, rest] = [sorted.filter((x) => x < 0), sorted.filter((x) => x >= 0)];
  if (minus.at(-1) >= -9) {
    const high = farNumbers(rest);
    const plus = rest.filter((x) => !high.includes(x));
    const [least, most] = [Math.max(minus[0], -9), plus.at(-1)];
    const isWide = plus[0] - minus.at(-1) > 3 * widest(plus.slice(0, 6));
    const isNumbered = plus[0] === 1 && plus.length === most && most > -least && most <= 12;
    const isSurvey = [-3, -2, -1].every((x) => minus.includes(x)) && most >= -10 * least;
    if (plus.length > 1 && minus.every(isCode) && (isWide || isNumbered || isSurvey)) return [...minus, ...high];
  }
  const [held, others] = [true, false].map((is) => sorted.filter((x) => CODES.has(x) === is));
  if (others.length < 2) return [];
  const opposite = (some) => some.map((x) => -x).reverse();
  const negative = held.filter((x) => x < others[0]);
  const below = others[0] >= -2 && negative.at(-1) < 0 ? negative : opposite(beyond(opposite(negative), opposite(others)));
  const above = beyond(held.filter((x) => x > others.at(-1)), others);
  return [...below, ...(above.some((x) => String(x)[0] === "9") ? above : [])];
}

/** Those of the values of one column that look like codes of missing values. */
function likelyCodes(values) {
  const isWord = (x) => typeof x === "string" && WORDS.has(x.toLowerCase());
  const [words, others] = [true, false].map((is) => values.filter((x) => x !== null && isWord(x) === is));
  const numbers = new Map(others.filter(isNumber).map((x) => [Number(x), x]));
  if (numbers.size === others.length) return [...words, ...farNumbers([...numbers.keys()]).map((x) => numbers.get(x))];
  const days = others.map((x) => Date.parse(/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(x) ? x : "") / 864e5);
  const known = days.filter((_, i) => !CODE_DAYS.has(others[i]));
  const isFar = (day) => Math.min(...known) - day >= 365 || day - Math.max(...known) >= 365;
  if (!days.some(isNaN)) return known.length > 1 ? [...words, ...others.filter((x, i) => CODE_DAYS.has(x) && isFar(days[i]))] : words;
  return [...words, ...([...numbers.keys()].every(isCode) ? [...numbers.values()].filter((x) => String(x).length > 1) : [])];
}

/** Pairs of the missing value, if one table has it, and values that the other alone has and that look like codes of it. */
function codesForMissing(...both) {
  const coded = (missing, other) => {
    const held = [null, ...missing.filter((x) => typeof x === "string" && MISSING_WORDS.has(folded(x)))].find((x) => missing.includes(x));
    const [codes, negative] = [likelyCodes(other), [...new Set(both.flat())].filter((x) => isNumber(x) && x < 0)];
    if (!other.includes(held) && negative.length === 1 && isCode(Number(negative[0])) && !codes.includes(negative[0])) codes.push(...negative); // the only one
    return held === undefined ? [] : codes.filter((x) => other.includes(x) && !missing.includes(x)).map((x) => [held, x]);
  };
  const [gone, fresh] = [0, 1].map((which) => both[which].filter((x) => !both[1 - which].includes(x)));
  const isText = typeof fresh[0] === "string" && !NUMBER.test(fresh[0]);
  const isAlone = gone.length === 1 && gone[0] === null && fresh.length === 1 && isText && both[1].length > 2; // not so the other way round: suppressed
  return [...coded(...both), ...(isAlone ? [[null, fresh[0]]] : []), ...coded(...both.reverse()).map((pair) => pair.reverse())].map((pair) => [...pair, UNSAID]);
}
