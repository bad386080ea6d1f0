// Searching the words of all documents, the one in view first.

import { inContext } from "./document.mjs";
import { byId, fill, make } from "./dom.mjs";
import { counted } from "./wording.mjs";

const FOUND_SHOWN = 300;
const CONTEXT = 6;

/** Listen to the form in the head: `app` holds what is searched, and opens a place that is chosen. */
export function prepareSearch(app) {
  byId("search-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const words = searchedWords(byId("search").value);
    if (words.length) app.going((still) => search(app, words, still));
  });
}

async function search(app, words, still) {
  const pages = await app.library.all();
  if (!still()) return;
  const isFirst = ({ number }) => Number(number === app.document);
  const found = pages.sort((a, b) => isFirst(b) - isFirst(a)).flatMap((page) =>
    [...occurrences(page.words, words)].map((token) => foundPlace(app, page, token, words.length)));
  fill(byId("found"), found.slice(0, FOUND_SHOWN));
  const more = found.length > FOUND_SHOWN ? `, the first ${FOUND_SHOWN} shown` : "";
  byId("search-count").textContent = `${counted(found.length, "place")} in ${counted(pages.length, "document")}${more}`;
  byId("search-results").togglePopover(true);
  byId("found").querySelector("button")?.focus();
}

function foundPlace(app, page, token, length) {
  const [before, here, after] = inContext(page.words, Math.max(0, token - CONTEXT), token, token + length, token + length + CONTEXT);
  return make("li", {}, make("button", { type: "button", onclick: () => app.openPlace(page.number, token) },
    make("span", { className: "context", dir: "auto" }, before, make("mark", {}, here), after),
    make("small", {}, make("bdi", {}, app.library.name(page.number)))));
}

/** What is typed as words to look for, in lower case. */
export const searchedWords = (text) => text.toLocaleLowerCase().split(/\s+/u).filter(Boolean);

/** Tokens at which the words follow each other; the first may be the end, the last the start of one. */
export function* occurrences(text, words) {
  const last = words.length - 1;
  for (let token = 0; token + last < text.length; token++) {
    const fits = words.every((word, at) => {
      const here = text[token + at].toLocaleLowerCase();
      if (last === 0) return here.includes(word);
      return at === 0 ? here.endsWith(word) : at === last ? here.startsWith(word) : here === word;
    });
    if (fits) yield token;
  }
}
