// The average hides people, first screen: a vote, and the patients, who move from the average to their own risk in both releases.

const patients = given.originals.O_3;
const releases = { A: given.synthetics.S_b, B: given.synthetics.S_g };
const averages = { A: averageCap(patients, releases.A), B: averageCap(patients, releases.B) };
const risks = { A: individualCap(releases.A), B: individualCap(releases.B) };
const riskOf = (release, cell) => at(risks[release], cell);
const held = cells.filter((cell) => at(patients, cell) > 0).sort((a, b) => riskOf("A", b) - riskOf("A", a));
const [worst] = held;
const exposed = at(patients, worst);
const atRisk = held.filter((cell) => !atMost(riskOf("A", cell), 0.5));
const percent = (value) => `${Math.round(100 * value)}\u00a0%`;

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
    const drawn = draw("g", { class: `dots${atRisk.includes(cell) ? " hit" : ""}`, "data-person": cell.join("-"), "aria-hidden": "true" }, ...dots);
    return [cell, drawn];
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
  const stacks = stackedAll(patients, [releases.A, releases.B], place, 0.5, half - 4);
  crowd.classList.toggle("moving", moving && !still.matches);
  assign(crowd, { viewBox: `0 0 ${width} ${height}`, height });
  find(".fixed", crowd)?.remove();
  const back = draw("g", { class: "fixed", "aria-hidden": "true" });
  for (const value of [0, 0.25, 0.5, 0.75, 1]) {
    back.append(draw("text", { x: place(value), y: half + BETWEEN / 2 + 5, "text-anchor": "middle", class: "soft" }, percent(value)));
  }
  for (const y of [half + 2, half + BETWEEN - 2]) back.append(draw("path", { d: `M${place(0)} ${y}H${place(1)}` }));
  const side = (text, x, y, anchor) => draw("text", { x, y, class: "side", "text-anchor": anchor }, text);
  back.append(side("Release A", width - EDGE, 18, "end"), side("Release B", width - EDGE, height - 6, "end"));
  for (const release of ["A", "B"]) {
    const mean = place(averages[release]);
    back.append(draw("path", { class: "mean", d: release === "A" ? `M${mean} ${half + 2}l-6 9h12z` : `M${mean} ${half + BETWEEN - 2}l-6 -9h12z` }));
  }
  crowd.prepend(back);
  dotsAt = [];
  ["A", "B"].forEach((release, which) => {
    const [{ size }] = stacks[which];
    for (const [cell, dots] of places(release, stacks[which], place, half - 24)) {
      const drawn = groups[release].get(cell);
      if (!drawn.parentNode) crowd.append(drawn);
      dots.forEach(([x, high], k) => {
        const y = release === "A" ? half - high : half + BETWEEN + high;
        const dot = drawn.children[k];
        dot.setAttribute("r", (size * 0.43).toFixed(2));
        dot.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
        dotsAt.push([x, y, cell]);
      });
    }
  });
  if (voted) renewCrowd();
}

const renewCrowd = rove(() => [...groups.A.values()]);

/** Let the keyboard walk the groups of A, which tell their risk: once the vote is cast. */
function openCrowd() {
  for (const [cell, drawn] of groups.A) {
    const label = `${group(patients, cell)}: risk ${percent(riskOf("A", cell))} with A, ${percent(riskOf("B", cell))} with B`;
    assign(drawn, { "aria-hidden": null, role: "button", "aria-label": label, focus: () => point(cell) });
  }
}

/** Light up a group of patients in both releases, and say who they are. */
function point(cell) {
  if (!voted || pointed === cell) return;
  pointed = cell;
  for (const release of ["A", "B"]) for (const [one, drawn] of groups[release]) drawn.classList.toggle("chosen", one === cell);
  sayPerson();
}

function sayPerson() {
  const line = find("#person");
  if (!voted) line.textContent = "Vote first; then point at the dots, or tap them.";
  else if (pointed) {
    line.replaceChildren(make("strong", {}, group(patients, pointed)), `: risk ${percent(riskOf("A", pointed))} with A, ${percent(riskOf("B", pointed))} with B.`);
  } else line.textContent = "Orange: above 50\u00a0% with A. Who is a dot? Point at it, tap it, or press Tab and the arrow keys.";
}

/** The answer to a vote. */
function answer(vote) {
  const [them, risk] = [group(patients, worst), percent(riskOf("A", worst))];
  if (vote === "A") return `You published A. ${them} can now be guessed right with ${risk}. With B nobody is above 50\u00a0%.`;
  return `You published B: nobody is above 50\u00a0%. With A, the lower average, it would be ${risk} for ${them}.`;
}

function vote(name, moving = true) {
  if (!voted) openCrowd();
  voted = name;
  pointed = null;
  for (const drawn of findAll(".dots", crowd)) drawn.classList.remove("chosen");
  document.body.classList.add("voted");
  for (const button of findAll("[data-vote]")) assign(button, { "aria-pressed": String(button.dataset.vote === name) });
  find("#said").textContent = answer(name);
  sayPerson();
  drawCrowd(moving);
  keep("vote", name);
}

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
for (const release of ["A", "B"]) show(`average-${release.toLowerCase()}`, averages[release], shown(averages[release], 2));
sayPerson();
if (["A", "B"].includes(kept.get("vote"))) vote(kept.get("vote"), false);
else drawCrowd(false);
