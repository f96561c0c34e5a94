// Choose your protection: the questions.

const TEXTS = { O_3: "Patients, clinic 3", smokers: "Smokers" };
const patients = { n: total(given.O_3), most: averageCap(given.O_3, given.O_3), least: baselineCap(given.O_3), theta: thetaFor(given.O_3, 0.42) };
const [from, to] = [patients.most, patients.least].map((risk) => inPercent(risk));
const own50 = mapped(individualCap(cast), (q, i) => (q > 0.5 ? (q - 0.5) / (q - shares(cast)[i]) : 0)).flat(); // theta for each cell of the patients
others.counts = () => (state.original === "O_3" ? countsOf(cast, "patients", AGED, WITH) : []);
others.shares = () => (state.original === "O_3" ? sharesOf(cast, "patients", AGED, WITH) : []);
const needs = swappedFor(given.O_3, 0.42);

/** A check for which this table has to be on the page. */
const on = (name, check) => (answer) => (state.original === name ? check(answer) : `choose \u201c${TEXTS[name]}\u201d as the original first.`);
/** Explanations that hold only while this table is on the page. */
const onlyOn = (name, list) => list.map(([matcher, text]) => [(answer) => state.original === name && (typeof matcher === "function" ? matcher(answer) : isAbout(answer, matcher)), text]);
const is = (count) => (answer) => answer === Math.round(count);

ask("theta", {
  load: () => put("O_3", "theta"),
  check: on("O_3", (answer) => isAbout(answer, patients.theta) || "put the wanted risk to 42 %, below \u201cFrom a wanted risk\u201d."),
  wrong: onlyOn("O_3", [
    [1 - patients.theta, "this is the share that stays."],
    [0.42, "this is the wanted risk itself. Which share leads to it?"],
    [patients.most - 0.42, "this is how far the risk falls. Divide by how far it can fall."],
    [(patients.most - 0.42) / patients.most, `the risk can fall to ${to} only, not to 0. Divide by ${from} - ${to}.`],
    [0.5, `nearly: with a half it is ${inPercent(methods.theta(given.O_3, 0.5).mean, 2)}.`],
    [1, `then the key tells nothing any more, and the risk is ${to}.`],
    [patients.least, "this is the baseline, where the line ends."],
    [patients.most, "this is CAP(O), where the line begins."],
    [is(needs), "this is a number of records. Give the share."],
  ]),
  hints: [`The risk falls on a straight line from CAP(O), ${from}, to the baseline, ${to}.`, `(${from} - 42 %) / (${from} - ${to})`],
});
ask("exposed", {
  load: () => put("O_3", "theta"),
  check: on("O_3", (answer) => isAbout(answer, Math.max(...own50))
    || (answer > 1 ? "a share is at most 1." : `with ${answer} there are still ${counted(replacing(answer).exposed, "person", "people")} above 50\u00a0%.`)),
  wrong: onlyOn("O_3", [
    [own50[2], "then those over 65 with diabetes are at 50 %. Those under 40 are still above."],
    [patients.theta, "this brings the average to 42 %. The people under 40 are still above 50 %."],
    [1 - Math.max(...own50), "this is the share that stays."],
    [0.5, "with a half, those under 40 are still above 50 %."],
    [1, "it is enough, but less is enough too."],
    [(answer) => answer > Math.max(...own50) && answer < 1, "it is enough, but a little less is enough too."],
  ]),
});
ask("swapped", {
  of: () => patients.n,
  load: () => put("O_3", "swapped"),
  check: on("O_3", (answer) => answer === needs || "put the wanted risk to 42 %, and read the line on swapping."),
  wrong: onlyOn("O_3", [
    [is(needs - 1), "one too few: swapping h records loses (h - 1) / (n - 1) of the link, and this leaves the risk just above 42 %."],
    [is(patients.n - needs), "these stay as they are. How many are swapped?"],
    [is(0.42 * patients.n), "this is 42 % of the people. 42 % is the wanted risk, not the share that is swapped."],
    [is(patients.n / 2), "half is not quite enough: it leaves half of the link."],
    [is((patients.most - 0.42) * patients.n), "this is the fall of the risk times the people. Divide by how far it can fall."],
    [is(patients.n), "then nothing of the link is left. Fewer suffice."],
    [is(0), "then the risk stays CAP(O)."],
    [(answer) => answer > needs && answer < patients.n, "it is enough, but fewer are enough too."],
    [(answer) => answer > patients.n, "there are 900 people only."],
  ]),
});
ask("epsilon", {
  load: () => put("smokers", "epsilon"),
  check: on("smokers", (answer) => isAbout(answer, Math.log(3)) || "three in four are healthy. How far may a record shift these odds before another guess is better?"),
  wrong: onlyOn("smokers", [
    [is(3), "these are the odds. Epsilon is their logarithm."],
    [Math.log10(3), "this is the logarithm to the base 10. Take the natural one."],
    [Math.log(4), "this is the logarithm of 4. One is sick for three who are healthy, so the odds are 3."],
    [Math.log(1.5), "these are the odds among smokers. The promise begins with the shares of all people."],
    [Math.log(4 / 3), "this is the logarithm of 1 / 0.75. Compare the healthy with the sick."],
    [-Math.log(3), "turn the sign: epsilon is not negative."],
    [0.75, "this is the share of the healthy. By which factor may the odds move?"],
    [0.25, "this is the share of the sick. By which factor may the odds move?"],
    [0, "at 0 it adds nothing, and at somewhat more neither: find the greatest epsilon."],
  ]),
});
ask("margins", { load: () => put("O_3", "swapped") });
ask("silent", { load: () => put("smokers", "epsilon", 1) });
ask("same", { load: () => put("O_3", "epsilon", 1) });
ask("nothing", {
  load: () => { if (!isOwn()) put("own", "theta"); },
  check: () => {
    const o = table();
    if (!isOwn()) return "choose \u201cMy own\u201d and change its counts.";
    if (Math.min(...targetTotals(o), ...keyTotals(o)) < 10) return "each row and each column needs at least 10 people.";
    return !greater(averageCap(o, o), baselineCap(o)) || `CAP(O) is ${inPercent(averageCap(o, o), 2)}, the baseline ${inPercent(baselineCap(o), 2)}: there is still something to lose.`;
  },
});
