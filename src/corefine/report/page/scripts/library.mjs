// The documents of the report: all are scored, and the text of some or all of them is shown.

import { Page } from "./document.mjs";
import { unpack } from "./dom.mjs";

/** Documents by their number among all documents, which is what identifies one on the page. */
export class Library {
  /** @param source gives the packed text of a chunk by its name */
  constructor(meta, source) {
    this.ids = meta.documents.id;
    this.place = meta.documents.shown; // by document, its place among the shown ones, or -1
    this.source = source;
    this.pages = new Map(); // promises of pages by document
    // The shown documents, in the order of the report.
    this.shown = [...this.ids.keys()].filter((number) => this.isShown(number)).sort((a, b) => this.place[a] - this.place[b]);
  }

  isShown(number) {
    return this.place[number] >= 0;
  }

  /** The document with this id, a shown one if two have it; -1 if the corpus has none. */
  find(id) {
    return this.shown.find((number) => this.ids[number] === id) ?? this.ids.indexOf(id);
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
    const data = await unpack(this.source(`d${this.place[number]}`));
    return new Page({ ...data, key: plainSide(data.key), responses: data.responses.map(plainReading) }, number, this.ids[number]);
  }

  /** All shown documents. */
  all() {
    return Promise.all(this.shown.map((number) => this.page(number)));
  }
}

/** Numbers from the first and the steps to the next ones. */
function fromSteps(steps) {
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
  const key = columns.errors.key.map(fromSteps);
  const response = columns.errors.response.map((steps, at) =>
    (steps ? fromSteps(steps) : key[at].map((mention) => twin.indexOf(mention))));
  return { ...plainSide(columns), twin, errors: { ...columns.errors, key, response } };
}
