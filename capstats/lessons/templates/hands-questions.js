// CAP with your hands: the guess about Ann, and the questions.

predict("ann", {
  start: () => {
    find(".stage").classList.add("guessed");
    render();
  },
  value: () => individualCap(tables.s, "drop")[0][0],
  say: (guess, value) => {
    const [sick, all] = [tables.s[0][0], keyTotals(tables.s)[0]];
    if (!all) return "No smoker is in the release, so there is nothing to guess Ann's health from.";
    const atStart = JSON.stringify(tables.s) === JSON.stringify(given.s);
    const mistake = atStart && [
      [value, "Well guessed: "],
      [1 - value, `${all - sick} of ${all} are the healthy. `],
      [sick / total(given.s), `${sick} of ${total(given.s)} would be of all records; he looks up smokers only. `],
      [targetTotals(given.s)[0] / total(given.s), "That is the share of the sick among all records; he looks up smokers only. "],
      [individualCap(given.o)[0][0], "That is the share among the original smokers, whom he never sees. "],
      [0.5, "Sick or healthy is no toss of a coin. "],
    ].find(([other]) => Math.abs(guess - other) < 0.026);
    return `${mistake?.[1] ?? ""}${sick} of the ${counted(all, "smoker", "smokers")} in the release ${sick === 1 ? "is" : "are"} sick: ${risk(0, 0)} is Ann's Correct `
      + "Attribution Probability, CAP.";
  },
});

const QUALITIES = [["that smoke", "that do not smoke"], ["that are sick", "that are healthy"], " and "];
const everyTable = () => [[tables.o, "original people"], [tables.s, "records of the release"]];
others.counts = () => everyTable().flatMap(([table, what]) => countsOf(table, what, ...QUALITIES));
others.shares = () => [[averageCap(tables.o, tables.s), "the average CAP of the release"],
  [averageCap(tables.o, tables.o), "the average CAP of the original itself"], [baselineCap(tables.o), "the baseline, a guess without a release"],
  ...everyTable().flatMap(([table, what]) => sharesOf(table, what, ...QUALITIES))];

/** Why a release cannot be judged yet; nothing if it can. */
const unready = () => (JSON.stringify(tables.o) === JSON.stringify(given.o) ? !total(tables.s) && "the release has no record."
  : 'the original was changed. Press "Back to the start" first.');
/** Puts tables on the page: the original of the start with this release. */
const put = (s) => () => change((all) => Object.assign(all, { o: copy(given.o), s: copy(s) }));
/** Matches a share, computed from the tables that are on the page. */
const share = (of) => (answer) => isAbout(answer, of(tables));

const CHANGED = [[3, 1], [5, 11]];
find("[data-question=predict] form").before(tableOf(CHANGED, KEYS.map((key) => `${key}s`), TARGETS, { class: "on-paper" }));
ask("predict", {
  load: put(CHANGED),
  check: (answer) => {
    const m = keyTotals(tables.s)[0];
    if (m === 0) return 'there is no smoker in the release. Press "Back to the start".';
    return isAbout(answer, tables.s[0][0] / m) || "it is a share among the smokers of the release.";
  },
  wrong: [
    [share(({ s }) => s[1][0] / keyTotals(s)[0]), "these are the healthy smokers of the release. Ann is sick."],
    [share(({ s }) => s[0][0] / total(s)), "this is the share among all records. The neighbour looks up smokers only."],
    [share(() => individualCap(given.s)[0][0]), "this was the release before. Count the smokers again."],
    [share(({ s }) => s[0][0] / s[1][0]), "this is sick to healthy. Divide the sick by all smokers."],
    [share(() => 0.5), "the two are not equally probable: one of them has more smokers in the release."],
    [(answer) => Number.isInteger(answer) && answer === tables.s[0][0], "this is how many are sick. Divide by all smokers of the release."],
  ],
  after: () => `${tables.s[0][0]} of the ${keyTotals(tables.s)[0]} smokers in the release are sick. The original only decides whose risk it is.`,
});

ask("exposed", {
  check: () => {
    const { o, s } = tables;
    if (unready()) return unready();
    const certain = places.some(([i, j]) => o[i][j] > 0 && individualCap(s)[i][j] === 1);
    const low = !atMost(averageCap(o, o), averageCap(o, s));
    if (certain && low) return true;
    if (certain) return "one person is exposed, but the average is not below that of the original. Look for a cell with fewer people.";
    return low ? "the average is low enough, but nobody has a CAP of 100 %." : "the average is too high, and nobody has a CAP of 100 %.";
  },
});

ask("least", {
  check: () => {
    const { o, s } = tables;
    if (unready()) return unready();
    const [value, least] = [averageCap(o, s), minimumCap(o)];
    return same(value, least) || `the average is ${inPercent(value)}, and ${inPercent(least)} is possible.`;
  },
});

ask("risky", {
  check: () => {
    const { o, s } = tables;
    if (unready()) return unready();
    const [q, own] = [individualCap(s), individualCap(o)];
    if (!same(averageCap(o, s), averageCap(o, o))) return `the average is ${inPercent(averageCap(o, s))}, and ${inPercent(averageCap(o, o))} is wanted.`;
    const equal = places.filter(([i, j]) => o[i][j] > 0 && same(q[i][j], own[i][j])).map(([i, j]) => named(i, j));
    return equal.length === 0 || `the average is right, but some people have the CAP of the original: ${equal.join(", ")}.`;
  },
});

ask("above", {
  load: put(given.o),
  check: () => {
    const { o, s } = tables;
    if (unready()) return unready();
    const [value, own, greatest] = [averageCap(o, s), averageCap(o, o), maximumCap(o)];
    if (same(value, greatest)) return true;
    return atMost(value, own) ? `the average is ${inPercent(value)}, and the original itself has ${inPercent(own)}. More is possible.`
      : `the average is ${inPercent(value)}, above the ${inPercent(own)} of the original itself. A release can have still more.`;
  },
  after: () => `It is greatest if everybody in the release has the commonest target of their key (Lemma 1): ${inPercent(maximumCap(tables.o))}. `
    + `The original itself has ${inPercent(averageCap(tables.o, tables.o))}.`,
});

ask("unmatched", {
  check: () => {
    const { o, s } = tables;
    if (unready()) return unready();
    if (matchedRecords(o, s) === total(o)) return "all keys are in the release, so both versions are the same.";
    const [one, two, base] = [averageCap(o, s), averageCap(o, s, "drop"), baselineCap(o)];
    if (one >= base) return `version 1 is ${inPercent(one)}, which is not below the baseline ${inPercent(base)}.`;
    return two > base || `version 2 is ${inPercent(two)}, which is not above the baseline ${inPercent(base)}.`;
  },
});

ask("hidden", {
  load: put(given.s.map(([smokers]) => [smokers, 0])),
  of: () => total(tables.o),
  check: (answer) => {
    const m = keyTotals(tables.s);
    if (m[1] > 0) return "there are still non-smokers in the release.";
    if (m[0] === 0) return "leave some smokers in the release.";
    return answer === keyTotals(tables.o)[0] || "count the original people whose key is in the release.";
  },
  wrong: [
    [(answer) => keyTotals(tables.s)[1] === 0 && answer === total(tables.o), "this is everybody, over whom version 1 averages."],
    [(answer) => keyTotals(tables.s)[1] === 0 && answer === keyTotals(tables.s)[0], "these are the smokers of the release. Whose risks are averaged?"],
    [(answer) => keyTotals(tables.s)[1] === 0 && answer === 0, "the smokers are still in the release, so their risks are averaged."],
  ],
});
