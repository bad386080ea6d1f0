// Searching the words of all documents, the one in view first.

import { printed } from "./document.mjs";
import { byId, fill, make } from "./dom.mjs";
import { counted } from "./wording.mjs";

const FOUND_SHOWN = 300;
const CONTEXT = 6;

export class Search {
  /**
   * @param read gives the data of a document
   * @param current gives the document in view
   * @param open called with (document, token, length) when a place is chosen
   */
  constructor(documents, read, current, open) {
    Object.assign(this, { documents, read, current, open });
    this.turn = 0;
    this.list = byId("found");
    this.box = byId("search");
    byId("search-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.run(this.box.value);
    });
    byId("search-close").addEventListener("click", () => this.close());
    byId("search-results").addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.close();
    });
  }

  close() {
    this.turn++;
    byId("search-results").hidden = true;
    if (window.CSS && CSS.highlights) CSS.highlights.delete("found");
    this.box.focus();
  }

  async run(text) {
    const words = searchedWords(text);
    if (!words.length) return;
    const turn = ++this.turn;
    const count = byId("search-count");
    byId("search-results").hidden = false;
    fill(this.list);
    let found = 0;
    const { shown } = this.documents;
    const total = shown.length;
    for (const [done, number] of startingWith(this.current(), shown).entries()) {
      const data = await this.read(number);
      if (turn !== this.turn) return;
      for (const [token, length] of occurrences(data.words, words)) {
        if (found < FOUND_SHOWN) this.list.append(this.item(data, number, token, length));
        found++;
      }
      if (done % 8 === 7) count.textContent = `${counted(found, "place")} in ${done + 1} of ${total} documents …`;
    }
    const more = found > FOUND_SHOWN ? `, the first ${FOUND_SHOWN} shown` : "";
    count.textContent = `${counted(found, "place")} in ${counted(total, "document")}${more}`;
    const first = this.list.querySelector("button");
    if (first) first.focus();
  }

  item(data, number, token, length) {
    const [before, here, after] = inContext(data.words, token, length);
    return make("li", {}, make("button", {
      type: "button",
      on: { click: () => this.open(number, token, length) },
    },
    make("span", { className: "context", dir: "auto" }, before, make("mark", {}, here), after),
    make("small", {}, make("bdi", {}, this.documents.name(number)))));
  }
}

/** What is typed as words to look for, in lower case. */
export const searchedWords = (text) => text.toLocaleLowerCase().split(/\s+/u).filter(Boolean);

/** A list with one of its items moved to the front. */
export const startingWith = (first, list) => [
  ...list.filter((item) => item === first),
  ...list.filter((item) => item !== first),
];

/** What is found, with the words before and after it, as they are printed. */
export function inContext(words, token, length, context = CONTEXT) {
  const stop = token + length;
  const here = printed(words.slice(token, stop));
  const before = printed(words.slice(Math.max(0, token - context), stop));
  const after = printed(words.slice(token, stop + context));
  return [before.slice(0, before.length - here.length), here, after.slice(here.length)];
}

/** Places where the words follow each other; the first may be the end, the last the start of one. */
export function* occurrences(text, words) {
  const last = words.length - 1;
  for (let token = 0; token + last < text.length; token++) {
    const fits = words.every((word, at) => {
      const here = text[token + at].toLocaleLowerCase();
      if (last === 0) return here.includes(word);
      return at === 0 ? here.endsWith(word) : at === last ? here.startsWith(word) : here === word;
    });
    if (fits) yield [token, words.length];
  }
}
