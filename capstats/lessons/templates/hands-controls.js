// CAP with your hands: mouse, finger, keyboard, buttons and numbers.

let ghost = null;
const guessed = () => find(".predict").dataset.state === "done";

function listen(table, i, j) {
  const cell = find(`[data-cell="${table}-${i}-${j}"]`);
  const place = find(".place", cell);
  const more = () => add(table, i, j, 1);
  const less = () => add(table, i, j, -1);
  place.addEventListener("keydown", (event) => guessed() && press(event));
  const arrow = (count, to) => (event) => (event.shiftKey ? move(table, [i, j], to) : count());
  const press = keys({
    ArrowLeft: arrow(less, [i, 0]), ArrowRight: arrow(more, [i, 1]), ArrowUp: arrow(more, [0, j]), ArrowDown: arrow(less, [1, j]),
    "+": more, "=": more, "-": less, Delete: less, Backspace: less,
    Home: () => add(table, i, j, -tables[table][i][j]), End: () => add(table, i, j, MOST - tables[table][i][j]),
  });
  for (const button of findAll("[data-step]", cell)) button.addEventListener("click", () => add(table, i, j, Number(button.dataset.step)));

  countField(find(`[data-count="${table}-${i}-${j}"]`), MOST, () => tables[table][i][j], (count) => change((all) => { all[table][i][j] = count; }));

  const cellAt = (event) => {
    const under = document.elementFromPoint(event.clientX, event.clientY)?.closest(`[data-table="${table}"] .cell`);
    return under && under.dataset.cell.split("-").slice(1).map(Number);
  };
  const light = (at) => {
    for (const other of findAll(".cell")) other.classList.toggle("target", at !== null && other.dataset.cell === `${table}-${at.join("-")}`);
  };
  const end = (dragged) => {
    dragged.classList.remove("gone");
    ghost?.remove();
    ghost = null;
    light(null);
  };
  draggable(find("svg", cell), {
    start: (event) => guessed() && event.target.closest(".person"),
    move: (dragged, event) => {
      if (!ghost) {
        const own = dragged.cloneNode(true);
        own.setAttribute("transform", "translate(20 20) scale(1.5)");
        ghost = draw("svg", { class: "ghost", width: 40, height: 40, "aria-hidden": "true" }, own);
        document.body.append(ghost);
        dragged.classList.add("gone");
      }
      ghost.style.left = `${event.clientX - 20}px`;
      ghost.style.top = `${event.clientY - 20}px`;
      light(cellAt(event) ?? null);
    },
    drop: (dragged, event) => {
      end(dragged);
      const to = cellAt(event);
      if (to) move(table, [i, j], to);
    },
    cancel: end,
  });
}

const actions = {
  start: () => change((all) => Object.assign(all, start())),
  copy: () => change((all) => { all.s = copy(all.o); }),
  empty: () => change((all) => { all.s = [[0, 0], [0, 0]]; }),
  random: () => change((all) => { all.s = uniformTable(20, 2, 2, random(seed++)); }),
  undo: () => {
    if (past.length) tables = past.pop();
    render();
  },
};

for (const table of ["o", "s"]) for (const [i, j] of places) listen(table, i, j);
sickOnly.addEventListener("change", render);
addEventListener("resize", render);
for (const button of findAll("[data-do]")) button.addEventListener("click", () => { actions[button.dataset.do](); announce(inWords()); });
render();
