// Choose your protection, first screen: the patients, of whose diagnoses some are replaced by those of people picked at random.

const cast = given.O_3;
const [before, floor] = [averageCap(cast, cast), baselineCap(cast)];
const noise = find("#noise");
let dialled = Number(noise.max) / 2; // percent, where the dial is or goes to

/** Each patient, and after what share of the others the diagnosis is replaced; in each age group by diagnosis. */
const crowd = cast.flatMap((row, i) => row.flatMap((count, j) => Array.from({ length: count }, () => ({ i, j }))));
shuffle([...crowd], random(11)).forEach((person, rank) => { person.rank = rank / crowd.length; });

/** With a share of the diagnoses replaced: the average risk, the expected release, and the groups of people who are above one half. */
function replacing(theta) {
  const found = methods.theta(cast, theta);
  const q = individualCap(found.table);
  const hit = cast.flatMap((row, i) => row.flatMap((count, j) => (count > 0 && !atMost(q[i][j], 0.5) ? [[i, j]] : [])));
  return { ...found, hit, exposed: sum(hit.map(([i, j]) => cast[i][j])) };
}

/** A block of dots for each age group. */
fitted(find("#people"), 1168, (wide) => {
  const room = wide / 3;
  const size = wide < 600 ? 5 : 11;
  const across = Math.floor((room - 12) / size);
  const svg = draw("svg", { width: wide, role: "img" });
  keyTotals(cast).forEach((held, j) => {
    svg.append(draw("text", { x: j * room, y: 14, class: "halo" }, `${given.ages[j]}: ${held}`));
    crowd.filter((person) => person.j === j).forEach((person, k) => {
      person.dot = draw("circle", { cx: j * room + ((k % across) + 0.5) * size, cy: 24 + (Math.floor(k / across) + 0.5) * size, r: size * 0.36 });
      svg.append(person.dot);
    });
  });
  assign(svg, { viewBox: `0 0 ${wide} ${26 + size * Math.ceil(Math.max(...keyTotals(cast)) / across)}` });
  colour(svg);
  return svg;
});

/** Rings for the diagnoses that are replaced, and orange for the people above one half. */
function colour(svg = find("#people svg")) {
  const theta = Number(noise.value) / 100;
  const { hit, exposed } = replacing(theta);
  for (const { i, j, rank, dot } of crowd) {
    assign(dot, { class: `person${hit.some((cell) => cell[0] === i && cell[1] === j) ? " hit" : ""}${rank < theta ? " replaced" : ""}` });
  }
  assign(svg, { "aria-label": `${Math.round(theta * crowd.length)} of ${crowd.length} diagnoses are replaced. Above 50 %: ${exposed} people` });
}

function renewPeople() {
  const theta = Number(noise.value) / 100;
  const found = replacing(theta);
  const bars = { risk: found.mean, exposed: found.exposed / crowd.length, use: 1 - targetDistance(cast, found.table) };
  show("noise", theta, inPercent(theta));
  show("before", before, inPercent(before, 0));
  show("floor", floor, inPercent(floor, 0));
  for (const [name, value] of Object.entries(bars)) {
    show(`people_${name}`, value, name === "exposed" ? String(found.exposed) : inPercent(value, 0));
    find(`[data-bar="${name}"] > span`).style.width = `${100 * value}%`;
  }
  find(".track > i").style.left = `${100 * floor}%`;
  const told = `${inPercent(theta)} replaced, average risk ${inPercent(bars.risk, 0)}, ${found.exposed} people above 50 %`;
  assign(noise, { "aria-valuetext": told });
  colour();
}

let stop = () => {};
noise.addEventListener("input", () => {
  stop();
  dialled = Number(noise.value);
  renewPeople();
  changed();
});
renewPeople();

predict("half", {
  start: () => {
    stop = grow((share) => {
      noise.value = Math.round(share * dialled);
      renewPeople();
    });
  },
  text: (share) => inPercent(share, 0),
  value: () => replacing(0.5).mean,
  say: (guess, risk) => {
    const { mean, hit, exposed } = replacing(dialled / 100);
    const named = hit.map(([i, j]) => `${AGED[j]} ${WITH[i]}`).join(", ");
    const who = exposed ? `${counted(exposed, "person is", "people are")} above 50 %: ${named}` : "nobody is above 50 %";
    if (dialled !== 50) return `With ${inPercent(dialled / 100)} replaced the average is ${inPercent(mean, 0)}; ${who}.`;
    const mistake = [
      [risk, "Close. "],
      [before / 2, "Half of it would be left if a guess after a replaced answer were never right. "],
      [before, "It does fall. "],
      [floor, "That is with all replaced. "],
    ].find(([other]) => Math.abs(guess - other) < 0.026);
    return `${mistake?.[1] ?? ""}The average falls only ${Math.round(100 * (before - risk))} points, to ${inPercent(risk, 0)}, and ${who}. `
      + "Drag the dial until nobody is.";
  },
});
