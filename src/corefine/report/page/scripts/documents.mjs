// The documents of the report: all are scored, and the text of some or all of them is shown.

/** Documents by their number among all documents, which is what identifies one on the page. */
export class Documents {
  constructor({ documents }) {
    this.ids = documents.id;
    this.place = documents.shown; // by document, its place among the shown ones, or -1
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

  /** The document with this id; undefined where the corpus has none. */
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

  /** The name of the chunk that holds the text of a shown document. */
  chunk(number) {
    return `d${this.place[number]}`;
  }
}
