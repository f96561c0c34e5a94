// CAP with your hands: the questions.

const EMPTY = "the release has no record.";
const fresh = () => JSON.stringify(tables.o) === JSON.stringify(given.o);
const RESTORE = 'the original was changed. Press "Back to the start" first.';
/** Why a release cannot be judged yet; nothing if it can. */
const unready = () => (fresh() ? !total(tables.s) && EMPTY : RESTORE);

ask("predict", {
  check: (answer) => {
    const m = keyTotals(tables.s)[0];
    if (m === 0) return 'there is no smoker in the release. Press "Back to the start".';
    return isAbout(answer, tables.s[0][0] / m) || "it is a share among the synthetic smokers.";
  },
  hints: ["How many smokers are in the release?", "How many of these are sick? The neighbour picks one of the smokers at random."],
  after: () => `${tables.s[0][0]} of the ${keyTotals(tables.s)[0]} synthetic smokers are sick. Only the release is looked up; the original decides whose `
    + "risk it is.",
});

ask("sum", {
  check: (answer) => answer === "falls" || {
    same: "one guess of the two is right. Can both become more likely?",
    nothing: "the smokers in the release are either sick or healthy. Change one and look at both cells.",
    depends: "look at the fractions: 2/7 and 5/7. What is their sum?",
  }[answer],
  hints: ["Move one synthetic smoker from sick to healthy and compare both CAP values before and after.", "2/7 + 5/7 = 1."],
  after: "The CAP values of a key add up to 1 over the targets, as long as the key is in the release (Theorem 1). What protects some people puts "
    + "others at risk.",
});

ask("exposed", {
  check: () => {
    const { o, s } = tables;
    if (unready()) return unready();
    const certain = places.some(([i, j]) => o[i][j] > 0 && individualCap(s)[i][j] === 1);
    const low = !atMost(averageCap(o, o), averageCap(o, s));
    if (certain && low) return true;
    if (certain) return "one person is exposed, but the average is not below that of the original. Look for a cell with fewer people.";
    return low ? "the average is low enough, but nobody has a CAP of 1." : "the average is too high, and nobody has a CAP of 1.";
  },
  hints: ["A CAP of 1 needs a key whose synthetic records all have the same target.", "There is a single sick non-smoker. Make all synthetic non-smokers sick."],
  after: "The average went down because many people became safer; it does not say that somebody became certain.",
});

ask("least", {
  check: () => {
    const { o, s } = tables;
    if (unready()) return unready();
    const [value, least] = [averageCap(o, s), minimumCap(o)];
    return same(value, least) || `the average is ${shown(value)}, and ${shown(least)} is possible.`;
  },
  hints: ["A record in a cell makes the people of that cell easier to guess. Which cell of the original has the fewest people?",
    "An unmatched key counts 0. Put all records into the smallest cell."],
  after: "All records lie in the smallest cell of the original (Theorem 2). The release is of no use, and the one sick non-smoker, "
    + "whom it describes, is known with certainty: the smallest average hides the greatest risk.",
});

ask("risky", {
  check: () => {
    const { o, s } = tables;
    if (unready()) return unready();
    const [q, own] = [individualCap(s), individualCap(o)];
    if (!same(averageCap(o, s), averageCap(o, o))) return `the average is ${shown(averageCap(o, s))}, and ${shown(averageCap(o, o))} is wanted.`;
    const kept = places.filter(([i, j]) => o[i][j] > 0 && same(q[i][j], own[i][j])).map(([i, j]) => named(i, j));
    return kept.length === 0 || `the average is right, but some people have the CAP of the original: ${kept.join(", ")}.`;
  },
  hints: ["What the smokers gain, the non-smokers have to lose. Try a release in which no smoker is sick.",
    "With no sick smoker in the release, 1 of 5 non-smokers has to be sick."],
  after: "Equal averages, other people at risk. An average that equals the original's is no sign of a copy.",
});

ask("above", {
  check: () => {
    const { o, s } = tables;
    if (unready()) return unready();
    const [value, own, greatest] = [averageCap(o, s), averageCap(o, o), maximumCap(o)];
    if (same(value, greatest)) return true;
    return atMost(value, own) ? `the average is ${shown(value)}, and the original with itself has ${shown(own)}. More is possible.`
      : `the average is ${shown(value)}, above the ${shown(own)} of the original with itself. A release can have still more.`;
  },
  hints: ["Most smokers of the original are healthy. What if all synthetic smokers are?", "Make everybody in the release healthy, with smokers among them."],
  after: () => `The average is greatest if everybody in the release has the commonest target of their key (Lemma 1): ${shown(maximumCap(tables.o))}. `
    + `The original with itself has ${shown(averageCap(tables.o, tables.o))}: a high mark, but not the highest.`,
});

ask("unmatched", {
  check: () => {
    const { o, s } = tables;
    if (unready()) return unready();
    if (matchedRecords(o, s) === total(o)) return "all keys are in the release, so both versions are the same.";
    const [one, two, base] = [averageCap(o, s), averageCap(o, s, "drop"), baselineCap(o)];
    if (one >= base) return `version 1 is ${shown(one)}, which is not below the baseline ${shown(base)}.`;
    return two > base || `version 2 is ${shown(two)}, which is not above the baseline ${shown(base)}.`;
  },
  hints: ["Take one of the two keys out of the release.", "Take the smokers out, and make most synthetic non-smokers healthy."],
  after: "The same release looks safe in version 1 and risky in version 2. Say which version a number is, and how many people it is about.",
});

ask("hidden", {
  of: () => total(tables.o),
  check: (answer) => {
    const m = keyTotals(tables.s);
    if (m[1] > 0) return "there are still non-smokers in the release.";
    if (m[0] === 0) return "leave some smokers in the release.";
    return answer === keyTotals(tables.o)[0] || "count the original people whose key is in the release.";
  },
  hints: ["Version 2 leaves out everybody whose key is not in the release.", "Count the original smokers, sick and healthy."],
  after: "Version 2 says nothing about the others. This intruder finds nobody with their key; one who takes the nearest key may still guess. Their "
    + "number belongs beside the average.",
});
