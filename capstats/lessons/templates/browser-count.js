// Distinct records of a file and their counts; two files compared as the audit of capstats compares them. This runs in a worker.

const MOST_BYTES = 1 << 27; // of distinct rows
const TEXT = new TextDecoder("x-user-defined"); // a sign a byte, so that places stay as they are
const MISSING = String.fromCharCode(0xf700 + ABSENT);

/** Distinct rows, one behind the other, and how often each occurs. */
class Distinct {
  constructor(tooMany) {
    Object.assign(this, { tooMany, size: 0, used: 0, pool: new Uint8Array(1 << 16), slots: new Int32Array(1 << 12) });
    Object.assign(this, { starts: new Int32Array(1 << 10), hashes: new Int32Array(1 << 10), counts: new Float64Array(1 << 10) });
  }

  /** The place of a row among the distinct ones; it begins at `from` of the array. */
  add(row, length, hash, from = 0) {
    const { slots, hashes, starts, pool } = this;
    const last = slots.length - 1;
    let at = (hash ^ (hash >>> 15)) & last;
    search: for (; slots[at] !== 0; at = (at + 1) & last) {
      const one = slots[at] - 1;
      if (hashes[one] !== hash || starts[one + 1] - starts[one] !== length) continue;
      for (let i = 0, start = starts[one]; i < length; i += 1) if (pool[start + i] !== row[from + i]) continue search;
      this.counts[one] += 1;
      return one;
    }
    return this.append(row.subarray(from, from + length), hash, at);
  }

  append(row, hash, at) {
    const { length } = row;
    if (this.used + length > MOST_BYTES) throw new Refused(this.tooMany);
    if (this.used + length > this.pool.length) this.pool = grown(this.pool, this.used + length);
    if (this.size + 2 > this.starts.length) for (const name of ["starts", "hashes", "counts"]) this[name] = grown(this[name]);
    this.pool.set(row, this.used);
    this.hashes[this.size] = hash;
    this.counts[this.size] = 1;
    this.slots[at] = this.size += 1;
    this.starts[this.size] = this.used += length;
    if (2 * this.size > this.slots.length) this.spread();
    return this.size - 1;
  }

  /** Twice as many slots. */
  spread() {
    const slots = new Int32Array(2 * this.slots.length);
    const last = slots.length - 1;
    for (let one = 0; one < this.size; one += 1) {
      let at = (this.hashes[one] ^ (this.hashes[one] >>> 15)) & last;
      while (slots[at] !== 0) at = (at + 1) & last;
      slots[at] = one + 1;
    }
    this.slots = slots;
  }

  /** What another worker needs of it. */
  get rows() {
    return { size: this.size, pool: this.pool.slice(0, this.used), starts: this.starts.slice(0, this.size + 1), counts: this.counts.slice(0, this.size) };
  }
}

/** A number of 53 bits for each row, to compare files by. */
class Hashes {
  constructor(size) {
    Object.assign(this, { values: new Float64Array(size), size: 0 });
  }

  add(row, length, hash) {
    let other = 0x9e3779b9;
    for (let i = 0; i < length; i += 1) other = Math.imul(other ^ row[i], 0x85ebca6b) ^ (other >>> 13);
    if (this.size < this.values.length) this.values[this.size] = (hash >>> 0) * 2 ** 21 + (other >>> 11);
    this.size += 1;
  }
}

/** Whether two files have the same bytes. */
async function sameBytes(one, other) {
  if (one.size !== other.size) return false;
  for (let at = 0; at < one.size; at += SLICE) {
    const [a, b] = await Promise.all([bytesOf(one, at, at + SLICE), bytesOf(other, at, at + SLICE)]);
    if (a.some((byte, i) => byte !== b[i])) return false;
  }
  return true;
}

/** Whether two lists of hashes are the same in any order, most of them of one record, and ten or more. */
function sameRecords(one, other) {
  one.sort();
  other.sort();
  if (one.length < 10 || one.length !== other.length || one.some((hash, i) => hash !== other[i])) return false;
  return 2 * one.filter((hash, i) => hash !== one[i - 1] && hash !== one[i + 1]).length > one.length;
}

