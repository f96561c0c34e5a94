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

ask("order", { load: put("S_a") });
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
});
ask("lower", {
  load: put("S_a"),
  check: wanted("S_a", true, 400),
});
ask("higher", {
  load: put("S_e"),
  check: wanted("S_e", false, 100),
});
ask("agree", { load: put("S_a") });
