// The documents of the report: all are scored, and the text of some or all of them is shown.

import { Page } from "./document.mjs";
import { unpack } from "./dom.mjs";

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
    const data = await unpack(packed);
    return new Page({ ...data, key: plainSide(data.key), responses: data.responses.map(plainReading) }, number, this.ids[number]);
  }

  /** All shown documents. */
  all() {
    return Promise.all(this.shown.map((number) => this.page(number)));
  }
}

/** Numbers from the first and the steps to the next ones. */
export function fromSteps(steps) {
  let last = 0;
  return steps.map((step) => (last += step));
}

/** Mentions from steps and lengths, as which they are packed. */
function plainSide({ step, length, ...columns }) {
  const start = fromSteps(step);
  return { ...columns, start, stop: length.map((one, mention) => start[mention] + one) };
}

/** A response; errors without mentions of their own have the twins of those of the key. */
function plainReading(columns) {
  const twin = columns.twin.map((step, mention) => (step === null ? -1 : mention + step));
  const found = new Map(twin.map((mine, mention) => [mine, mention]));
  const key = columns.errors.key.map(fromSteps);
  const response = columns.errors.response.map((steps, at) => (steps ? fromSteps(steps) : key[at].map((mention) => found.get(mention))));
  return { ...plainSide(columns), twin, errors: { ...columns.errors, key, response } };
}
