// The law of average CAP over random tables, for an original with two targets: theory/limit-law.md#limit-law and theory/law.md#finite-law.

/** P(a sum of independent uniform numbers on [0, d], d in widths, is at most y). */
function boxBelow(widths, y) {
  const all = sum(widths);
  if (y <= 0) return 0;
  if (y >= all) return 1;
  return y > all / 2 ? 1 - corners(widths, all - y, widths.length) : corners(widths, y, widths.length);
}

/** Inclusion and exclusion over the corners of a box: the volume below y as a share (power = number of widths), or its derivative. */
function corners(widths, y, power) {
  let found = 0;
  for (let set = 0; set < 2 ** widths.length; set += 1) {
    const taken = widths.filter((_, k) => (set >> k) & 1);
    const left = y - sum(taken);
    if (left >= 0) found += (taken.length % 2 ? -1 : 1) * left ** power;
  }
  for (let k = 2; k <= power; k += 1) found /= k;
  return widths.reduce((value, d) => value / d, found);
}

/** Where the law begins, and by how much each key spreads it: the share of the first target of a key is uniform from 0 to 1. */
function lawParts(o) {
  const keys = o[0].map((_, j) => column(o, j));
  const spread = keys.map((key) => Math.max(...key) - Math.min(...key));
  return { n: total(o), start: sum(keys.map((key) => Math.min(...key))), widths: spread.filter((d) => d > 0) };
}

/** P(average CAP <= x) in the limit of many synthetic records. */
function limitCdf(o, x) {
  const { n, start, widths } = lawParts(o);
  if (!widths.length) return atMost(start / n, x) ? 1 : 0;
  return boxBelow(widths, n * x - start);
}

/** Its density, per unit of CAP; NaN where the law is one value. */
function limitDensity(o, x) {
  const { n, start, widths } = lawParts(o);
  const y = n * x - start;
  const all = sum(widths);
  if (!widths.length) return NaN;
  if (y < 0 || y >= all) return 0;
  return n * corners(widths, widths.length > 1 ? Math.min(y, all - y) : y, widths.length - 1);
}

/** The least and the greatest value of the law. */
function limitSupport(o) {
  const { n, start, widths } = lawParts(o);
  return [start / n, (start + sum(widths)) / n];
}

/** Whether `finiteCdf` goes through the tables of m records in a moment. */
const finiteFits = (o, m) => o[0].length < 2 || (o[0].length === 2 ? m <= 1000 : m <= 40);

/** P(average CAP <= x) over the tables of m records, all equally likely; of the last key only the number of its tables that fit is taken. */
function finiteCdf(o, m, x) {
  const keys = o[0].map((_, j) => column(o, j));
  const limit = total(o) * x;
  const slack = TIE * limit; // a tie counts
  const fitting = ([a, b], r, room) => {
    if (r === 0) return room >= -slack ? 1 : 0;
    if (a === b) return a <= room + slack ? r + 1 : 0;
    const steps = Math.floor((room + slack - Math.min(a, b)) / (Math.abs(a - b) / r));
    return Math.max(0, Math.min(r, steps) + 1);
  };
  let held = 0;
  const walk = (j, left, used) => {
    if (j === keys.length - 1) {
      held += fitting(keys[j], left, limit - used);
      return;
    }
    const [a, b] = keys[j];
    for (let r = 0; r <= left; r += 1) {
      for (let s = 0; s <= r; s += 1) walk(j + 1, left - r, used + ratio(a * s + b * (r - s), r, 0));
    }
  };
  walk(0, m, 0);
  let tables = 1; // how many there are
  for (let i = 1; i < 2 * keys.length; i += 1) tables *= (m + i) / i;
  return held / tables;
}

/** Mean of average CAP over all tables of m records: 1 / (number of targets), less because a key may stay empty. */
function uniformMean(o, m) {
  const targets = o.length;
  const cells = targets * o[0].length;
  if (o[0].length === 1) return 1 / targets;
  let empty = 1;
  for (let i = 1; i <= targets; i += 1) empty *= (cells - i) / (m + cells - i);
  return (1 - empty) / targets;
}
