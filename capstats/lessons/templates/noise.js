// Counts with discrete Laplace noise, set to 0 where they are negative: theory/guarantees.md#noisy-counts and noisy-cap.md, neighbours by substitution.

const decay = (epsilon) => Math.exp(-epsilon / 2); // a: one record in another cell changes two counts by one

/** The expected release. */
const noisyTable = (o, epsilon) => mapped(o, (count) => count + decay(epsilon) ** (count + 1) / (1 - decay(epsilon) ** 2));

/** Nodes and weights of Gauss and Legendre on [-1, 1], by Newton's method. */
function gauss(n) {
  return Array.from({ length: n }, (_, k) => {
    let x = Math.cos((Math.PI * (k + 0.75)) / (n + 0.5));
    let slope = 1;
    for (let turn = 0; turn < 8; turn += 1) {
      let [before, value] = [1, x];
      for (let i = 2; i <= n; i += 1) [before, value] = [value, ((2 * i - 1) * x * value - (i - 1) * before) / i];
      slope = (n * (x * value - before)) / (x * x - 1);
      x -= value / slope;
    }
    return { x, weight: 2 / ((1 - x * x) * slope * slope) };
  });
}

/** Nodes and weights on [0, 1], closer and closer towards 1, where powers of x bend. */
const NODES = (() => {
  const ends = [0, ...Array.from({ length: 12 }, (_, k) => 1 - 2 ** -(k + 1)), 1];
  const rule = gauss(24);
  return ends.slice(1).flatMap((end, k) => rule.map(({ x, weight }) => ({ x: ends[k] + ((end - ends[k]) * (x + 1)) / 2, weight: (weight * (end - ends[k])) / 2 })));
})();

/** E[x^s] and its derivative for a noisy count s: up to the original count term by term, above it as a geometric series. */
function generating(count, a, x) {
  const even = (1 - a) / (1 + a); // the probability of no noise
  let [value, slope, power] = [0, 0, 1]; // the sum of a^(count - k) x^k for k from 1 to count, its derivative, and x^k
  for (let k = 1; k <= count; k += 1) {
    slope = slope * a + k * power;
    power *= x;
    value = value * a + power;
  }
  const series = (a * x) / (1 - a * x); // a x + (a x)^2 + ...
  return {
    value: a ** count / (1 + a) + even * (value + power * series),
    slope: even * (slope + count * (power / x) * series + (power * a) / (1 - a * x) ** 2),
  };
}

/** The mean of average CAP: in each key the integral over x of sum o_i G_i'(x) times the other G(x). */
function noisyCap(o, epsilon) {
  const a = decay(epsilon);
  const counts = [...new Set(o.flat())];
  let found = 0;
  for (const { x, weight } of NODES) {
    const at = new Map(counts.map((count) => [count, generating(count, a, x)]));
    for (const key of records(o)) {
      key.forEach((o_ij, i) => {
        if (o_ij > 0) found += weight * o_ij * key.reduce((product, other, l) => product * (l === i ? at.get(other).slope : at.get(other).value), 1);
      });
    }
  }
  return found / total(o);
}

/** One release: the noise is the difference of two geometric numbers. */
function noisyRelease(o, epsilon, chance) {
  const geometric = () => Math.floor(Math.log(1 - chance()) / Math.log(decay(epsilon)));
  return mapped(o, (count) => Math.max(count + geometric() - geometric(), 0));
}
