// The documents of the report: all are scored, and the text of some or all of them is shown.

import { Page } from "./document.mjs";

/** The value of a chunk: JSON, compressed with gzip, in base64. */
export async function unpack(packed) {
  const bytes = Uint8Array.from(atob(packed.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

/** Documents by their number among all documents, which is what identifies one on the page. */
export class Library {
  /** @param source gives the packed text of a chunk by its name, or undefined */
  constructor(meta, source) {
    this.ids = meta.documents.id;
    this.place = meta.documents.shown; // by document, its place among the shown ones, or -1
    this.source = source;
    this.pages = new Map(); // promises of pages by document
    this.shown = []; // the shown documents, in the order of the report
    this.place.forEach((place, number) => {
      if (place >= 0) this.shown[place] = number;
    });
    // Two ids that look the same lead to the one that is shown.
    this.numbers = new Map();
    this.ids.forEach((id, number) => {
      if (!this.isShown(this.numbers.get(id))) this.numbers.set(id, number);
    });
  }

  isShown(number) {
    return this.place[number] >= 0;
  }

  /** The document with this id; undefined if the corpus has none. */
  find(id) {
    return this.numbers.get(id);
  }

  name(number) {
    return this.ids[number] || "(unnamed)";
  }

  /** The shown document after (1) or before (-1) this one; undefined at the ends. */
  step(number, by) {
    return this.shown[this.place[number] + by];
  }

  /** A document, unpacked once. */
  page(number) {
    if (!this.pages.has(number)) this.pages.set(number, this.read(number));
    return this.pages.get(number);
  }

  async read(number) {
    const packed = this.source(`d${this.place[number]}`);
    if (packed === undefined) throw new Error(`There is no text of document ${this.name(number)}.`);
    return new Page(await unpack(packed), number, this.ids[number]);
  }

  /** All shown documents. */
  all() {
    return Promise.all(this.shown.map((number) => this.page(number)));
  }
}
