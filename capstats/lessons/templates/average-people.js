// The average hides people, first screen: a vote, patients who move from the average to their own risk, and a release that is made safe.

const patients = given.originals.O_3;
const releases = { A: given.synthetics.S_b, B: given.synthetics.S_g };
const averages = { A: averageCap(patients, releases.A), B: averageCap(patients, releases.B) };
const risks = { A: individualCap(releases.A), B: individualCap(releases.B) };
const riskOf = (release, cell) => at(risks[release], cell);
const held = cells.filter((cell) => at(patients, cell) > 0).sort((a, b) => riskOf("A", b) - riskOf("A", a));
const [worst] = held;
const exposed = at(patients, worst);
const atRisk = held.filter((cell) => !atMost(riskOf("A", cell), 0.5));
const percent = (value) => inPercent(value, 0);
const steps = safer(patients, releases.A); // A with 0, 1, 2, ... records changed
let drawn = releases; // what the dots show: B, and A with so many records changed
const drawnRisk = (release, cell) => at(individualCap(drawn[release]), cell);

const crowd = find("#crowd");
const LEAST = 260; // pixels of the picture's height
const MOST_HIGH = 520;
const BETWEEN = 34; // for the axis
const shuffled = shuffle([...Array(total(patients)).keys()], random(5)); // each patient's place in the crowd, the same in both releases
const groups = {}; // the drawn patients by release and cell
let voted = null;
let pointed = null;
let dotsAt = []; // [x, y, cell] of each dot, for the pointer

for (const release of ["A", "B"]) {
  groups[release] = new Map(held.map((cell) => {
    const dots = Array.from({ length: at(patients, cell) }, () => draw("circle"));
    return [cell, draw("g", { class: `dots${atRisk.includes(cell) ? " hit" : ""}`, "data-person": cell.join("-"), "aria-hidden": "true" }, ...dots)];
  }));
}

/** The places of a release's patients, [x, height above the axis], as [cell, places]: around the average before the vote, at their risk after it. */
function places(release, stacks, place, room) {
  if (voted) return stacks.map(({ cell, dots }) => [cell, dots]);
  const [{ size }] = stacks;
  const columns = Math.max(Math.ceil((total(patients) * size) / room), 30);
  let k = 0;
  return held.map((cell) => [cell, Array.from({ length: at(patients, cell) }, () => {
    const spot = shuffled[k++];
    return [place(averages[release]) + ((spot % columns) - (columns - 1) / 2) * size, (Math.floor(spot / columns) + 0.5) * size];
  })]);
}

function drawCrowd(moving) {
  const width = Math.max(crowd.clientWidth, 240);
  const below = innerHeight - crowd.getBoundingClientRect().top - scrollY;
  const height = Math.min(Math.max(below - find("#person").offsetHeight - 24, LEAST), MOST_HIGH);
  const half = (height - BETWEEN) / 2;
  const place = scale(0, 1, EDGE, width - EDGE);
  const stacks = stackedAll(patients, [drawn.A, drawn.B], place, 0.5, half - 4);
  crowd.classList.toggle("moving", moving && !still.matches);
  assign(crowd, { viewBox: `0 0 ${width} ${height}`, height });
  find(".fixed", crowd)?.remove();
  const back = draw("g", { class: "fixed", "aria-hidden": "true" });
  for (const value of [0, 0.25, 0.5, 0.75, 1]) {
    back.append(draw("text", { x: place(value), y: half + BETWEEN / 2 + 5, "text-anchor": "middle", class: "soft" }, percent(value)));
  }
  for (const y of [half + 2, half + BETWEEN - 2]) back.append(draw("path", { d: `M${place(0)} ${y}H${place(1)}` }));
  const titles = [drawn === releases ? "Release A" : "Release A, changed", "Release B"];
  back.append(...titles.map((text, k) => draw("text", { x: width - EDGE, y: k ? height - 6 : 18, class: "side", "text-anchor": "end" }, text)));
  for (const release of ["A", "B"]) {
    const mean = place(averageCap(patients, drawn[release]));
    back.append(draw("path", { class: "mean", d: release === "A" ? `M${mean} ${half + 2}l-6 9h12z` : `M${mean} ${half + BETWEEN - 2}l-6 -9h12z` }));
  }
  crowd.prepend(back);
  dotsAt = [];
  ["A", "B"].forEach((release, which) => {
    const [{ size }] = stacks[which];
    for (const [cell, dots] of places(release, stacks[which], place, half - 24)) {
      const group = groups[release].get(cell);
      if (!group.parentNode) crowd.append(group);
      if (voted && release === "A") assign(group, { "aria-label": risksOf(cell).join("") });
      dots.forEach(([x, high], k) => {
        const y = release === "A" ? half - high : half + BETWEEN + high;
        const dot = group.children[k];
        dot.setAttribute("r", (size * 0.43).toFixed(2));
        dot.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
        dotsAt.push([x, y, cell]);
      });
    }
  });
  if (voted) renewCrowd();
}

