// The average hides people: the controls.

let seed = 1;
const put = (table, counts, name) => {
  state[table] = counts;
  if (table === "o") state.chosen = null;
  state.names[table] = name;
  for (const side of SIDES) if (state.names[side] === "itself") state[side] = copy(state.o);
  render();
};

find("#threshold").addEventListener("input", (event) => {
  state.threshold = Number(event.target.value);
  render();
});
find("#original").addEventListener("change", (event) => {
  const name = event.target.value;
  put("o", copy(given.originals[name] ?? state.o), name);
});
for (const side of SIDES) {
  find(`[data-release="${side}"]`).addEventListener("change", (event) => {
    const name = event.target.value;
    put(side, copy(name === "itself" ? state.o : given.synthetics[name] ?? state[side]), name);
  });
  const svg = find(`[data-side="${side}"] svg`);
  renew[side] = rove(
    () => {
      const q = individualCap(state[side]); // the highest risk first
      return [...cells].sort((a, b) => at(q, b) - at(q, a)).map((cell) => find(`[data-people="${cell.join("-")}"]`, svg)).filter(Boolean);
    },
    (dots) => choose(dots.dataset.people.split("-").map(Number)),
  );
}

/** A and B again. */
function restart() {
  state = start();
  render();
}

for (const button of findAll("[data-do]")) {
  const which = button.dataset.do;
  button.addEventListener("click", () => {
    if (which === "start") restart();
    else put(which, uniformTable(900, 3, 3, random(seed++)), "own");
    announce(SIDES.map((side) => `Average of ${title(side)} ${inPercent(averageCap(state.o, state[side]))}`).join("; "));
  });
}

for (const table of ["o", ...SIDES]) {
  for (const [i, j] of cells) {
    countField(find(`[data-count="${table}-${i}-${j}"]`), MOST, () => state[table][i][j], (count) => {
      const edited = copy(state[table]);
      edited[i][j] = count;
      put(table, edited, "own");
    });
  }
}

find("#explore").addEventListener("toggle", render);
addEventListener("resize", render);
render();
