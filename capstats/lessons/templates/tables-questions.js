// Three harmless tables: the guess, and the questions.

find(".predict input").value = 0; // as if the tables were harmless
predict("certain", {
  value: () => certain(told(state.way)[1]) / people,
  text: (share) => String(Math.round(share * people)),
  say: (guess, value) => {
    const found = `${Math.round(value * people)} of ${people} votes are certain.`;
    if (state.way !== "exact") return found;
    const mistake = Math.round((guess - value) * people) === 0 ? "Well guessed. " : guess < 0.017 ? "Nobody from one table alone, but together: " : "";
    return `${mistake}${found} Ann voted ${VOTES[1]}, and so did all of her age and party.`;
  },
});

ask("fewest", {
  of: () => 9,
  check: (answer) => answer === 4 || "how many of the 7 can be of the right?",
  wrong: [
    [3, "3 is how many of the 7 can be of the right, at most. The others are of the left."],
    [7, "some of the 7 may be of the right."],
    [0, "if none of the left voted no, who are the 7? Only 3 of the right voted no."],
    [2, "then 5 would have to be of the right, where only 3 voted no."],
    [1, "then 6 would have to be of the right, where only 3 voted no."],
    [5, "only 4 people are under 40 and of the left."],
    [9, "9 is everybody under 40."],
  ],
});
