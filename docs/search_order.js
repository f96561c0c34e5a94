// What the search of the site shows first. Sphinx's scores, and then: the page that answers a newcomer's question (ANSWERS of conf.py), one
// that the query names, pages that explain before those that list; a name of the library, with a dot or underscore, finds its reference.
var Scorer = {
  objNameMatch: 11, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
  score: ([page, title, anchor, description, score]) => {
    const query = (new URLSearchParams(location.search).get("q") || "").trim().toLowerCase();
    if (/[._]/.test(query)) return score;
    const later = { "docs/api/": 40, "notebooks/": 8, "theory/": 4, "proofs/": 8 };
    const lists = Object.keys(later).find((start) => page.startsWith(start));
    const [answer] = ANSWERS.find(([, words]) => new RegExp(words).test(query)) || [];
    return score + (page === answer ? 60 : 0) + (title.toLowerCase().includes(query) ? 10 : 0) - (lists ? later[lists] : 0);
  },
};
