// Records of a release that are identical to real ones, and whether chance explains them: counting/copies.py and counting/beyond_chance.py.
// This runs in a worker.

const MOST_FIELDS = 1 << 27; // of a file
const LEVEL = 0.005; // of the two tests together
const MISSED = 0.05; // probability that the number of copied people is outside its interval, at most
const REPEATED = 0.2; // share of the level that is left for repeated records
const STEPS = 40; // of a search by halves
const FINE = 8; // decimals of a number that was not rounded
const IDENTIFIER = "each record of the original has a value of its own";
const MERGED = "texts of one table that say the same";
const NOTHING_SHARED = "shares no level with the original";
const ALONE = 0.25; // share of records that are the only ones with their value
const FOREIGN = "has other texts than the original in most records";
const FINER = "has numbers with more decimals in one table";
const THOUSANDS = /^[+-]?[0-9]{1,3}(?:[.,' ][0-9]{3})+$/;
const INSTALL = "Install capstats to compare them.";

/** The different labels of each column, and which of them each record has. */
class Labels {
  constructor(columns) {
    const tooMany = `a column has more than 128 MB of different values. ${INSTALL}`;
    this.size = 0;
    this.columns = Array.from({ length: columns }, () => ({ labels: new Distinct(tooMany), codes: new Uint8Array(1 << 12) }));
  }

  add(row) {
    const { columns, size } = this;
    if ((size + 1) * columns.length > MOST_FIELDS) throw new Refused(`it has too many records to compare them whole on this page. ${INSTALL}`);
    let from = 0;
    for (const column of columns) {
      let hash = 0x811c9dc5;
      let to = from;
      while (row[to] !== ENDED) hash = Math.imul(hash ^ row[to++], 0x01000193);
      const code = column.labels.add(row, to - from, hash, from);
      if (size === column.codes.length) column.codes = grown(column.codes);
      if (code === 1 << 8 && column.codes.BYTES_PER_ELEMENT === 1) column.codes = Uint16Array.from(column.codes);
      if (code === 1 << 16 && column.codes.BYTES_PER_ELEMENT === 2) column.codes = Int32Array.from(column.codes);
      column.codes[size] = code;
      from = to + 1;
    }
    this.size += 1;
  }

  /** What another worker needs of it. */
  get parts() {
    return this.columns.map(({ labels, codes }) => ({ ...labels.rows, codes: codes.slice(0, this.size) }));
  }
}

/** What the labels of a column say in one table, how many records have each value, and as what label it is written. */
function heard({ size, pool, starts, counts, codes }) {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const label = (i) => (starts[i + 1] - starts[i] === 1 && pool[starts[i]] === ABSENT ? null : decoder.decode(pool.subarray(starts[i], starts[i + 1])));
  const values = Array.from({ length: size }, (_, i) => said(label(i)));
  const records = new Map();
  values.forEach((x, i) => records.set(x, (records.get(x) ?? 0) + counts[i]));
  const merges = size > records.size && new Set(values.map((_, i) => label(i))).size > records.size;
  return { codes, said: values, records, merges, written: () => new Map(values.map((x, i) => [x, label(i)]).reverse()) };
}

/** How many released records, and people, are alike, and whether that is more than chance explains: 1, 0, or null where it cannot be told. */
function copiesIn(tables, names, others) {
  const columns = names.map((name, c) => ({ name, held: tables.map((table) => heard(table[c])) }));
  const identifies = ({ held: [{ records, codes }] }) => records.size === codes.length && ![...records.keys()].some(isFraction);
  const kept = columns.filter((column) => !identifies(column)).map(met);
  if (!kept.length) return { not_computed: "in all columns each record of the original has a value of its own" };
  const meeting = kept.filter(({ apart }) => apart !== NOTHING_SHARED && apart !== FINER);
  const over = meeting.length ? meeting : kept;
  const why = (some, reason) => Object.fromEntries(some.map((column) => [column.name, reason(column)]).filter(([, text]) => text));
  const left_out = { ...why(columns.filter(identifies), () => IDENTIFIER), ...why(kept.filter((column) => !over.includes(column)), (column) => column.apart) };
  const apart = { ...others, ...why(kept, (column) => column.apart), ...why(columns.filter(identifies), foundIn) };
  const merged = [0, 1].map((which) => why(over, ({ held }) => held[which].merges && MERGED));
  const spelled = Object.assign(...merged, why(kept, (column) => column.spelled));
  const beyond = beyondChance(...numbersOf(over));
  const told = beyond.copied_people === 0 || beyond.exists;
  const answer = beyond.copied_p_value <= LEVEL ? 1 : told && !Object.keys(apart).length ? 0 : null;
  return { ...beyond, columns: over.length, left_out, apart, spelled, copied_beyond_chance: answer };
}

/** Why equal records may not be found where each record of the original has a value of its own, unless these number rows. */
function foundIn({ held: [mine, theirs] }) {
  const numbers = [...mine.records.keys()].filter((x) => x !== null).map((x) => (isNumber(x) ? Number(x) : parseFloat(String(x).replace(/\D/g, ""))));
  const [least, most] = numbers.reduce(([a, b], x) => [Math.min(a, x), Math.max(b, x)], [Infinity, -Infinity]);
  const [held, all] = [(x) => x !== null && mine.records.has(x), () => true].map((of) => sum([...theirs.records].map(([x, n]) => (of(x) ? n : 0))));
  if (most - least < 2 * new Set(numbers).size || 2 * held <= all) return "";
  return `identifies records of the original, and ${held.toLocaleString("en")} of its ${all.toLocaleString("en")} have one of these values`;
}

/**
 * A column in which values of the release that look like one of the original are taken for it, and what makes the difference; and why equal
 * values may not be found.
 */
function met({ name, held: [mine, theirs] }) {
  const values = [mine, theirs].map(({ records }) => [...records.keys()]);
  const fresh = values[1].filter((x) => !mine.records.has(x));
  if (!fresh.length && values[0].length === values[1].length) return { name, held: [mine, theirs] };
  const written = fresh.length < values[1].length ? [] : [mine, theirs].map((table) => table.written());
  const isGrouped = written.some((labels) => [...labels.values()].some((x) => x !== null && THOUSANDS.test(x)));
  const label = isGrouped ? (x, which) => written[which].get(x) : (x) => x;
  const isText = isGrouped || values.some((all) => all.some((x) => typeof x === "string"));
  const alike = () => [...(values.flat().some(isFraction) ? inAnotherPrecision(...values) : []), ...codesForMissing(...values)];
  const pairs = isText ? lookalikePairs([mine.records, theirs.records], label) : alike();
  const twins = new Map(pairs.filter(([, x]) => !mine.records.has(x)).map(([one, x]) => [x, one]).reverse());
  const causes = new Map();
  for (const [, , cause] of pairs) causes.set(cause, (causes.get(cause) ?? 0) + 1);
  const spelled = twins.size ? [...causes].reduce((most, one) => (one[1] > most[1] ? one : most))[0] : "";
  const shares = twins.size || values[1].some((x) => x !== null && mine.records.has(x)) || (hardlyRecur(mine, theirs) && sameForm(...values));
  const isTwice = pairs.some(([, x]) => mine.records.has(x));
  const isFiner = () => finer([mine, theirs], [new Set(twins.values()), twins]);
  const share = ({ records }, of) => sum([...records].map(([x, n]) => (of(x, n) ? n : 0))) / sum([...records.values()]);
  const isNew = (x) => typeof x === "string" && !mine.records.has(x) && !twins.has(x);
  const isForeign = () => share(mine, (_, n) => n === 1) < ALONE && share(theirs, isNew) > 0.5;
  const apart = !shares ? NOTHING_SHARED : isTwice ? "has levels in two spellings" : isFiner() ? FINER : isForeign() ? FOREIGN : "";
  return { name, spelled, apart, held: [mine, { ...theirs, said: theirs.said.map((x) => (twins.has(x) ? twins.get(x) : x)) }] };
}

/** The number that a label is, if a float has its digits. */
function finite(x) {
  const number = Number(typeof x === "string" && (!NUMBER.test(x) || /^[+-]?0[0-9]/.test(x)) ? NaN : x ?? NaN);
  return Math.abs(number) < (Number.isInteger(number) ? 1e15 : 3e38) ? number : undefined;
}

/** A number with so many decimals; a half is rounded to an even digit. */
function toDecimals(x, decimals) {
  const [scaled, nearest] = [x * 10 ** decimals, Math.round(x * 10 ** decimals)];
  return (Math.abs(scaled % 1) === 0.5 && nearest % 2 ? nearest - 1 : nearest) / 10 ** decimals;
}

/** Whether a number is the shortest text of its single precision. */
function isShortest(x) {
  const texts = Array.from({ length: 9 }, (_, i) => Number(Math.fround(x).toPrecision(i + 1)));
  return texts.find((text) => Math.fround(text) === Math.fround(x)) === x;
}

/** Pairs of different numbers of two tables that are equal in another precision: see codes/spellings.py. */
function inAnotherPrecision(labels, others) {
  const read = (all) => all.map((x) => [x, finite(x)]).filter(([, number]) => number !== undefined).sort(([, a], [, b]) => a - b);
  const held = new Set(labels);
  const both = [read(labels), read(others.filter((x) => !held.has(x)))];
  const numbers = both.map((all) => all.map(([, number]) => number));
  if (!both[0].length || !both[1].length || numbers.flat().every(Number.isInteger)) return [];
  const equal = (form) => {
    const first = new Map(both[0].map(([x, number]) => [form(number), x]).reverse());
    return both[1].filter(([, number]) => first.has(form(number))).map(([x, number]) => [first.get(form(number)), x, PRECISION]);
  };
  let best = equal((x) => Number(x.toPrecision(15)));
  const better = (pairs) => { best = pairs.length > best.length ? pairs : best; };
  const computed = (x) => Number(x.toPrecision(12)); // there and back, as by a scaler
  if (numbers.every((all) => new Set(all.map(computed)).size === all.length)) better(equal(computed));
  const upTo = (from, to, form) => Array.from({ length: to - from + 1 }, (_, i) => (x) => form(x, from + i));
  for (const forms of [[Math.fround], upTo(1, 12, toDecimals), upTo(6, 14, (x, digits) => Number(x.toPrecision(digits)))]) {
    for (const form of forms) {
      const holds = numbers.map((all) => all.every((x) => form(x) === x));
      const finer = numbers[Number(holds[0])];
      if (holds[0] && holds[1]) break;
      if ((holds[0] || holds[1]) && (form === Math.fround || new Set(finer.map(form)).size === finer.length)) better(equal(form));
    }
  }
  const short = numbers.map((all) => all.every((x) => Number(x.toPrecision(9)) === x));
  if (short[0] !== short[1] && numbers[Number(short[1])].every(isShortest)) better(equal(Math.fround));
  return best;
}

/** A number of 53 bits for each record of both tables: the sum of random numbers of what its labels say. */
function numbersOf(kept) {
  const sums = kept[0].held.map(({ codes }) => [0, 1].map(() => new Int32Array(codes.length)));
  for (const { held } of kept) {
    const random = new Map();
    for (const { said: labels } of held) for (const x of labels) if (!random.has(x)) random.set(x, [0, 1].map(() => Math.floor(Math.random() * 2 ** 32) | 0));
    held.forEach(({ said: labels, codes }, which) => [0, 1].forEach((half) => {
      const numbers = Int32Array.from(labels, (x) => random.get(x)[half]);
      const sum = sums[which][half];
      for (let i = 0; i < codes.length; i += 1) sum[i] += numbers[codes[i]];
    }));
  }
  return sums.map(([high, low]) => Float64Array.from(high, (x, i) => (x >>> 0) * 2 ** 21 + (low[i] >>> 11)).sort());
}

/** Whether so few pairs of records of the one table are equal that none need be with one of the other. */
function hardlyRecur(...both) {
  const [mine, theirs] = both.map(({ records }) => [...records.values()]);
  return Math.exp((-sum(mine.map((x) => x * (x - 1))) / Math.max(sum(mine) - 1, 1)) * sum(theirs)) >= LEVEL; // pairs, expected
}

/** Whether both are finite numbers with as many decimals, and the median of either is in the range of the other. */
function sameForm(...both) {
  const held = both.map((values) => values.filter((x) => x !== null));
  if (!held.every((values) => values.length && values.every((x) => isNumber(x) && Math.abs(Number(x)) < Infinity))) return false;
  const decimals = held.map((values) => values.reduce((most, x) => {
    const [, part = "", power = 0] = /^-?[0-9]+(?:\.([0-9]+))?(?:e(.+))?$/.exec(String(x)) ?? [];
    return Math.min(FINE, Math.max(most, part.length - power));
  }, 0));
  const [a, b] = held.map((values) => values.map(Number).sort((x, y) => x - y));
  const median = (x) => (x[(x.length - 1) >> 1] + x[x.length >> 1]) / 2;
  return decimals[0] === decimals[1] && [[a, b], [b, a]].every(([x, y]) => x[0] <= median(y) && median(y) <= x[x.length - 1]);
}

/** Whether most records of one table have more decimals than any number of the other, and none that is paired with one. */
function finer(both, paired) {
  const held = both.map(({ records }) => [...records].filter(([x]) => isNumber(x) && Math.abs(Number(x)) < 1e15).map(([x, n]) => [Number(x), n]));
  const decimals = held.map((all) => [0, 1, 2, 3, 4, 5, 6, 7].find((d) => all.every(([x]) => toDecimals(x, d) === x)) ?? FINE);
  const fine = Number(decimals[1] > decimals[0]);
  const isMore = (x) => toDecimals(x, Math.min(...decimals)) !== x && !paired[fine].has(x);
  const more = held[fine].map(([x, n]) => (isMore(x) ? n : -n));
  return decimals[fine] > decimals[1 - fine] && held[1 - fine].length > 0 && more.reduce((sum, n) => sum + n, 0) > 0;
}

// --- beyond chance, without a holdout

/** What the multiplicities of records tell of copied people; both tables are numbers in ascending order. */
function beyondChance(original, release) {
  const [n, m] = [original.length, release.length];
  const found = { copied_records: 0, copied_people: 0, exists: false };
  const sizes = new Map(); // how many records occur so often in both tables together
  let [mixed, pure, released] = [0, 0, 0]; // records that occur twice, once in each table or not; released ones of somebody who is alone
  for (let i = 0, j = 0; i < n || j < m; ) {
    const one = i === n ? release[j] : j === m ? original[i] : Math.min(original[i], release[j]);
    let [o, s] = [0, 0];
    for (; original[i] === one; i += 1) o += 1;
    for (; release[j] === one; j += 1) s += 1;
    if (o && s) {
      found.copied_people += o;
      found.copied_records += s;
    }
    if (o === 1) {
      found.exists = true;
      released += s;
    }
    if (o + s === 2) o === 1 ? (mixed += 1) : (pure += 1);
    if (o + s > 1) sizes.set(o + s, (sizes.get(o + s) ?? 0) + 1);
  }
  const p = Math.min(1, byPairs(mixed, pure, n, m) / (1 - REPEATED), byRepeated(released, [...sizes], n, m) / REPEATED);
  const fewer = m > n ? Math.max(n, m - released) : m; // released records that are no copies, as is least favourable
  let [low, high] = [0, mixed + 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (byPairs(middle, pure, n, fewer) > MISSED / 2) low = middle;
    else high = middle;
  }
  const ends = { copied_people_lower: Math.max(mixed - low, Number(p <= LEVEL)), copied_people_upper: found.copied_people };
  return { records: m, original_people: n, ...found, ...ends, copied_p_value: p };
}

/** A bound of the probability that as many of the records that occur twice are once in each table. */
function byPairs(mixed, pure, n, m) {
  const k = mixed + pure;
  return mixed ? Math.min(1, cost(2 * k, n, m) * atLeast(mixed, k, (2 * n * m) / (n + m) ** 2)) : 1;
}

/** A bound of the probability that as many released records are equal to somebody who is alone in the original. */
function byRepeated(released, sizes, n, m) {
  if (!released) return 1;
  const [f, g] = [n / (n + m), m / (n + m)];
  const values = sizes.map(([size, times]) => ({ times, records: size - 1, log: Math.log(size) + Math.log(f) + (size - 1) * Math.log(g) }));
  const others = ({ log }) => Math.log1p(-Math.exp(log));
  const isAbove = (rate) => sum(values.map((x) => (x.times * x.records) / (1 + Math.exp(others(x) - x.log - rate * x.records)))) > released;
  let [least, most] = [0, 1];
  if (isAbove(least)) return 1;
  while (most < STEPS && !isAbove(most)) most *= 2;
  for (let step = 0; step < STEPS; step += 1) {
    const middle = (least + most) / 2;
    if (isAbove(middle)) most = middle;
    else least = middle;
  }
  const logSum = (a, b) => Math.max(a, b) + Math.log1p(Math.exp(-Math.abs(a - b)));
  const mean = sum(values.map((x) => x.times * logSum(others(x), x.log + least * x.records)));
  return Math.min(1, cost(sum(sizes.map(([size, times]) => size * times)), n, m) * Math.exp(Math.min(0, mean - least * released)));
}

/** By how much an event of `part` of the records is at most more probable in a random split than with independent labels. */
function cost(part, n, m) {
  const rest = Math.max(0, n + m - part);
  const mode = Math.min(rest, Math.floor(((rest + 1) * n) / (n + m)));
  return Math.exp(logBinomial(mode, rest, n / (n + m)) - logBinomial(n, n + m, n / (n + m)));
}

/** The probability of at least x of k with probability p each: terms from the greatest of the shorter tail. */
function atLeast(x, k, p) {
  const isUpper = x > k * p;
  let at = isUpper ? x : x - 1;
  let term = Math.exp(logBinomial(at, k, p));
  let tail = 0;
  while (at >= 0 && at <= k && term > 1e-18 * tail) {
    tail += term;
    if (isUpper) term *= ((k - at) / (at + 1)) * (p / (1 - p));
    else term *= (at / (k - at + 1)) * ((1 - p) / p);
    at += isUpper ? 1 : -1;
  }
  return isUpper ? tail : 1 - tail;
}

const logBinomial = (x, k, p) => logGamma(k + 1) - logGamma(x + 1) - logGamma(k - x + 1) + x * Math.log(p) + (k - x) * Math.log1p(-p);

/** The logarithm of the gamma function, by Stirling's series from 15 on. */
function logGamma(x) {
  if (x < 15) return logGamma(x + 1) - Math.log(x);
  return (x - 0.5) * Math.log(x) - x + Math.log(2 * Math.PI) / 2 + 1 / (12 * x) - 1 / (360 * x ** 3) + 1 / (1260 * x ** 5) - 1 / (1680 * x ** 7);
}
