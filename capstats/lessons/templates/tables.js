// Three harmless tables: what tables of counts of the same people say together, by whole numbers alone.

const [AGES, PARTIES, VOTES] = given.names;
const TITLES = ["age and party", "party and vote", "age and vote"];
const [BASE, WITHIN] = [5, 2]; // a count that is rounded to 5 was at most 2 away
const groups = AGES.flatMap((_, a) => PARTIES.map((__, p) => [a, p]));
const cells = groups.flatMap((group) => VOTES.map((_, v) => [...group, v])); // that of group g and vote v is 2 g + v
const state = { way: "exact", chosen: 0 };

/**
 * Bounds of the number of people in each of n cells, after each table that is read, in turn until nothing changes: the rule of
 * `capstats.disclosure.published_bounds`. A table is a list of counts: the cells that it adds up, and the least and greatest that it may be.
 */
function propagate(n, tables) {
  const [lo, hi] = [Array(n).fill(0), Array(n).fill(Infinity)];
  const steps = [];
  for (let idle = 0; idle < tables.length;) {
    const before = [lo, hi].join();
    for (const { among, least, greatest } of tables[steps.length % tables.length]) {
      const others = (bounds, x) => sum(among.filter((y) => y !== x).map((y) => bounds[y]));
      for (const x of among) hi[x] = Math.min(hi[x], greatest - others(lo, x));
      for (const x of among) lo[x] = Math.max(lo[x], least - others(hi, x));
    }
    idle = [lo, hi].join() === before ? idle + 1 : 0;
    steps.push({ lo: [...lo], hi: [...hi] });
  }
  return steps;
}

/** A count as it is printed, and a published table as a list of counts for `propagate`. */
const printed = (count, way) => (way === "rounded" ? BASE * Math.round(count / BASE) : count);
const read = ({ columns: [first, second], counts }, way) => counts.flatMap((row, i) => row.map((count, j) => ({
  among: [...cells.keys()].filter((x) => cells[x][first] === i && cells[x][second] === j),
  least: Math.max(printed(count, way) - (way === "rounded" && WITHIN), 0),
  greatest: printed(count, way) + (way === "rounded" && WITHIN),
})));

/** The places of the tables that are published in one of the ways, and what follows from them step by step. */
function told(way) {
  const known = [0, 1, 2].filter((t) => way !== `without-${t}`);
  return [known, propagate(cells.length, known.map((t) => read(given.published[t], way)))];
}

/** The vote of a group that follows with certainty: no other is left. -1 if none does. */
const voteOf = ({ hi }, g) => VOTES.findIndex((_, v) => hi[2 * g + 1 - v] === 0);
const certain = (steps) => sum(given.published[0].counts.flat().filter((_, g) => voteOf(steps.at(-1), g) >= 0));

/** How many people of a group voted no, after a step. */
function noVotes(step, g) {
  const [least, greatest] = [step.lo[2 * g + 1], step.hi[2 * g + 1]];
  const found = least === greatest ? `${least}` : `${least}\u2013${greatest}`;
  return [found, "none", `all ${found}`][voteOf(step, g) + 1];
}

/** The step that decides the vote of a group, in words, and what follows. */
function why(steps, g) {
  const [[a, p], v] = [groups[g], voteOf(steps.at(-1), g)];
  const whose = `people ${AGED[a]} and of the ${PARTIES[p]}`;
  if (v < 0) return ["", `Of the ${whose}, ${noVotes(steps.at(-1), g)} voted ${VOTES[1]}: no vote among them is certain.`];
  const n = given.published[0].counts[a][p];
  const { hi } = steps.find(({ lo }) => lo[2 * g + v] === n);
  const others = groups.filter(([age, party]) => age === a && party !== p).map(([, party]) => [party, hi[2 * (PARTIES.length * a + party) + v]]);
  const limits = others.map(([party, most]) => `${most} of the ${PARTIES[party]}`).join(" and ");
  return [`${given.published[2].counts[a][v]} people ${AGED[a]} voted ${VOTES[v]}, at most ${limits}. So at least ${n} are of the ${PARTIES[p]}, and there are just ${n}. `,
    `All ${n} ${whose} voted ${VOTES[v]}${g ? "" : ", Ann too"}.`];
}

// --- the page

function render() {
  const [known, steps] = told(state.way);
  find("#published").replaceChildren(...given.published.map(({ columns: [first, second], counts }, t) => {
    const table = tableOf(mapped(counts, (count) => printed(count, state.way)), given.names[second], given.names[first]);
    table.prepend(make("caption", {}, TITLES[t]));
    table.classList.toggle("withdrawn", !known.includes(t));
    return table;
  }));
  const texts = steps.map((step) => groups.map((_, g) => noVotes(step, g)));
  const news = [...steps.keys()].filter((k) => k === 0 || texts[k].join() !== texts[k - 1].join()); // steps that tell something new
  const rows = groups.map(([a, p], g) => make("tr", {},
    make("th", { scope: "row" }, make("button", {
      type: "button", class: "quiet", "aria-pressed": String(g === state.chosen), "data-group": g, click: () => choose(g),
    }, `${AGES[a]}, ${PARTIES[p]}`)),
    ...news.map((k) => make("td", { class: voteOf(steps[k], g) >= 0 && "certain" }, texts[k][g]))));
  const head = news.map((k, step) => make("th", { scope: "col" }, `${step + 1}. ${TITLES[known[k % known.length]]}`));
  find("#steps").replaceChildren(make("caption", {}, `How many voted ${VOTES[1]}: after each table, read in turn`), make("tr", {}, make("td"), ...head), ...rows);
  const [reason, then] = why(steps, state.chosen);
  find("#reason").replaceChildren(reason, make("strong", {}, then));
  show("certain", certain(steps));
}

function choose(g) {
  state.chosen = g;
  render();
  find(`[data-group="${g}"]`).focus();
  announce(find("#reason").textContent);
}

const people = total(given.published[0].counts);
show("people", people);
show("alone", Math.max(...given.published.map((table) => certain(propagate(cells.length, [read(table)])))));
const ways = { exact: "The three tables", rounded: "Rounded to 5", ...Object.fromEntries(TITLES.map((title, t) => [`without-${t}`, `Without ${title}`])) };
choices(find("#ways"), "way", ways, state.way, (way) => {
  state.way = way;
  render();
  changed();
  announce(find("#result").textContent);
});
render();
