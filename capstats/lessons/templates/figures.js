// What the lessons on guessing, on the law and on protection share: a row of choices, a table to type in, axes.

/** The names of keys and targets of a table: the age groups and diagnoses of the patients, or two of each. */
const groupsOf = (table) => ({
  ages: given.ages.slice(-table[0].length),
  diagnoses: table.length === 3 ? given.diagnoses : ["asthma", "diabetes"],
});

/** Several choices in a row, of which one holds, first `now`: radio buttons that look like one switch. Returns a function that sets it without a call. */
function choices(place, name, options, now, change) {
  const inputs = Object.entries(options).map(([value, text]) => {
    const input = make("input", { type: "radio", name, value, checked: value === now, change: () => change(value) });
    place.append(make("label", {}, input, make("span", {}, text)));
    return input;
  });
  return (value) => inputs.forEach((input) => { input.checked = input.value === value; });
}

/**
 * A table of people to type in, and with arrow keys. `change(table)` is called with whole numbers from 0 to 999; what is none is marked and changes
 * nothing. Returns a function that shows another table; its second argument says whether it can be changed.
 */
function tableEditor(place, change) {
  const most = 999;
  let table = [];
  let inputs = [[]];
  const field = (i, j) => {
    const input = make("input", { type: "number", inputmode: "numeric", min: 0, max: most, step: 1, "data-cell": `${i},${j}` });
    countField(input, most, () => table[i][j], (count) => {
      table[i][j] = count;
      change(copy(table));
    });
    return input;
  };
  const rule = make("p", { class: "small" }, `Each count is a whole number from 0 to ${most}.`);
  return (shownTable, open) => {
    table = copy(shownTable);
    const { ages, diagnoses } = groupsOf(table);
    if (inputs.length !== table.length || inputs[0].length !== table[0].length) {
      inputs = mapped(table, (_, i, j) => field(i, j));
      const editor = tableOf(inputs, ages, diagnoses, { class: "editor" });
      editor.prepend(make("caption", {}, "People"));
      place.replaceChildren(editor, rule);
    }
    rule.hidden = !open;
    table.forEach((row, i) => row.forEach((count, j) => {
      const input = inputs[i][j];
      assign(input, { "aria-label": `People: ${diagnoses[i]}, ${ages[j]}`, disabled: !open });
      if (document.activeElement !== input || Number(input.value) !== count) input.value = count;
    }));
  };
}

/** A vertical axis at x, between two ends in pixels: ticks, numbers to the left, and a title above. */
function upright(place, x, values, title, tick, ends) {
  const group = draw("g", { class: "axis", "aria-hidden": "true" }, draw("path", { d: `M${x} ${ends[0]}V${ends[1]}` }));
  for (const value of values) {
    group.append(draw("path", { d: `M${x} ${place(value)}h-5` }));
    group.append(draw("text", { x: x - 9, y: place(value) + 4, "text-anchor": "end" }, tick(value)));
  }
  group.append(draw("text", { x: x - 34, y: ends[1] - 16, class: "title" }, title));
  return group;
}

/** A line through points [[x, y], ...]. */
const path = (points) => points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(2)} ${y.toFixed(2)}`).join("");

/** Whole numbers with a comma for thousands; others with so many decimals. */
const number = (value, digits = 0) => (Number.isFinite(value) ? value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }) : "undefined");

/** Draw a figure as wide as its place, up to `most` pixels, and anew when the width changes. Returns a function that draws it again. */
function fitted(place, most, render) {
  let wide = 0;
  const again = () => place.replaceChildren(render(wide));
  const fit = () => {
    const room = Math.round(Math.min(Math.max(place.clientWidth, 260), most));
    if (room === wide) return;
    wide = room;
    again();
  };
  fit();
  addEventListener("resize", fit);
  place.closest("details")?.addEventListener("toggle", fit);
  return again;
}
