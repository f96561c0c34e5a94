// Guessing is not predicting: the random guesser of average CAP beside the modal guesser.

const MOST = 500; // of a slider
const START = ["O_3", "S_b"];
const state = { turned: 0 }; // how much of the second picture has turned
const people = () => total(state.o);

/** Another clinic, another release, or both. */
function take(original, name, table = given.synthetics[name]) {
  Object.assign(state, { original, o: given.originals[original], s: mapped(table, (count) => Math.min(count, MOST)), release: name });
}
take(...START);
/** What the page calls the release: "release A", "the original". */
const released = () => (LETTERS[state.release] ? `release ${LETTERS[state.release]}` : state.release);

// --- the two intruders, key by key

/** For one key: the shares of the release, and the probability with which each target is named by the second guesser. */
function guesses(j) {
  const key = column(state.s, j);
  const q = key.map((s_ij) => ratio(s_ij, sum(key), 0));
  const modes = key.map((s_ij) => (sum(key) > 0 && s_ij === Math.max(...key) ? 1 : 0));
  return { q, named: modes.map((mode) => ratio(mode, sum(modes), 0)) };
}

const rightOf = (j, named) => sum(column(state.o, j).map((o_ij, i) => o_ij * named[i]));

// --- the pictures: a dot for each person, by age group and diagnosis

/** A picture as wide as its place, of those whom one of the two guesses right. */
function picture(who) {
  const right = (i, j) => (who === "random" ? state.o[i][j] * guesses(j).q[i] : state.turned * state.o[i][j] * guesses(j).named[i]);
  return later(fitted(find(`#${who}-dots`), 700, (wide) => {
    const small = wide < 420;
    const [left, pitch, room] = small ? [84, 3.4, 5] : [96, 6, 9];
    const across = Math.floor(((wide - left) / 3 - 2 * room) / pitch);
    const svg = draw("svg", { class: `${who}${small ? " small" : ""}`, role: "img" });
    given.ages.forEach((key, j) => svg.append(draw("text", { x: left + (j * (wide - left)) / 3, y: 12 }, key)));
    let top = 20;
    given.diagnoses.forEach((target, i) => {
      const high = Math.max(Math.ceil(Math.max(...state.o[i]) / across), 2) * pitch;
      svg.append(draw("text", { x: 0, y: top + high / 2 + 4 }, target));
      state.o[i].forEach((n, j) => {
        const x = left + (j * (wide - left)) / 3;
        const dots = (places) => places.map((k) => `M${(x + pitch * ((k % across) + 0.5)).toFixed(1)} ${(top + pitch * (Math.floor(k / across) + 0.5)).toFixed(1)}h0`);
        const hits = Math.round(right(i, j));
        const order = shuffle([...Array(n).keys()], random(n)); // always the same
        svg.append(draw("path", { class: "missed", d: dots(order.slice(hits)).join("") }), draw("path", { class: "guessed", d: dots(order.slice(0, hits)).join("") }));
        if (who === "modal" && state.turned && guesses(j).named[i]) {
          svg.append(draw("rect", { class: "said", x: x - 3, y: top - 3, width: across * pitch + 6, height: high + 6, rx: 5 }));
        }
      });
      top += high + room;
    });
    const value = who === "random" ? averageCap(state.o, state.s) * people() : correctPredictions(state.o, state.s);
    const text = who === "modal" && !state.turned ? "not guessed yet" : `${number(value)} right`;
    return assign(svg, { width: wide, viewBox: `0 0 ${wide} ${top}`, "aria-label": `${people()} people by age group and diagnosis: ${text}` });
  }));
}
const pictures = ["random", "modal"].map(picture);

// --- a card for each key: sliders of the release

const cards = given.ages.map((key, j) => {
  const rows = given.diagnoses.map((target, i) => {
    const slider = make("input", { type: "range", min: 0, max: MOST, step: 1, id: `s${i}${j}`, "data-cell": `${i},${j}`, input: () => {
      state.s[i][j] = Number(slider.value);
      state.release = "your release";
      update();
    } });
    const badge = make("span", { class: "badge" });
    const text = output(`share_${i}_${j}`);
    return { slider, badge, text, count: make("span", { class: "count" }), label: make("label", { for: `s${i}${j}` }, target) };
  });
  const line = (who, text) => make("p", { class: `result ${who}` }, `${text}: `, output(`${who}_right_${j}`), make("span", { class: "held" }));
  const card = make("section", { class: "card key", "aria-label": `Age ${key}` },
    make("h3", {}, key),
    ...rows.map(({ label, slider, count, text, badge }) => make("div", { class: "dial" }, label, slider, count, make("span", { class: "share" }, text, badge))),
    line("random", "First guesser right"), line("modal", "Second guesser right"));
  find("#keys").append(card);
  return { card, rows };
});

function showKey(j) {
  const { q, named } = guesses(j);
  const { rows, card } = cards[j];
  const o_j = sum(column(state.o, j));
  rows.forEach((row, i) => {
    row.slider.value = state.s[i][j];
    row.count.textContent = state.s[i][j];
    row.badge.textContent = named[i] === 1 ? "named" : named[i] > 0 ? "tied" : "";
    show(`share_${i}_${j}`, q[i], inPercent(q[i], 0));
    row.slider.setAttribute("aria-valuetext", `${state.s[i][j]} released records, ${inPercent(q[i], 0)} of the age group`);
  });
  show(`random_right_${j}`, rightOf(j, q), number(rightOf(j, q), 1));
  show(`modal_right_${j}`, rightOf(j, named), number(rightOf(j, named), Number.isInteger(rightOf(j, named)) ? 0 : 1));
  findAll(".held", card).forEach((span) => { span.textContent = ` of ${o_j}`; });
}

function update() {
  given.ages.forEach((_, j) => showKey(j));
  const [average, predicted] = [averageCap(state.o, state.s), correctPredictions(state.o, state.s)];
  show("people", people(), number(people()));
  show("average", average, inPercent(average));
  show("random_right", average * people(), number(average * people()));
  show("modal_right", predicted, number(predicted, Number.isInteger(predicted) ? 0 : 1));
  show("modal_share", predicted / people(), inPercent(predicted / people()));
  find("#release").textContent = released();
  changed();
  findAll(".of").forEach((span) => { span.textContent = `of ${number(people())}`; });
  findAll("#presets button").forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.release === state.release)));
  chooseOriginal(state.original);
  find(".glance").classList.toggle("until", `${state.original} ${state.release}` === START.join(" ")); // on a phone, not over the answer
  pictures.forEach((again) => again());
}

// --- choices

const chance = random(20);
const presets = {
  ...Object.fromEntries(Object.keys(LETTERS).map((name) => [name, () => given.synthetics[name]])),
  "the original": () => state.o,
  "a random table": () => uniformTable(900, 3, 3, chance),
};
for (const [name, table] of Object.entries(presets)) {
  find("#presets").append(make("button", { type: "button", class: "quiet", "data-release": name, click: () => {
    take(state.original, name, table());
    update();
    announce(findAll(".stage .big").map(({ textContent }) => textContent).join("; "));
  } }, LETTERS[name] ?? name));
}

const clinics = Object.fromEntries(Object.keys(given.originals).map((name) => [name, name.replace("O_", "clinic ")]));
const chooseOriginal = choices(find("#originals"), "original", clinics, state.original, (name) => {
  take(name, state.release, state.s);
  update();
});

update();
