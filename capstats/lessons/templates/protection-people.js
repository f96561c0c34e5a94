// Choose your protection, first screen: a hundred people, of whose answers some are replaced by those of people picked at random.

const smokers = given.smokers;
const p = shares(smokers);
const [before, floor] = [averageCap(smokers, smokers), baselineCap(smokers)];

/** Each person: key, answer, the answer that replaces it, and after how many others it is replaced. */
const crowd = (() => {
  const next = random(11);
  const all = smokers.flatMap((row, i) => row.flatMap((count, j) => Array.from({ length: count }, () => ({ i, j, other: picked(p, next), chance: next() }))));
  [...all].sort((a, b) => a.chance - b.chance).forEach((person, rank) => { person.rank = rank; });
  return all;
})();
const noise = find("#noise");

/** People in rows, a block for each key; the sick of the original come first. */
const drawPeople = fitted(find("#people"), 1168, (wide) => {
  const across = wide < 600 ? 10 : 17;
  const room = (wide - 24) / 2;
  const size = Math.min(room / across, 34);
  const svg = draw("svg", { width: wide, role: "img" });
  let high = 0;
  keyTotals(smokers).forEach((held, j) => {
    const left = j * (room + 24);
    svg.append(draw("text", { x: left, y: 14, class: "halo" }, `${held} ${["smokers", "non-smokers"][j]}`));
    crowd.filter((person) => person.j === j).forEach((person, k) => {
      const [x, y] = [left + ((k % across) + 0.5) * size, 24 + (Math.floor(k / across) + 0.5) * size];
      high = Math.max(high, y + size / 2 + 2);
      person.dot = draw("circle", { cx: x, cy: y, r: size * 0.38 });
      svg.append(person.dot);
    });
  });
  assign(svg, { viewBox: `0 0 ${wide} ${high}` });
  colour(svg);
  return svg;
});

/** The answers as they are released with so many replaced. */
function colour(svg = find("#people svg")) {
  const replaced = Number(noise.value);
  const sick = [0, 0];
  for (const { i, j, other, rank, dot } of crowd) {
    const answer = rank < replaced ? other : i;
    sick[j] += answer === 0;
    assign(dot, { class: `person${answer === 0 ? " sick" : ""}${rank < replaced ? " replaced" : ""}` });
  }
  assign(svg, { "aria-label": `${replaced} of ${crowd.length} answers are replaced. Sick in this release: ${sick[0]} of the smokers, ${sick[1]} of the non-smokers` });
}

function renewPeople() {
  const theta = Number(noise.value) / crowd.length;
  const found = methods.theta(smokers, theta);
  const bars = { risk: found.mean, use: 1 - targetDistance(smokers, found.table) };
  show("noise", theta, `${noise.value} of ${crowd.length}`);
  show("before", before, shown(before, 2));
  show("floor", floor);
  for (const [name, value] of Object.entries(bars)) {
    show(`people_${name}`, value, value.toFixed(3));
    find(`[data-bar="${name}"] > span`).style.width = `${100 * value}%`;
  }
  find(".track > i").style.left = `${100 * floor}%`;
  assign(noise, { "aria-valuetext": `${noise.value} of ${crowd.length} answers replaced, risk ${shown(bars.risk)}, use ${shown(bars.use)}` });
  colour();
}

let moving = 0;
noise.addEventListener("input", () => {
  cancelAnimationFrame(moving);
  renewPeople();
});

/** Turn the dial to a number of answers: in a second, or at once. */
function turnTo(most) {
  const begin = performance.now();
  const step = (now) => {
    noise.value = still.matches ? most : Math.min(Math.max(Math.round((most * (now - begin)) / 1000), 0), most);
    renewPeople();
    if (Number(noise.value) < most) moving = requestAnimationFrame(step);
  };
  step(begin);
}
renewPeople();

predict("half", {
  value: () => methods.theta(smokers, 0.5).mean,
  say: (guess, risk) => {
    turnTo(crowd.length / 2);
    const near = (other) => Math.abs(guess - other) < 0.03;
    const mistake = [
      [risk, "Close. "],
      [before / 2, "Half of it would be left if a guess after a replaced answer were never right. "],
      [0.5, "It is no toss of a coin: three in four are healthy. "],
    ].find(([other]) => near(other));
    return `${mistake?.[1] ?? ""}The risk falls by ${shown(before - risk, 2)} only. With all answers replaced it is still ${shown(floor)}: most people are healthy, which is no secret.`;
  },
});