const renewCrowd = rove(() => [...groups.A.values()]);

/** Who a group of patients is, and their risk in what the dots show. */
const risksOf = (cell) => [group(patients, cell), `: risk ${["A", "B"].map((one) => `${percent(drawnRisk(one, cell))} with ${one}`).join(", ")}.`];

/** Light up a group of patients in both releases, and say who they are. */
function point(cell) {
  if (!voted || pointed === cell) return;
  pointed = cell;
  for (const release of ["A", "B"]) for (const [one, dots] of groups[release]) dots.classList.toggle("chosen", one === cell);
  sayPerson();
}

function sayPerson() {
  const line = find("#person");
  if (!voted) line.textContent = "Vote first; then point at the dots, or tap them.";
  else if (pointed) {
    const [who, risk] = risksOf(pointed);
    line.replaceChildren(make("strong", {}, who), risk);
  } else {
    const were = `above 50 % before: ${atRisk.map((cell) => group(patients, cell)).join(", ")}.`;
    const are = "above 50 % with A. Point at a dot, tap it, or press Tab and arrows: who is it?";
    line.replaceChildren(make("span", { class: "key-mark" }, "\u25cf"), ` ${drawn === releases ? are : were}`);
  }
}

/** The answer to a vote, and what becomes of it while records of A are changed. */
function answer(changed) {
  const [them, risk] = [group(patients, worst), percent(riskOf("A", worst))];
  if (changed) {
    const [was, is, still] = [averages.A, averageCap(patients, drawn.A), above(patients, drawn.A, 0.5)];
    const rose = `${still ? "The" : "Yet its"} average ${is > was ? "rose" : "fell"} from ${percent(was)} to ${percent(is)}`;
    const highest = Math.max(...held.map((cell) => drawnRisk("A", cell)));
    if (still) return `${counted(still, "person is", "people are")} above 50 %, the highest at ${inPercent(highest)}. ${rose}.`;
    return `Nobody is above 50 % with A now. ${rose}: watch people, not the average. `
      + `Price: ${changed} of ${total(drawn.A)} records are changed.`;
  }
  const tries = `${Math.round(100 * riskOf("A", worst))} of 100 tries`;
  if (voted === "A") return `You published A. ${them} can now be guessed right in ${tries}. With B nobody is above 50 %.`;
  return `You published B: nobody is above 50 %. With A, the lower average, it would be ${risk} for ${them}.`;
}

/** Show A with so many records changed. */
function change(changed, moving = false) {
  drawn = changed ? { ...releases, A: steps[changed] } : releases;
  find("#changed").value = changed;
  show("changed", changed);
  show("average-a", averageCap(patients, drawn.A), percent(averageCap(patients, drawn.A)));
  find("#make-safe").textContent = changed === steps.length - 1 ? "A as it was" : "Make A safe";
  find("#said").textContent = voted ? answer(changed) : "";
  sayPerson();
  drawCrowd(moving);
  if (changed || kept.has("changed")) keep("changed", changed);
}

function vote(name, changed = 0, moving = true) {
  if (!voted) for (const [cell, dots] of groups.A) assign(dots, { "aria-hidden": null, role: "button", focus: () => point(cell) }); // for the keyboard
  voted = name;
  point(null);
  document.body.classList.add("voted");
  for (const button of findAll("[data-vote]")) assign(button, { "aria-pressed": String(button.dataset.vote === name) });
  change(changed, moving);
  keep("vote", name);
}

let stop = () => {};
assign(find("#changed"), { max: steps.length - 1, input: ({ target }) => {
  stop();
  change(Number(target.value));
} });
find("#make-safe").addEventListener("click", () => {
  const [from, most] = [Number(find("#changed").value), steps.length - 1];
  const to = from === most ? 0 : most;
  stop();
  point(null);
  stop = grow((share) => change(Math.round(from + share * (to - from))));
});
for (const button of findAll("[data-vote]")) button.addEventListener("click", () => vote(button.dataset.vote));
for (const [event, reach] of [["pointermove", 10], ["click", 24]]) {
  crowd.addEventListener(event, ({ clientX, clientY }) => {
    const { left, top } = crowd.getBoundingClientRect();
    const far = ([x, y]) => Math.hypot(clientX - left - x, clientY - top - y);
    const near = dotsAt.reduce((a, b) => (far(b) < far(a) ? b : a));
    if (far(near) <= reach) point(near[2]);
  });
}
addEventListener("resize", later(() => drawCrowd(false)));
show("patients", total(patients));
const least = held[held.length - 1];
show("least-records", at(releases.A, least));
show("group-records", keyTotals(releases.A)[least[1]]);
show("average-b", averages.B, percent(averages.B));
const was = Number(kept.get("changed"));
if (["A", "B"].includes(kept.get("vote"))) vote(kept.get("vote"), was in steps ? was : 0, false);
else change(0);
