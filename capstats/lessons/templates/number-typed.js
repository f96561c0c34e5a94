// The fields of "What does my number mean?": what was typed, as numbers, and how far their digits leave them open.

const SHARES = ["average", "baseline", "original", "named", "named_without", "named_with", "sure", "fresh"];
const COUNTS = ["people", "holdout"];
const NAMES = [...SHARES, ...COUNTS, "version"];
const { front, number: said } = given;

const wrong = (reason, values) => ({ wrong: fill(said.wrong[reason], values) });

/** The value of a share and how far its digits leave it open; null where nothing was typed; or what is wrong with it. */
function shareOf(name, text, people) {
  if (!text) return null;
  const bound = /^(<|>|at least |at most )/i.exec(text);
  const plain = text.slice(bound ? bound[0].length : 0);
  const parts = /^(.*?)(?:\/| of (?:the |all )?)(.*)$/i.exec(plain);
  const alone = /^(?:[1-9]\d{0,2}(?:,\d{3})+|\d+)(?: (?:people|persons?|records?))?$/i.test(plain);
  const n = typed(plain, true);
  if (alone && name === "sure" && n === 1 && !people) return wrong("one");
  if (/^\d+$/.test(plain) && n > 1 && n <= 100 && n < people) return wrong("ambiguous", { text });
  if (alone && people && (n > 1 || (n === 1 && name === "sure"))) {
    return n > people ? wrong("too_many", { text, n: grouped(people) }) : { value: n / people, open: name === "sure" ? 0 : 0.5 / people };
  }
  const value = parts ? n : typed(plain);
  if (Number.isNaN(value)) return wrong("not_a_number", { text });
  if (value < 0) return wrong("below_0", { text });
  if (value > 1) return wrong(value <= 100 && !parts ? "above_1" : "far_above_1", { text });
  const digits = /[.,](\d+)[^\d]*$/.exec(plain)?.[1].length ?? 0;
  const unit = 10 ** -digits * (/%|cent/i.test(plain) ? 0.01 : 1);
  if (parts) return { value, open: plain.includes("/") || name === "sure" ? 0 : 0.5 / typed(parts[2], true) };
  if (/e/i.test(plain.replace(/per ?cent/i, ""))) return { value, open: 0 };
  return { value, open: bound ? unit : unit === 1 ? 0 : unit / 2 };
}

function countOf(text) {
  if (!text) return null;
  if (/^\d{1,3}(\.\d{3})+$/.test(text)) return wrong("thousands", { text, n: text.replaceAll(".", "") });
  const value = typed(text, true);
  return Number.isInteger(value) && value >= 1 && !/[%/]/.test(text) ? { value, open: 0 } : wrong("not_people", { text });
}

/** All fields as numbers by name. */
function numbersOf(texts) {
  const found = Object.fromEntries(COUNTS.map((name) => [name, countOf(texts[name])]));
  for (const name of SHARES) found[name] = shareOf(name, texts[name], found.people?.value);
  if (found.baseline?.value === 0 && found.baseline.open === 0) found.baseline = wrong("no_baseline");
  return found;
}
