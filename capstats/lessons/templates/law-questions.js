// Does a blind table pass? The questions.

/** A count of failing tables: those that lie within these bounds. */
const between = (least, greatest) => (answer) => answer >= least && answer <= greatest;

ask("fail", {
  of: () => 10000,
  check: (answer) => between(60, 65)(answer) || "the exact share that passes is among the exact numbers; the others fail.",
  wrong: [
    [between(9935, 9940), "this is how many pass. How many fail?"],
    [between(0.993, 0.9945), "this is the share that passes. How many of 10,000 fail?"],
    [6, "that is for 1,000 tables; here 10,000 are drawn."],
    [between(600, 650), "that is for 100,000 tables: ten times too many."],
    [between(41, 45), "that is where the age group says more. Choose clinic 4."],
    [between(210, 211), "that is with 30 records. Choose 900."],
    [between(462, 463), "that is with 10 records. Choose 900."],
    [5000, "half would fail if the real data lay in the middle of the law. They lie far to the right."],
    [0, "a few do fail: draw 1,000 a few times."],
    [10000, "blind tables nearly all pass; you are asked how many fail."],
    [between(4439, 4440), "that is the baseline, a risk of people. The share of tables is asked for."],
    [between(4870, 4875), "that is CAP(O), a risk of people. The share of tables is asked for."],
  ],
  load: () => put("O_4"),
});
ask("even", {
  check: () => {
    if (!isOwn()) return "choose \u201cMy own\u201d and change its counts.";
    const { limit } = exact();
    return (limit < 0.6 && total(table()) >= 20) || `${(100 * limit).toFixed(1)} % of all tables pass.`;
  },
  wrong: [
    [() => isOwn() && empty(), "there are no people."],
    [() => isOwn() && total(table()) < 20, "at least 20 people are needed."],
    [() => isOwn() && !curve().length, "sick and healthy are equally many in each age group, so every table has the same average and passes."],
    [() => isOwn() && atMost(maximumCap(table()), itself()), "no table is above these people, so all pass."],
  ],
  load: () => { if (!isOwn()) put("own"); },
  after: () => `Here ${(100 * exact().limit).toFixed(1)} % pass. The test can fail where the age tells next to nothing, which is where nobody needs it.`,
});
ask("never", {
  check: () => {
    if (!isOwn()) return "choose \u201cMy own\u201d and change its counts.";
    return (atMost(maximumCap(table()), itself()) && atMost(itself(), 0.6)) || "some table has a greater average risk: the one with all records of an age group on its most frequent target.";
  },
  wrong: [
    [() => isOwn() && empty(), "there are no people."],
    [() => isOwn() && !atMost(itself(), 0.6) && atMost(maximumCap(table()), itself()), "no table can fail, but CAP(O) is above 60 %: here everybody's age gives the diagnosis away."],
    [() => isOwn() && !atMost(itself(), 0.6), "CAP(O) is above 60 %."],
  ],
  load: () => { if (!isOwn()) put("own"); },
});
ask("reason", { load: () => put("O_1") });
