// What the search of the site shows first. Sphinx's scores, and then: the page that answers a newcomer's question, one named by the query,
// and pages that explain before those that list; who asks for a name of the library, which has a dot or an underscore, gets its reference.
const ANSWERS = [
  ["docs/custodians/what-to-do-next", /lower|reduce|what (to|can i) do/], ["docs/custodians/formats", /\b(csv|files? formats?)\b/],
  ["docs/custodians/frameworks", /\blaws?\b|legal|anonymous/], ["docs/custodians/what-is-high", /\b(high|low|good|bad|safe|enough)\b/],
  ["docs/custodians/interpret-a-report", /\breport/], ["docs/which-measure", /who is|which measure|inference/],
  ["docs/start", /two files|command line|example|begin/], ["docs/browser", /upload|without install|browser/],
  ["docs/custodians/choosing-keys", /\bkeys?\b|columns/], ["docs/lessons", /\blesson|average/], ["docs/researchers", /figure|paper/],
  ["docs/instructors", /slides|class|teach|handout/], ["docs/cost-and-scale", /large|big|slow|memory/],
  ["docs/glossary", /^(what is|what does) |attribution|k-anonymity/],
];
var Scorer = {
  objNameMatch: 11, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
  score: ([page, title, anchor, description, score]) => {
    const query = (new URLSearchParams(location.search).get("q") || "").trim().toLowerCase();
    if (/[._]/.test(query)) return score;
    const later = { "docs/api/": 40, "notebooks/": 8, "theory/": 4, "proofs/": 8 };
    const lists = Object.keys(later).find((start) => page.startsWith(start));
    const answers = ANSWERS.find(([, words]) => words.test(query))?.[0] === page;
    return score + (answers ? 60 : 0) + (title.toLowerCase().includes(query) ? 10 : 0) - (lists ? later[lists] : 0);
  },
};
