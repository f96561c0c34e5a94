// Guessing is not predicting: the guess about the second guesser, and the questions.

predict("second", {
  value: () => correctPredictions(given.originals[START[0]], given.synthetics[START[1]]) / total(given.originals[START[0]]),
  text: (share) => number(share * total(given.originals[START[0]])),
  say: (guess, value) => {
    const [o, s] = [given.originals[START[0]], given.synthetics[START[1]]];
    const [n, first] = [total(o), averageCap(o, s)];
    turn();
    const near = (other) => Math.abs(guess - other) < 0.016;
    const mistake = [
      [value, "Well guessed. "],
      [first, "That is the first guesser. "],
      [1 / 3, "One in three would be pure chance. "],
      [correctPredictions(o, o) / n, "That many would be right with the original itself. "],
    ].find(([other]) => near(other));
    return `${mistake?.[1] ?? ""}Only ${number(value * n)}: asthma is the commonest in A at every age, and the fewest people have it. Average CAP, ${shown(first)}, is about the `
      + "first alone.";
  },
});

const ASKED = given.originals.O_4;
/** Puts clinic 4 and a release on the page. */
const put = (name) => () => {
  take("O_4", name);
  renew();
};
/** Checks the release on the page: average CAP below that of another release and more people predicted; or above it and fewer. */
const wanted = (release, below, people) => () => {
  const [average, predicted] = [averageCap(state.o, state.s), correctPredictions(state.o, state.s)];
  const other = averageCap(ASKED, given.synthetics[release]);
  if (state.original !== "O_4") return "choose clinic 4 first.";
  if (below ? average >= other : average <= other) return `average CAP is ${average.toFixed(3)}, which is not ${below ? "below" : "above"} ${other.toFixed(3)}.`;
  return (below ? predicted > people : predicted < people) || `${number(predicted)} people are predicted; ${below ? "more" : "fewer"} than ${people} are wanted.`;
};

ask("order", {
  load: put("S_a"),
  check: (answer) => answer === "split",
  wrong: [
    ["a", "against the second it is. Compare the first guesser's totals once more."],
    ["e", "against the first it is. Compare the second guesser's totals once more."],
    ["reverse", "it is the other way round: fewer right guesses are safer."],
  ],
  hints: ["Press C and D in turn. Fewer right guesses are safer."],
  after: "Average CAP is 0.318 for C and 0.309 for D, but D lets the second guesser predict 272 people, C only 134: C's commonest diagnoses are rare at clinic 4.",
});
ask("itself", {
  load: put("S_a"),
  of: () => total(ASKED),
  check: (answer) => answer === correctPredictions(ASKED, ASKED) || "add up the greatest count of each age group.",
  wrong: [
    [Math.round(averageCap(ASKED, ASKED) * total(ASKED)), "that is the other guesser, who picks at random."],
    [total(ASKED), "that is everybody. People of one age group differ in their diagnosis, and she names one."],
    [total(ASKED) / 3, "that is one in three, pure chance. She knows the age group."],
    [Math.max(...targetTotals(ASKED)), "that is one diagnosis for everybody. She names one for each age group."],
    [total(ASKED) - correctPredictions(ASKED, ASKED), "these are her wrong guesses."],
    [correctPredictions(ASKED, given.synthetics.S_a), "that is with release C. Press \u201cthe original\u201d."],
    [correctPredictions(ASKED, given.synthetics.S_e), "that is with release D. Press \u201cthe original\u201d."],
    [Math.max(...ASKED.flat()), "that is one age group. Add the greatest counts of all three."],
  ],
  hints: ["Press \u201cthe original\u201d and read the total, or add up the greatest counts of the three age groups."],
  after: "197 + 136 + 198: with the original the guess for each age group is the best possible one. A random guess is right for 439 people.",
});
ask("lower", {
  load: put("S_a"),
  check: wanted("S_a", true, 400),
  hints: [
    "A diagnosis is named for the whole age group if it leads by one record. So give about half of an age group to one that many people have, and the rest to one that few have.",
    "Under 65, in both groups, let asthma lead diabetes by one record, and leave heart disease empty.",
    "Over 65, let asthma lead diabetes by one record, and leave heart disease empty: fewer people are predicted than with heart disease, but average CAP falls below 0.318.",
  ],
  after: "A diagnosis that leads by one record is predicted for everybody, while the random guesser names it in half of the cases or fewer.",
});
ask("higher", {
  load: put("S_e"),
  check: wanted("S_e", false, 100),
  hints: ["Make the rarest diagnosis of each age group the commonest in the release, by one record.", "Give all the other records of the age group to the diagnosis that most people have."],
  after: "The second guesser is led astray in every age group, and the first still profits from the second commonest diagnosis.",
});
ask("agree", {
  load: put("S_a"),
  check: (answer) => answer === "itself",
  wrong: [
    ["pure", "with a single diagnosis there is nothing else to name, so both name it."],
    ["even", "if all tie, the second guesser names each of them equally often, as the first does."],
  ],
  hints: ["With one diagnosis there is nothing to choose. And what does the second guesser do if all tie?"],
  after: "With the original the second guesser has 531 right, the first 439.",
});
