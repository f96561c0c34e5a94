// The numbers of the front sheet, key by key, with the formulas of the lessons (cap.js). This runs in a worker.

const DOTS = 200; // of all targets, at most
const LEVELS = 4; // targets that have dots
const GROUPS = 5; // that are listed
const FEWEST = 10; // people of a group that is listed
const MANY = 20; // levels of a column, or keys, below which none is called fine
const KINDS = ["sure", "half", "others"]; // above 0.9, above 0.5, and the others

/** Everything that the page shows of two joined tables, of which the margins were found. */
function measured(joint, found, columns) {
  const nearest = nearestRows(joint, columns.length);
  const { o, s, keys, targets } = joint;
  const totals = targets.map((target) => [found[columns.length].get(target)[0]]); // one column, a row for each target
  const n = total(totals);
  const m = sum(targets.map((target) => found[columns.length].get(target)[1]));
  const sums = { right: 0, used: 0, own: 0, named: 0, named_own: 0, matched: 0, above_half: 0, above_nine_tenths: 0, certain: 0, keys: 0 };
  const people = targets.map(() => []); // of each target: the key, how many, and how surely they are guessed right
  const groups = columns.map((_, c) => {
    const few = [...found[c]].filter(([, [records]]) => records >= FEWEST);
    return new Map(few.map(([label, [records]]) => [label, { records, right: 0, without: 0, sure: 0 }]));
  });
  o.forEach((cells, j) => {
    const at = new Map(); // the targets of this key, in the rows of small tables of one column
    for (const part of [cells, s[j] ?? []]) for (let c = 0; c < part.length; c += 2) if (!at.has(part[c])) at.set(part[c], at.size);
    for (const pooled of nearest?.[j] ?? []) for (const target of pooled.keys()) if (!at.has(target)) at.set(target, at.size);
    const column = (fill) => {
      const rows = Array.from(at, () => [0]);
      fill((target, count) => (rows[at.get(target)][0] += count));
      return rows;
    };
    const own = column((add) => cells.forEach((target, c) => c % 2 || add(target, cells[c + 1])));
    const matched = column((add) => (s[j] ?? []).forEach((target, c) => c % 2 || add(target, s[j][c + 1])));
    const used = nearest?.[j] ? column((add) => nearest[j].forEach((pooled) => pooled.forEach((count, target) => add(target, count)))) : matched;
    const records = total(own);
    const q = individualCap(used);
    sums.keys += 1;
    sums.own += records * averageCap(own, own);
    sums.named_own += correctPredictions(own, own);
    sums.named += correctPredictions(own, used);
    sums.matched += matchedRecords(own, matched);
    sums.right += records * averageCap(own, matched);
    sums.used += used === matched ? 0 : records * averageCap(own, used);
    const group = { right: 0, without: 0, sure: 0 };
    at.forEach((i, target) => {
      const [[count], [cap]] = [own[i], q[i]];
      if (count === 0) return;
      if (!atMost(cap, 0.5)) sums.above_half += count;
      if (!atMost(cap, 0.9)) group.sure += count;
      if (used === matched && cap === 1) sums.certain += count;
      group.right += count * cap;
      group.without += (count * totals[target][0]) / n;
      people[target].push({ j, count, cap });
    });
    sums.above_nine_tenths += group.sure;
    labelsOf(keys[j]).forEach((label, c) => {
      const of = groups[c].get(label);
      if (of) for (const part of Object.keys(group)) of[part] += group[part];
    });
  });
  const numbers = {
    average_cap_nearest: nearest ? (sums.right + sums.used) / n : NaN,
    predictive_success_nearest: nearest ? sums.named / n : NaN,
    baseline: baselineCap(totals),
    baseline_predictive_success: baselineCap(totals, "modal"),
    original_cap: sums.own / n,
    original_predictive_success: sums.named_own / n,
    average_cap_zero: sums.right / n,
    predictive_success_zero: nearest ? NaN : sums.named / n,
    average_cap_matched: ratio(sums.right, sums.matched),
    matched_share: sums.matched / n,
    share_above_half: sums.above_half / n,
    share_above_nine_tenths: sums.above_nine_tenths / n,
    share_certain: sums.certain / n,
    original_records: n,
    synthetic_records: m,
    keys: sums.keys,
  };
  return { numbers, dots: dotsOf(people, joint), groups: groupsOf(groups, columns), fine: tooFine(found, columns, sums, n, m) };
}

/** The targets with most people at risk, and dots for the people with each, the surest first, the last of each kind for the rest; a dot says who one of its people is. */
function dotsOf(people, { keys, targets }) {
  const rows = people.map((cells, target) => {
    const of = KINDS.map(() => []);
    for (const cell of cells.sort((a, b) => b.cap - a.cap)) of[atMost(cell.cap, 0.5) ? 2 : atMost(cell.cap, 0.9) ? 1 : 0].push(cell);
    return { target: shownLabel(targets[target]), of, numbers: of.map((kind) => sum(kind.map(({ count }) => count))) };
  }).filter(({ numbers }) => sum(numbers) > 0);
  const order = (row) => [row.numbers[0], row.numbers[0] + row.numbers[1], sum(row.numbers)];
  rows.sort((a, b) => order(b).map((x, i) => x - order(a)[i]).find((x) => x !== 0) ?? 0);
  const each = Math.max(1, roundedUp(sum(rows.map(({ numbers }) => sum(numbers))) / DOTS));
  const shown = rows.slice(0, LEVELS).map(({ target, of, numbers }) => {
    const dots = of.flatMap((kind, k) => Array.from({ length: Math.ceil(numbers[k] / each) }, (_, i) => {
      const size = Math.min(each, numbers[k] - i * each);
      let through = i * each + size / 2;
      const { j, cap } = kind.find(({ count }) => (through -= count) < 0) ?? kind[kind.length - 1];
      return { kind: KINDS[k], key: labelsOf(keys[j]).map(shownLabel), cap, people: size, part: size / each };
    }));
    return { target, numbers, dots };
  });
  return { each, rows: shown, rest: rows.slice(LEVELS).map(({ numbers }) => numbers) };
}

/** The next 1, 2 or 5 times a power of ten. */
function roundedUp(x) {
  const base = 10 ** Math.floor(Math.log10(x));
  return [1, 2, 5, 10].map((step) => step * base).find((step) => step >= x * (1 - 1e-9));
}

/** The groups by one key column that are guessed right most above what they are without the release. */
function groupsOf(groups, columns) {
  return groups.flatMap((labels, c) => [...labels].map(([label, { records, right, without, sure }]) => (
    { column: columns[c], label, people: records, cap: right / records, above: (right - without) / records, sure: sure / records }
  ))).sort((a, b) => Number((b.above - a.above).toFixed(9)) || b.people - a.people)
    .slice(0, GROUPS)
    .map((group) => ({ ...group, label: shownLabel(group.label) }));
}

/** Key columns that are nearly identifiers, by name with their numbers of levels; or true where the keys as a whole are too fine. */
function tooFine(found, columns, sums, n, m) {
  const unmatched = 1 - sums.matched / n;
  const fine = columns.map((name, c) => {
    const held = [...found[c].values()].filter(([o]) => o > 0);
    const lacking = sum(held.map(([o, s]) => (s > 0 ? 0 : o))) / n;
    return { name, levels: held.length, isFine: held.length > MANY && 4 * held.length > n && Math.max(lacking, unmatched) > 0.05 };
  }).filter(({ isFine }) => isFine);
  return { columns: fine, whole: !fine.length && sums.keys > MANY && unmatched > 0.5 && unmatched < 1 && 2 * m >= n };
}