/** The keys of two tables in common places, and for each key its targets and their counts: [target, count, target, count, ...]. */
function joined(tables) {
  const keys = new Map();
  const targets = new Map();
  const place = (map, label) => {
    const held = map.get(label);
    if (held === undefined) map.set(label, map.size);
    return held ?? map.size - 1;
  };
  const cells = tables.map(({ size, pool, starts, counts }) => {
    const text = TEXT.decode(pool);
    const found = [];
    for (let i = 0; i < size; i += 1) {
      const split = text.lastIndexOf("\0", starts[i + 1] - 2) + 1; // between key and target
      const j = place(keys, text.slice(starts[i], split));
      (found[j] ??= []).push(place(targets, text.slice(split, starts[i + 1] - 1)), counts[i]);
    }
    return found;
  });
  return { keys: [...keys.keys()], targets: [...targets.keys()], o: cells[0], s: cells[1] };
}

/** The labels of a key, as they are held. */
const labelsOf = (key) => key.slice(0, -1).split("\0");

/** A label as text; null where it is missing. */
function shownLabel(label) {
  return label === MISSING ? null : new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(label, (sign) => sign.charCodeAt(0) & 0xff));
}

/** For each column its labels and how many records of the original, and of the synthetic table, have each: {label: [o, s]}. */
function margins({ keys, targets, o, s }, columns) {
  const found = Array.from({ length: columns + 1 }, () => new Map());
  const add = (map, label, which, n) => {
    if (!map.has(label)) map.set(label, [0, 0]);
    map.get(label)[which] += n;
  };
  [o, s].forEach((table, which) => table.forEach((cells, j) => {
    let records = 0;
    for (let c = 0; c < cells.length; c += 2) {
      add(found[columns], targets[cells[c]], which, cells[c + 1]);
      records += cells[c + 1];
    }
    labelsOf(keys[j]).forEach((label, column) => add(found[column], label, which, records));
  }));
  return found;
}

/** The column, by its place, that shares no label, not even a missing value; -1 where there is none. */
const withoutMatch = (found) => found.findIndex((labels) => [...labels.values()].every(([o, s]) => o === 0 || s === 0));

/** Whether both tables have each label equally often. */
const sameMargins = (found) => found.every((labels) => [...labels.values()].every(([o, s]) => o === s));

const MOST_WORK = 2e7; // keys times sets of columns, for which the nearest keys are looked for

/**
 * For keys of the original that the synthetic table does not have, the targets and counts of those that differ in the fewest columns: {key:
 * [Map {target: count}, ...]}, to be added up; or null where that takes long.
 */
function nearestRows({ keys, s }, columns) {
  const found = [];
  const donors = [...keys.keys()].filter((j) => s[j]);
  let left = [...keys.keys()].filter((j) => !s[j]);
  if (!left.length) return found;
  if (2 ** columns * (donors.length + left.length) > MOST_WORK) return null;
  const labels = keys.map(labelsOf);
  const sets = Array.from({ length: 2 ** columns }, (_, bits) => Array.from({ length: columns }, (_, c) => c).filter((c) => (bits >> c) & 1));
  for (let shared = columns - 1; shared >= 0 && left.length; shared -= 1) {
    for (const set of sets.filter(({ length }) => length === shared)) {
      const part = (j) => set.map((c) => labels[j][c]).join("\0");
      const wanted = new Map(left.map((j) => [part(j), new Map()]));
      for (const j of donors) {
        const pooled = wanted.get(part(j));
        if (pooled) for (let c = 0; c < s[j].length; c += 2) pooled.set(s[j][c], (pooled.get(s[j][c]) ?? 0) + s[j][c + 1]);
      }
      for (const j of left) {
        const pooled = wanted.get(part(j));
        if (pooled.size) (found[j] ??= []).push(pooled);
      }
    }
    left = left.filter((j) => !found[j]);
  }
  return found;
}
