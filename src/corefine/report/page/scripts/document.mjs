// One document as the page needs it: entities with labels and colours, mentions by row, errors.

const HUES = 8;
const DASHES = 4;

/** One side of a document: its mentions as columns and its entities as objects. */
export class Side {
  constructor(name, columns) {
    this.name = name;
    this.start = columns.start;
    this.stop = columns.stop;
    this.entity = columns.entity;
    this.kind = columns.kind;
    this.pieces = columns.pieces || {};
    this.entities = columns.labels.map((label, number) => ({
      side: this,
      number,
      label,
      name: columns.names[number],
      mentions: [],
      partner: null,
      colour: -1,
    }));
    this.entity.forEach((entity, mention) => this.entities[entity].mentions.push(mention));
  }

  get isKey() {
    return this.name === "key";
  }

  piecesOf(mention) {
    return this.pieces[mention] || [[this.start[mention], this.stop[mention]]];
  }
}

export class Page {
  /** @param data an unpacked document; @param number its number among all; @param id its id */
  constructor(data, number, id) {
    this.number = number;
    this.id = id;
    this.words = data.words;
    this.rows = data.rows; // first token of each row; a last entry for the end
    this.sentence = data.sentence; // number of the sentence that each row belongs to
    this.empty = new Set(data.empty);
    this.plain = data.plain; // there is no text: a row lists the mentions of an entity
    this.key = new Side("key", data.key);
    this.responses = data.responses.map((columns) => new Reading(this.key, columns));
    let colours = 0;
    for (const entity of this.key.entities) {
      if (entity.mentions.length > 1) entity.colour = colours++;
    }
    for (const reading of this.responses) reading.colour(colours);
  }

  textOf(side, mention) {
    return side
      .piecesOf(mention)
      .map(([start, stop]) => this.textBetween(start, stop))
      .join(" … ");
  }

  textBetween(start, stop) {
    return printed(this.words.slice(start, stop));
  }

  rowOf(token) {
    let low = 0;
    let high = this.rows.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.rows[middle] <= token) low = middle;
      else high = middle;
    }
    return low;
  }
}

/** A response's reading of the document: its side, its twins in the key, and its errors. */
export class Reading {
  constructor(key, columns) {
    this.key = key;
    this.side = new Side("response", columns);
    this.twin = columns.twin; // response mention → key mention, or -1
    this.keyTwin = new Array(key.entity.length).fill(-1);
    this.twin.forEach((mine, other) => {
      if (mine >= 0) this.keyTwin[mine] = other;
    });
    this.partnerOfKey = new Array(key.entities.length).fill(null);
    columns.partner.forEach((partner, number) => {
      if (partner < 0) return;
      this.side.entities[number].partner = key.entities[partner];
      this.partnerOfKey[partner] = this.side.entities[number];
    });
    this.category = columns.category;
    this.errors = columns.errors.map((row, number) => ({
      number,
      type: row[0],
      key: row[1],
      response: row[2],
      keyEntities: row[3].map((entity) => key.entities[entity]),
      responseEntities: row[4].map((entity) => this.side.entities[entity]),
      kind: row[5],
      restKind: row[6],
      distance: row[7],
      match: row[8],
      mentions: row[9],
    }));
    this.keyErrors = new Map();
    this.responseErrors = new Map();
    for (const error of this.errors) {
      for (const mention of error.key) append(this.keyErrors, mention, error);
      for (const mention of error.response) append(this.responseErrors, mention, error);
    }
  }

  /** A paired entity has the colour of its key entity; the others have colours of their own. */
  colour(first) {
    let next = first;
    for (const entity of this.side.entities) {
      if (entity.partner && (entity.partner.colour >= 0 || entity.mentions.length === 1)) {
        entity.colour = entity.partner.colour;
      } else if (entity.mentions.length > 1) {
        entity.colour = next++;
      }
    }
  }

  errorsOf(side, mention) {
    return (side.isKey ? this.keyErrors : this.responseErrors).get(mention) || [];
  }

  twinOf(side, mention) {
    return side.isKey ? this.keyTwin[mention] : this.twin[mention];
  }

  /** The entities that light up with a mention: its own, and the other side's. */
  litBy(side, mention) {
    const own = side.entities[side.entity[mention]];
    const other = side.isKey ? this.side : this.key;
    const twin = this.twinOf(side, mention);
    if (twin >= 0) return [own, other.entities[other.entity[twin]]];
    return [own, this.counterpart(own)].filter(Boolean);
  }

  counterpart(entity) {
    return entity.side.isKey ? this.partnerOfKey[entity.number] : entity.partner;
  }

  /** The entity that a label in a link stands for. */
  entityCalled(label) {
    const called = (entity) => entity.label === label;
    return this.key.entities.find(called) || this.side.entities.find(called) || null;
  }
}

export function append(map, key, value) {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

export const hueClass = (entity) =>
  entity.colour < 0
    ? "h-none"
    : `h${entity.colour % HUES} s${Math.floor(entity.colour / HUES) % DASHES}`;

// Tokens are printed with blanks between them, except where hardly any writing has one.
const NO_BLANK_BEFORE = /^(?:[.,;:!?%)\]}»”’…。、，！？]|['’](?:s|re|ve|ll|d|m|t)|n['’]t|''|\.\.\.)$/iu;
const NO_BLANK_AFTER = /^(?:[([{«“¿¡$£€]|``)$/u;

export function blankBetween(left, right) {
  return !NO_BLANK_BEFORE.test(right) && !NO_BLANK_AFTER.test(left);
}

/** Words as they are printed, with a blank between two where one is usual. */
export const printed = (words) =>
  words.map((word, at) => (at && blankBetween(words[at - 1], word) ? ` ${word}` : word)).join("");
