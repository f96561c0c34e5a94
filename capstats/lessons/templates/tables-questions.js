// Three harmless tables: the guess, and the questions.

const together = certain(told("exact")[1]);
find(".predict input").value = 0; // as if the tables were harmless
predict("certain", {
  value: () => together / people,
  text: (share) => String(Math.round(share * people)),
  say: (guess, value) => {
    const off = Math.round((guess - value) * people);
    const mistake = off === 0 ? "Well guessed. " : guess < 0.017 ? "Nobody from one table alone, but together: " : "";
    return `${mistake}${together} of ${people} votes are certain. Ann voted ${VOTES[1]}, and so did all of her age and party.`;
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
  hints: ["At most 3 of the 7 are of the right.", "7 \u2212 3 are left over."],
  after: "7 \u2212 3 = 4, and there are just 4: everybody knows how each of them voted.",
});
ask("ten", {
  check: (answer) => answer === "all",
  wrong: [
    ["none", "large counts hide nobody here: 110 under 40 voted no, at most 30 of the centre and 30 of the right. Who are the others?"],
    ["same", "the step is the same, but each group has ten times the people."],
  ],
  hints: ["Repeat the reason for Ann with all numbers times ten: 110 \u2212 30 \u2212 30."],
  after: "What gives people away is not that a count is small, but that the counts leave a single solution.",
});
ask("stops", {
  check: (answer) => answer === "any",
  wrong: [
    ["first", "this does it, but try the other two as well."],
    ["votes", "try it without age and party: then nobody knows how many people are in a group."],
    ["none", "press \u201cWithout age and party\u201d and look at the number of certain votes."],
  ],
  hints: ["Press the three buttons that begin with \u201cWithout\u201d."],
  after: "Each table is harmless beside one of the others; it is the third that gives people away. So look at all that is published, also by others.",
});
