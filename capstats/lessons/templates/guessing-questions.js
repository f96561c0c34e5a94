// Guessing is not predicting: the guess about the second guesser, and the questions.

predict("second", {
  start: () => grow((share) => {
    state.turned = Math.max(share, 0.01);
    pictures[1]();
  }),
  value: () => correctPredictions(state.o, state.s) / people(),
  text: (share) => number(share * people()),
  mark: (share) => `${number(share * people())} with A`,
  say: (guess, value) => {
    const first = averageCap(state.o, state.s);
    const counted = (share) => number(share * people());
    if (`${state.original} ${state.release}` !== START.join(" ")) {
      return `At ${clinics[state.original]} with ${released()}, the first is right about ${counted(first)} people, the second about ${counted(value)}.`;
    }
    const mistake = [
      [value, "Well guessed. "],
      [first, "That is the first guesser. "],
      [1 / 3, "One in three would be pure chance. "],
      [correctPredictions(state.o, state.o) / people(), "That many would be right with the original itself. "],
    ].find(([other]) => Math.abs(guess - other) < 0.016);
    return `${mistake?.[1] ?? ""}Only ${counted(value)}: asthma is the commonest in A, a random table, at every age, and the fewest people `
      + `have it. Average CAP, ${inPercent(first)}, is about the first alone.`;
  },
});

const ASKED = given.originals.O_3;
const NAMED = Object.keys(LETTERS).slice(0, 2); // A and B
others.counts = () => [
  ...[...NAMED.map((name) => [given.synthetics[name], `release ${LETTERS[name]}`]), [ASKED, "the original"]].flatMap(([s, whose]) => [
    [correctPredictions(ASKED, s), `the second guesser's right guesses with ${whose}`],
    [total(ASKED) - correctPredictions(ASKED, s), `the second guesser's wrong guesses with ${whose}`],
    [Math.round(averageCap(ASKED, s) * total(ASKED)), `the first guesser's right guesses with ${whose}`]]),
  ...countsOf(ASKED, "patients", AGED, WITH),
  ...NAMED.flatMap((name) => countsOf(given.synthetics[name], `records of ${LETTERS[name]}`, AGED, WITH)),
];
/** Puts the patients of the lesson and a release on the page. */
const put = (name) => () => {
  take(START[0], name);
  update();
};
/** Checks the release on the page: average CAP below that of another release and more people predicted; or above it and fewer. */
const wanted = (release, below, people) => () => {
  const [average, predicted] = [averageCap(state.o, state.s), correctPredictions(state.o, state.s)];
  const other = averageCap(ASKED, given.synthetics[release]);
  if (state.original !== START[0]) return "choose clinic 3 first.";
  if (below ? average >= other : average <= other) return `average CAP is ${inPercent(average)}, which is not ${below ? "below" : "above"} ${inPercent(other)}.`;
  return (below ? predicted > people : predicted < people) || `${number(predicted)} people are predicted; ${below ? "more" : "fewer"} than ${people} are wanted.`;
};

ask("order", { load: put("S_b") });
ask("itself", {
  load: put("S_b"),
  of: () => total(ASKED),
  check: (answer) => answer === correctPredictions(ASKED, ASKED) || "add up the greatest count of each age group.",
  wrong: [
    [total(ASKED), "that is everybody. People of one age group differ in their diagnosis, and she names one."],
    [total(ASKED) / 3, "that is one in three, pure chance. She knows the age group."],
    [Math.max(...targetTotals(ASKED)), "that is one diagnosis for everybody. She names one for each age group."],
    [Math.max(...ASKED.flat()), "that is one age group. Add the greatest counts of all three."],
  ],
});
ask("lower", { load: put("S_b"), check: wanted("S_b", true, 350) });
ask("higher", { load: put("S_g"), check: wanted("S_g", false, 150) });
