// Closed forms of three ways to protect targets: theory/perturbation.md, guarantees.md#dp-bound and attainable.md#target-distance.

const records = (o) => o[0].map((_, j) => column(o, j)).filter((key) => sum(key) > 0); // the keys that have records
const shares = (o) => targetTotals(o).map((o_i) => o_i / total(o)); // p
const greater = (a, b) => !atMost(a, b);

// --- PRAM: a target is changed with the probabilities of its row of a matrix

/** With probability theta the target is drawn anew from p. */
const redrawing = (p, theta) => p.map((_, a) => p.map((p_b, b) => (a === b ? 1 - theta : 0) + theta * p_b));

/** Randomised response: a record tells its own target with e^epsilon times the probability of each other one. */
function responding(targets, epsilon) {
  const odds = Math.exp(-epsilon);
  const row = (a) => Array.from({ length: targets }, (_, b) => (a === b ? 1 : odds) / (1 + (targets - 1) * odds));
  return Array.from({ length: targets }, (_, a) => row(a));
}

/** The expected release: in each cell the sum over b of o_bj R_ba. */
const changedBy = (o, matrix) => mapped(o, (_, a, j) => sum(column(o, j).map((o_bj, b) => o_bj * matrix[b][a])));

/** Mean and variance of average CAP: a record of cell (b, j) that gets target a adds o_aj / o_.j right guesses. */
function changedMoments(o, matrix) {
  let mean = 0;
  let variance = 0;
  for (const key of records(o)) {
    key.forEach((o_bj, b) => {
      const mu = sum(key.map((o_aj, a) => matrix[b][a] * o_aj));
      mean += (o_bj * mu) / sum(key);
      variance += (o_bj * sum(key.map((o_aj, a) => matrix[b][a] * (o_aj - mu) ** 2))) / sum(key) ** 2;
    });
  }
  return { mean: mean / total(o), variance: variance / total(o) ** 2 };
}

// --- swap: the targets of h records are permuted

/** The share of the link between key and target that is lost. */
const lost = (o, h) => (h <= 1 ? 0 : (h - 1) / (total(o) - 1));

const swappedBy = (o, h) => changedBy(o, redrawing(shares(o), lost(o, h)));

function swapMoments(o, h) {
  const n = total(o);
  const p = shares(o);
  const b = baselineCap(o);
  const mean = averageCap(o, o) - lost(o, h) * (averageCap(o, o) - b);
  if (h < 2) return { mean, variance: 0 };
  let [delta, e, q] = [0, 0, 0];
  const g = o.map(() => o.map(() => 0));
  for (const key of records(o)) {
    const r = key.map((o_ij) => o_ij / sum(key));
    const rho = sum(r.map((r_ij, i) => r_ij * p[i]));
    const d = r.map((r_ij, i) => r_ij - rho - p[i] + b);
    key.forEach((o_ij, i) => {
      delta += o_ij * d[i];
      e += o_ij * d[i] ** 2;
      q += p[i] * n * sum(key) * d[i] ** 2;
      d.forEach((d_kj, k) => { g[i][k] += o_ij * d_kj; });
    });
  }
  const w = sum(mapped(g, (value, i, k) => value * g[k][i]).map(sum));
  const terms = [q, q + w, e - delta ** 2 / n, delta ** 2];
  return { mean, variance: Math.max(sum(swapWeights(n, h).map((weight, i) => weight * terms[i])), 0) / n ** 2 };
}

/** The weights of Q, Q + w, e - delta^2 / n and delta^2 in the variance. */
function swapWeights(n, h) {
  if (h === n) return [1 / (n - 1), 0, 0, 0];
  if (n === 3) return [0, 1 / 6, 1 / 2, 1 / 12];
  const k = n - h;
  const three = (n - 1) * (n - 2) * (n - 3);
  return [
    (h - 2) / ((n - 1) * (n - 2)),
    (k * (k - 1)) / (n * three),
    (k * ((n - 1) * h - n - 1)) / three,
    (k * (n * n - 5 * n + 2 + 2 * h)) / (n * three * (n - 1)),
  ];
}

// --- epsilon: what differential privacy promises for one record, whatever else is known

/** The greatest expected CAP, the modal guess, their difference, and among how many targets the attaining mechanism answers. */
function dpBound(p, epsilon) {
  const sorted = [...p].sort((a, b) => b - a);
  const values = sorted.map((_, s) => sum(sorted.slice(0, s + 1)) / (1 + s * Math.exp(-epsilon)));
  const bound = Math.max(...values);
  return { bound, guess: sorted[0], gain: bound - sorted[0], targets: 1 + values.findIndex((value) => atMost(bound, value)) };
}

/** The greatest epsilon whose bound is at most r; NaN where r is below the modal guess. */
function dpEpsilon(p, r) {
  const sorted = [...p].sort((a, b) => b - a);
  if (greater(sorted[0], r)) return NaN;
  const limits = sorted.map((_, s) => {
    const held = sum(sorted.slice(0, s + 1));
    return greater(held, r) ? Math.log((r * s) / (held - r)) : Infinity;
  });
  return Math.max(Math.min(...limits), 0);
}

// --- how much is needed for an expected average CAP; NaN where it cannot be had

const within = (risk, least, greatest) => greater(greatest, least) && atMost(least, risk) && atMost(risk, greatest);
const share = (risk, least, greatest) => (within(risk, least, greatest) ? Math.min(Math.max((greatest - risk) / (greatest - least), 0), 1) : NaN);

const thetaFor = (o, risk) => share(risk, baselineCap(o), averageCap(o, o));

/** The smallest number of swapped records with an expected average CAP of at most the risk. */
function swappedFor(o, risk) {
  const [least, greatest, n] = [baselineCap(o), averageCap(o, o), total(o)];
  if (!within(risk, least, greatest)) return NaN;
  if (atMost(greatest, risk)) return 0;
  let h = Math.max(Math.floor((n - 1) * share(risk, least, greatest)), 0);
  while (h < n && greatest - lost(o, h) * (greatest - least) > risk) h += 1;
  return h;
}

/** The epsilon of randomised response: it is PRAM with theta = I / (e^epsilon + I - 1) that draws from equal shares. */
function epsilonFor(o, risk) {
  const targets = o.length;
  const theta = share(risk, 1 / targets, averageCap(o, o));
  return theta === 0 ? Infinity : Math.max(Math.log(targets / theta - targets + 1), 0);
}

// --- utility

/** How far the targets of each key are from those of the original: total variation, averaged over original records. */
function targetDistance(o, s) {
  const [o_j, s_j] = [keyTotals(o), keyTotals(s)];
  const apart = (j) => sum(column(o, j).map((o_ij, i) => Math.abs(o_ij / o_j[j] - s[i][j] / s_j[j]))) / 2;
  return sum(o_j.map((held, j) => (held === 0 ? 0 : held * (s_j[j] > 0 ? apart(j) : 1)))) / total(o);
}
