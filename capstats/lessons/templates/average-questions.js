// The average hides people: the questions, about the patients with A and B unless the page itself is checked.

const nearlyNone = total(patients) - above(patients, releases.A, 0.1);
const atStart = () => state.names.o === "O_3" && state.names.left === "S_b" && state.names.right === "S_g";
const load = () => {
  if (drawn !== releases) change(0);
  restart();
  find("#explore").open ||= find("#asks").open;
};
const keepOwn = () => {
  if (SIDES.every((side) => state.names[side] !== "own")) load(); // a table that was typed is kept
};
const [withAsthma, overall] = [at(releases.A, worst), keyTotals(releases.A)[worst[1]]];
const atRiskPeople = above(patients, releases.A, 0.5);
const everyTable = [[patients, "patients"], [releases.A, "records of A"], [releases.B, "records of B"]];
others.counts = () => everyTable.flatMap(([table, what]) => countsOf(table, what, AGED, WITH));
others.shares = () => [[averages.A, "the average of A"], [averages.B, "the average of B"],
  [averageCap(patients, patients), "the average of the original itself"],
  ...everyTable.flatMap(([table, what]) => sharesOf(table, what, AGED, WITH))];

ask("lower", { load, after: `${percent(averages.A)} against ${percent(averages.B)}. The next questions look at the people.` });

ask("above", {
  load,
  of: () => total(patients),
  check: (reply) => reply === atRiskPeople || "count the dots of A to the right of 50 %: the number below them is that count.",
  wrong: [
    [exposed, `these are the people at ${percent(riskOf("A", worst))}. Another group is above a half too.`],
    [at(patients, atRisk[1]), `these are the people at ${percent(riskOf("A", atRisk[1]))}. Another group is above a half too.`],
    [0, "that is B: with it nobody is above a half. Look at A."],
    [total(patients) - atRiskPeople, "these are the people at a half or below. How many are the others?"],
    [total(patients), "that is everybody. Count those to the right of 50 %."],
    [total(patients) / 2, "half of the people is something else: a guess about each of them must be right with more than one half."],
    [nearlyNone, "these are the people with a risk below 10 %, at the other end."],
  ],
  after: () => `With B there ${above(patients, releases.B, 0.5) === 0 ? "is nobody" : `are ${above(patients, releases.B, 0.5)}`}.`,
});

const wrongGroup = (cell) => [cell.join("-"), `they are at ${percent(riskOf("A", cell))}. Others are farther to the right.`];
ask("riskiest", {
  load,
  check: (reply) => reply === worst.join("-") || "look for the dots farthest to the right.",
  wrong: held.filter((cell) => cell !== worst).map(wrongGroup).concat([["0-2", `they are at ${percent(risks.A[0][2])}: few records over 65 have diabetes in A.`]]),
  after: `These ${exposed} people have a risk of ${percent(riskOf("A", worst))}: ${withAsthma} of the ${overall} records of A that are over 65 have asthma.`,
});

ask("others", {
  load,
  check: (reply) => isAbout(reply, riskOf("B", worst)) || "look for the same age and diagnosis among the dots of B.",
  wrong: [
    [riskOf("A", worst), "that is A."],
    [1 - riskOf("B", worst), "that is the probability that the guess is wrong."],
  ],
  after: `It is ${percent(riskOf("B", worst))}, the highest of all with B. With A it is nearly twice as much.`,
});

ask("why", {
  load,
  after: `With A ${nearlyNone} people have a risk below 10 %. In the average they make up for the ${exposed} at the other end; but `
    + "nobody is safer because somebody else is.",
});

ask("turned", {
  load,
  check: () => {
    if (!atStart()) return 'choose clinic 3, A and B: "Back to A and B" does.';
    const [a, b] = [above(patients, releases.A, state.threshold), above(patients, releases.B, state.threshold)];
    return b > a || `at ${inPercent(state.threshold)} there are ${a} people with A and ${b} with B.`;
  },
});

ask("better", {
  load: () => {
    keepOwn();
    put("o", copy(patients), "O_3");
  },
  check: () => {
    if (state.names.o !== "O_3") return "choose clinic 3.";
    const said = [];
    for (const side of SIDES) {
      const s = state[side];
      if (total(s) === 0) continue;
      const [value, most] = [averageCap(patients, s), highest(patients, s)];
      if (!atMost(averages.A, value) && atMost(most, 0.5)) return true;
      said.push(`${title(side)} has an average of ${inPercent(value)} and a highest risk of ${inPercent(most)}`);
    }
    return said.length ? `${said.join("; ")}.` : "the releases have no record.";
  },
});

ask("blind", {
  load: keepOwn,
  check: () => {
    const [a, b] = SIDES.map((side) => averageCap(state.o, state[side]));
    const [x, y] = SIDES.map((side) => highest(state.o, state[side]));
    if (!total(state.o)) return "the original has no people.";
    if (Math.abs(a - b) > 1e-9) return `the averages are ${inPercent(a)} and ${inPercent(b)}.`;
    return Math.abs(x - y) >= 0.3 - 1e-12 || `the averages are the same; the highest risk is ${inPercent(x)} and ${inPercent(y)}.`;
  },
  after: () => (state.names.o === "O_1" ? "In clinic 1 all groups are equal. What one diagnosis of an age group gains, the others lose (Theorem 1), so every "
    + "release with all three age groups has the average 33.3 %." : "The same average, and other people at risk."),
});

find("#answer").textContent = `With A as it came, ${group(patients, worst)} have a risk of ${percent(riskOf("A", worst))}: whoever knows their age group learns their `
  + `diagnosis almost surely. With B nobody is above ${percent(highest(patients, releases.B))}. The average of A is lower (${percent(averages.A)} against `
  + `${percent(averages.B)}) because ${nearlyNone} other people have a risk below 10 %: the safety of some hides the risk of others. That A is worse is a `
  + `judgement: near-certainty about ${exposed} people weighs more than the lower risk of the others.`;
