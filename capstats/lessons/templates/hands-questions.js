// CAP with your hands: the guess about Ann, and the questions.

predict("ann", {
  start: () => {
    find(".stage").classList.add("guessed");
    render();
  },
  value: () => individualCap(tables.s, "drop")[0][0],
  say: (guess, value) => {
    const [ours, all] = [tables.s[0][0], keyTotals(tables.s)[0]];
    if (!all) return "Nobody of Ann's age is in the release, so there is nothing to guess her diagnosis from.";
    const atStart = JSON.stringify(tables.s) === JSON.stringify(given.s);
    const mistake = atStart && [
      [value, "Well guessed: "],
      [1 - value, `${all - ours} of ${all} have diabetes. `],
      [ours / total(given.s), `${ours} of ${total(given.s)} would be of all records; he looks at Ann's age only. `],
      [targetTotals(given.s)[0] / total(given.s), "That is the share of asthma among all records; he looks at Ann's age only. "],
      [individualCap(given.o)[0][0], "That is the share among the original people of Ann's age, whom he never sees. "],
      [0.5, "Asthma or diabetes is no toss of a coin. "],
    ].find(([other]) => Math.abs(guess - other) < 0.026);
    return `${mistake?.[1] ?? ""}${ours} of the ${counted(all, "record", "records")} aged 40 to 65 ${ours === 1 ? "has" : "have"} asthma: ${risk(0, 0)} is Ann's Correct `
      + "Attribution Probability, CAP.";
  },
});

const everyTable = () => [[tables.o, "original people"], [tables.s, "records of the release"]];
others.counts = () => everyTable().flatMap(([table, what]) => countsOf(table, what, AGED, WITH));
others.shares = () => [[averageCap(tables.o, tables.s), "the average CAP of the release"],
  [averageCap(tables.o, tables.o), "the average CAP of the original itself"], [baselineCap(tables.o), "the baseline, a guess without a release"],
  ...everyTable().flatMap(([table, what]) => sharesOf(table, what, AGED, WITH))];

/** A check of a release, and why it cannot be made yet. */
const ofRelease = (check) => () => {
  if (JSON.stringify(tables.o) !== JSON.stringify(given.o)) return 'the original was changed. Press "Back to the start" first.';
  return total(tables.s) ? check(tables) : "the release has no record.";
};
/** Puts tables on the page: the original of the start with this release. */
const put = (s) => () => change((all) => Object.assign(all, { o: copy(given.o), s: copy(s) }));
/** Matches a share, computed from the tables that are on the page. */
const share = (of) => (answer) => isAbout(answer, of(tables));

const CHANGED = [[3, 1], [5, 11]];
find("[data-question=predict] form").before(tableOf(CHANGED, given.ages, given.diagnoses, { class: "on-paper" }));
ask("predict", {
  load: put(CHANGED),
  check: (answer) => {
    const m = keyTotals(tables.s)[0];
    if (m === 0) return 'nobody aged 40 to 65 is in the release. Press "Back to the start".';
    return isAbout(answer, tables.s[0][0] / m) || "it is a share among the records aged 40 to 65.";
  },
  wrong: [
    [share(({ s }) => s[1][0] / keyTotals(s)[0]), "these are the records with diabetes. Ann has asthma."],
    [share(({ s }) => s[0][0] / total(s)), "this is the share among all records. The neighbour looks at Ann's age only."],
    [share(() => individualCap(given.s)[0][0]), "this was the release before. Count the records aged 40 to 65 again."],
    [share(({ s }) => s[0][0] / s[1][0]), "this is asthma to diabetes. Divide asthma by all records aged 40 to 65."],
    [share(() => 0.5), "the two are not equally probable: one of them has more records aged 40 to 65."],
    [(answer) => Number.isInteger(answer) && answer === tables.s[0][0], "this is how many have asthma. Divide by all records aged 40 to 65."],
  ],
  after: () => `${tables.s[0][0]} of the ${keyTotals(tables.s)[0]} records aged 40 to 65 have asthma. The original only decides whose risk it is.`,
});

ask("exposed", {
  check: ofRelease(({ o, s }) => {
    const certain = places.some(([i, j]) => o[i][j] > 0 && individualCap(s)[i][j] === 1);
    const low = !atMost(averageCap(o, o), averageCap(o, s));
    if (certain && low) return true;
    if (certain) return "one person is exposed, but the average is not below that of the original. Look for a cell with fewer people.";
    return low ? "the average is low enough, but nobody has a CAP of 100 %." : "the average is too high, and nobody has a CAP of 100 %.";
  }),
});

ask("least", {
  check: ofRelease(({ o, s }) => {
    const [value, least] = [averageCap(o, s), minimumCap(o)];
    return same(value, least) || `the average is ${inPercent(value)}, and ${inPercent(least)} is possible.`;
  }),
});

ask("risky", {
  check: ofRelease(({ o, s }) => {
    const [q, own] = [individualCap(s), individualCap(o)];
    if (!same(averageCap(o, s), averageCap(o, o))) return `the average is ${inPercent(averageCap(o, s))}, and ${inPercent(averageCap(o, o))} is wanted.`;
    const equal = places.filter(([i, j]) => o[i][j] > 0 && same(q[i][j], own[i][j])).map(([i, j]) => named(i, j));
    return equal.length === 0 || `the average is right, but some people have the CAP of the original: ${equal.join(", ")}.`;
  }),
});

ask("above", {
  load: put(given.o),
  check: ofRelease(({ o, s }) => {
    const [value, own, greatest] = [averageCap(o, s), averageCap(o, o), maximumCap(o)];
    if (same(value, greatest)) return true;
    return atMost(value, own) ? `the average is ${inPercent(value)}, and the original itself has ${inPercent(own)}. More is possible.`
      : `the average is ${inPercent(value)}, above the ${inPercent(own)} of the original itself. A release can have still more.`;
  }),
  after: () => `It is greatest if everybody in the release has the commonest target of their key (Lemma 1): ${inPercent(maximumCap(tables.o))}. `
    + `The original itself has ${inPercent(averageCap(tables.o, tables.o))}.`,
});

ask("unmatched", {
  check: ofRelease(({ o, s }) => {
    if (matchedRecords(o, s) === total(o)) return "all keys are in the release, so both versions are the same.";
    const [one, two, base] = [averageCap(o, s), averageCap(o, s, "drop"), baselineCap(o)];
    if (one >= base) return `version 1 is ${inPercent(one)}, which is not below the baseline ${inPercent(base)}.`;
    return two > base || `version 2 is ${inPercent(two)}, which is not above the baseline ${inPercent(base)}.`;
  }),
});

ask("hidden", {
  load: put(given.s.map(([younger]) => [younger, 0])),
  of: () => total(tables.o),
  check: (answer) => {
    const m = keyTotals(tables.s);
    if (m[1] > 0) return "there are still records over 65 in the release.";
    if (m[0] === 0) return "leave some records aged 40 to 65.";
    return answer === keyTotals(tables.o)[0] || "count the original people whose key is in the release.";
  },
  wrong: [
    [(answer) => keyTotals(tables.s)[1] === 0 && answer === total(tables.o), "this is everybody, over whom version 1 averages."],
    [(answer) => keyTotals(tables.s)[1] === 0 && answer === keyTotals(tables.s)[0], "these are the records aged 40 to 65. Whose risks are averaged?"],
    [(answer) => keyTotals(tables.s)[1] === 0 && answer === 0, "records aged 40 to 65 are still there, so the risks of these people are averaged."],
  ],
});
