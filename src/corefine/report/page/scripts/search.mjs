// Searching the words of all documents, the one in view first.

import { inContext } from "./document.mjs";
import { byId, fill, make } from "./dom.mjs";
import { counted } from "./wording.mjs";

const FOUND_SHOWN = 300;
const CONTEXT = 6;

export class Search {
  /**
   * @param current gives the document in view
   * @param open called with (document, token) when a place is chosen
   */
  constructor(library, current, open) {
    this.library = library;
    this.current = current;
    this.open = open;
    this.turn = 0;
    this.results = byId("search-results");
    this.box = byId("search");
    byId("search-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.run(searchedWords(this.box.value));
    });
    byId("search-close").addEventListener("click", () => this.close());
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !this.results.hidden) this.close();
    });
  }

  close(refocus = true) {
    this.turn++;
    this.results.hidden = true;
    if (refocus) this.box.focus();
  }

  async run(words) {
    if (!words.length) return;
    const turn = ++this.turn;
    const pages = await this.library.all();
    if (turn !== this.turn) return;
    const found = startingWith(this.current(), pages).flatMap((page) =>
      [...occurrences(page.words, words)].map((token) => this.item(page, token, words.length)));
    fill(byId("found"), found.slice(0, FOUND_SHOWN));
    const more = found.length > FOUND_SHOWN ? `, the first ${FOUND_SHOWN} shown` : "";
    byId("search-count").textContent = `${counted(found.length, "place")} in ${counted(pages.length, "document")}${more}`;
    this.results.hidden = false;
    byId("found").querySelector("button")?.focus();
  }

  item(page, token, length) {
    const [before, here, after] = inContext(page.words, Math.max(0, token - CONTEXT), token, token + length, token + length + CONTEXT);
    return make("li", {}, make("button", { type: "button", on: { click: () => this.open(page.number, token) } },
      make("span", { className: "context", dir: "auto" }, before, make("mark", {}, here), after),
      make("small", {}, make("bdi", {}, this.library.name(page.number)))));
  }
}

/** What is typed as words to look for, in lower case. */
export const searchedWords = (text) => text.toLocaleLowerCase().split(/\s+/u).filter(Boolean);

/** Pages with that of one document moved to the front. */
export const startingWith = (first, pages) => [...pages].sort((a, b) => Number(b.number === first) - Number(a.number === first));

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
