// Correct Attribution Probability (CAP) from tables of counts, as capstats has it. A table is a list of rows: a row is a target, a column a key.

const TIE = 1e-12;

/** Whether value <= reference, where a difference that rounding explains is a tie, and a tie counts. */
const atMost = (value, reference) => value <= reference || value - reference <= TIE * Math.max(Math.abs(value), Math.abs(reference));
const same = (a, b) => atMost(a, b) && atMost(b, a);

const sum = (values) => values.reduce((a, b) => a + b, 0);
const ratio = (a, b, empty = NaN) => (b === 0 ? empty : a / b);
const targetTotals = (t) => t.map(sum); // o_i.
const keyTotals = (t) => t[0].map((_, j) => sum(t.map((row) => row[j]))); // o_.j
const total = (t) => sum(targetTotals(t)); // n
const copy = (t) => t.map((row) => [...row]);
const column = (t, j) => t.map((row) => row[j]);
const mapped = (t, f) => t.map((row, i) => row.map((value, j) => f(value, i, j)));

/** Individual CAP of a record in each cell: q_ij = s_ij / s_.j; unmatched keys have 0 ("zero") or NaN ("drop"). */
function individualCap(s, unmatched = "zero") {
  const s_j = keyTotals(s);
  return mapped(s, (s_ij, _, j) => ratio(s_ij, s_j[j], unmatched === "zero" ? 0 : NaN));
}

/** Number of original records whose key is in the synthetic table, n_M. */
function matchedRecords(o, s) {
  const s_j = keyTotals(s);
  return sum(keyTotals(o).filter((_, j) => s_j[j] > 0));
}

/** Average CAP: version 1 ("zero") divides by all records, version 2 ("drop") by those whose key is matched. */
function averageCap(o, s, unmatched = "zero") {
  const q = individualCap(s);
  const c = sum(mapped(o, (o_ij, i, j) => o_ij * q[i][j]).map(sum));
  return ratio(c, unmatched === "zero" ? total(o) : matchedRecords(o, s));
}

/** Original records whose target is the most frequent synthetic target of their key; each of t tied targets is predicted with 1/t. */
function correctPredictions(o, s) {
  return sum(keyTotals(s).map((s_j, j) => {
    if (s_j === 0) return 0;
    const greatest = Math.max(...column(s, j));
    const modes = column(o, j).filter((_, i) => s[i][j] === greatest);
    return sum(modes) / modes.length;
  }));
}

/** Probability of a right guess without the key, from the shares of the original's targets: "marginal" or "modal". */
function baselineCap(o, kind = "marginal") {
  const n = total(o);
  const o_i = targetTotals(o);
  if (kind === "modal") return ratio(Math.max(...o_i), n);
  return ratio(sum(o_i.map((x) => x * x)), n * n);
}

/** The least average CAP of any release: min o_ij / n, or min o_ij / o_.j over keys with records. */
function minimumCap(o, unmatched = "zero") {
  const n = total(o);
  if (n === 0) return NaN;
  const least = keyTotals(o).map((o_j, j) => ratio(Math.min(...column(o, j)), unmatched === "zero" ? n : o_j, Infinity));
  return Math.min(...least);
}

/** The greatest average CAP of any release: the sum of the keys' greatest cells over n, or max o_ij / o_.j. */
function maximumCap(o, unmatched = "zero") {
  const n = total(o);
  if (n === 0) return NaN;
  const best = keyTotals(o).map((_, j) => Math.max(...column(o, j)));
  if (unmatched === "zero") return sum(best) / n;
  return Math.max(...keyTotals(o).map((o_j, j) => ratio(best[j], o_j, 0)));
}

/** The people by individual CAP in ascending order: a list of {value, people}. */
function byCap(o, s) {
  const q = individualCap(s);
  return o.flatMap((row, i) => row.map((people, j) => ({ value: q[i][j], people }))).sort((a, b) => a.value - b.value);
}

/** Number of people whose individual CAP is above a threshold; ties are not above. */
const above = (o, s, threshold) => sum(byCap(o, s).map(({ value, people }) => (atMost(value, threshold) ? 0 : people)));

/**
 * A release and what it becomes, record by record, until no person has an individual CAP above one half: a record of the cell with the
 * highest goes to another target of its key, that of the most people which stays at one half or below. No fewer records do it.
 */
function safer(o, s) {
  const found = [s];
  const half = keyTotals(s).map((s_j) => s_j / 2);
  for (;;) {
    const t = copy(found[found.length - 1]);
    const moves = half.flatMap((most, j) => {
      const from = o.findIndex((row, i) => row[j] > 0 && t[i][j] > most);
      const free = [...o.keys()].filter((i) => i !== from && (o[i][j] === 0 || t[i][j] + 1 <= most));
      if (from < 0 || !free.length) return [];
      return [{ j, from, to: free.reduce((best, i) => (o[i][j] > o[best][j] ? i : best)), risk: t[from][j] / most }];
    });
    if (!moves.length) return found;
    const { j, from, to } = moves.reduce((a, b) => (b.risk > a.risk ? b : a));
    t[from][j] -= 1;
    t[to][j] += 1;
    found.push(t);
  }
}

/** A quantile of individual CAP over the people, with linear interpolation. */
function capQuantile(o, s, p) {
  const cells = byCap(o, s).filter(({ people }) => people > 0);
  const n = sum(cells.map(({ people }) => people));
  if (n === 0) return NaN;
  const kth = (k) => {
    let through = 0;
    return cells.find(({ people }) => (through += people) > k).value;
  };
  const position = (n - 1) * p;
  const below = Math.floor(position);
  const a = kth(below);
  return a + (kth(Math.min(below + 1, n - 1)) - a) * (position - below);
}

/** The boxplot of individual CAP over the people: whiskers end at the last person within 1.5 interquartile ranges. */
function capBoxplot(o, s) {
  const [low, median, high] = [0.25, 0.5, 0.75].map((p) => capQuantile(o, s, p));
  const reach = 1.5 * (high - low);
  const values = byCap(o, s).filter(({ people }) => people > 0).map(({ value }) => value);
  const least = Math.min(low, ...values.filter((value) => atMost(low, value + reach)));
  const greatest = Math.max(high, ...values.filter((value) => atMost(value, high + reach)));
  const outliers = values.filter((value) => !(atMost(least, value) && atMost(value, greatest)));
  return { lowerWhisker: least, lowerQuartile: low, median, upperQuartile: high, upperWhisker: greatest, outliers: [...new Set(outliers)] };
}

/** A random table with m records in which every table is equally likely: m stars and the bars between the cells. */
function uniformTable(m, targets, keys, random) {
  const cells = targets * keys;
  const bars = new Set();
  while (bars.size < cells - 1) bars.add(Math.floor(random() * (m + cells - 1)));
  const ends = [-1, ...[...bars].sort((a, b) => a - b), m + cells - 1];
  const counts = ends.slice(1).map((end, k) => end - ends[k] - 1);
  return Array.from({ length: targets }, (_, i) => counts.slice(i * keys, (i + 1) * keys));
}
