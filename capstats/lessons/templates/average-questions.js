// The average hides people: the questions, about O_3 with S_b and S_g unless the page itself is checked.

const paper = { o: given.originals.O_3, b: given.synthetics.S_b, g: given.synthetics.S_g };
const averages = { b: averageCap(paper.o, paper.b), g: averageCap(paper.o, paper.g) };
const risks = { b: individualCap(paper.b), g: individualCap(paper.g) };
const worst = cells.reduce((a, b) => (risks.b[b[0]][b[1]] > risks.b[a[0]][a[1]] && paper.o[b[0]][b[1]] > 0 ? b : a), [2, 0]);
const exposed = paper.o[worst[0]][worst[1]];
const nearlyNone = total(paper.o) - above(paper.o, paper.b, 0.1);
const atStart = () => state.names.o === "O_3" && state.names.left === "S_b" && state.names.right === "S_g";

ask("lower", {
  check: (answer) => answer === "S_b" || "the lower average is the safer one, if the average is all that you know.",
  hints: ["Compare the two large numbers above the dots.", "Smaller is safer."],
  after: `${shown(averages.b)} against ${shown(averages.g)}. The next questions look at the people.`,
});

ask("above", {
  of: () => total(paper.o),
  check: (answer) => answer === above(paper.o, paper.b, 0.5) || "count the dots to the right of 0.5 with S_b: the number below them is that count.",
  hints: ['Press "Show the people" and put the threshold at 0.5. "Back to the start" brings O_3, S_b and S_g back.', "Read the number below the dots of S_b."],
  after: () => `With S_g there ${above(paper.o, paper.g, 0.5) === 0 ? "is nobody" : `are ${above(paper.o, paper.g, 0.5)}`}.`,
});

ask("riskiest", {
  check: (answer) => answer === worst.join("-") || "they are at a lower place. Look for the dots farthest to the right.",
  hints: ["Point at the dots farthest to the right in S_b, or go to them with Tab.", "The highest CAP is in the table too."],
  after: `These ${exposed} people have a CAP of ${shown(risks.b[worst[0]][worst[1]])}: ${paper.b[worst[0]][worst[1]]} of the `
    + `${keyTotals(paper.b)[worst[1]]} records of S_b with ${KEYS[worst[1]]} have ${TARGETS[worst[0]]}.`,
});

ask("others", {
  check: (answer) => isAbout(answer, risks.g[worst[0]][worst[1]]) || "look for the same key and target among the dots of S_g.",
  hints: ["Point at the people of the last question: they light up in both releases.", `They have ${KEYS[worst[1]]} and ${TARGETS[worst[0]]}.`],
  after: `It is ${shown(risks.g[worst[0]][worst[1]])}, and the highest of all with S_g. With S_b it is nearly twice as much.`,
});

ask("why", {
  check: (answer) => answer === "safe" || {
    fewer: "both releases have 900 records.",
    left: "everybody counts in the average, each person once.",
    keys: "each key has records in both releases.",
  }[answer],
  hints: ["Look at the left end of S_b.", "How many people have a CAP below 0.1? Move the threshold there."],
  after: `With S_b ${nearlyNone} people have a CAP below 0.1. In the average they make up for the ${exposed} at the other end; but `
    + "nobody is safer because somebody else is.",
});

ask("turned", {
  check: () => {
    if (!atStart()) return 'choose O_3, S_b and S_g: "Back to the start" does.';
    const [b, g] = [above(paper.o, paper.b, state.threshold), above(paper.o, paper.g, state.threshold)];
    return g > b || `at ${shown(state.threshold, 2)} there are ${b} people with S_b and ${g} with S_g.`;
  },
  hints: ["Nearly all dots of S_g are between 0.3 and 0.5.", "Try 0.3."],
  after: "One threshold is no better than one average. With S_g many people have a middling risk and nobody a high one; the whole picture shows both.",
});

ask("better", {
  check: () => {
    if (state.names.o !== "O_3") return "choose the original O_3.";
    const said = [];
    for (const side of SIDES) {
      const s = state[side];
      if (total(s) === 0) continue;
      const [value, most] = [averageCap(paper.o, s), highest(paper.o, s)];
      if (!atMost(averages.b, value) && atMost(most, 0.5)) return true;
      said.push(`${title(side)} has an average of ${shown(value)} and a highest CAP of ${shown(most)}`);
    }
    return said.length ? `${said.join("; ")}.` : "the releases have no record.";
  },
  hints: ["Type the numbers of a table. In each key, only the shares of the targets matter.",
    "Nobody has K_1 with T_1 or with T_2: records there put nobody at risk.",
    "In K_2 and K_3 give the rarest target of the original half of the records, and the commonest the fewest."],
  after: "So a low average and a low maximum go together. A release like yours has little to do with the original: look at utility too.",
});

ask("blind", {
  check: () => {
    const [a, b] = SIDES.map((side) => averageCap(state.o, state[side]));
    const [x, y] = SIDES.map((side) => highest(state.o, state[side]));
    if (!total(state.o)) return "the original has no people.";
    if (Math.abs(a - b) > 1e-9) return `the averages are ${shown(a, 4)} and ${shown(b, 4)}.`;
    return Math.abs(x - y) >= 0.3 - 1e-12 || `the averages are the same; the highest CAP is ${shown(x)} and ${shown(y)}.`;
  },
  hints: ["Choose an original in which all cells have the same number of people.", "With O_1, compare S_b with S_g, or with any other release."],
  after: () => (state.names.o === "O_1" ? "In O_1 all cells are equal. What one target of a key gains, the others lose (Theorem 1), so every release "
    + "with all three keys has the average 1/3." : "The same average, and other people at risk."),
});

find("#answer").replaceChildren(...lowered(`With S_b, ${exposed} people with key ${KEYS[worst[1]]} and target ${TARGETS[worst[0]]} have a CAP of `
  + `${shown(risks.b[worst[0]][worst[1]], 2)}: whoever knows their key learns their target almost surely. With S_g nobody is above `
  + `${shown(highest(paper.o, paper.g), 2)}. The average of S_b is lower (${shown(averages.b, 2)} against ${shown(averages.g, 2)}): with it `
  + `${nearlyNone} other people have a CAP below 0.1, and in an average the safety of some hides the risk of others. That S_b is "worse" is a `
  + `judgement: that near-certainty about ${exposed} people weighs more than the lower risk of the others. So look at the distribution of `
  + "individual CAP, and at its upper end, before a release is chosen."));
