// What the search of the site shows first. Sphinx's scores, and then: a page named by the query before others, and pages that explain before those
// that list; who asks for a name of the library, which has a dot or an underscore, gets its reference.
var Scorer = {
  objNameMatch: 11, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
  score: ([page, title, anchor, description, score]) => {
    const query = (new URLSearchParams(location.search).get("q") || "").trim().toLowerCase();
    if (/[._]/.test(query)) return score;
    const later = { "docs/api/": 40, "notebooks/": 8, "theory/": 4, "proofs/": 8 };
    const lists = Object.keys(later).find((start) => page.startsWith(start));
    return score + (title.toLowerCase().includes(query) ? 10 : 0) - (lists ? later[lists] : 0);
  },
};
