// Order of search results: titles of pages and sections, then text, then options and attributes.
var Scorer = {
  score: ([, , , , score, , kind]) => score + ({ title: 2000, text: 1000 }[kind] || 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
