// One document as the page needs it: entities with labels and colours, mentions by row, errors.

export const TYPES = [
  "span error", "merged entities", "split entity", "extra mention", "extra entity", "missing mention",
  "missing entity",
];
export const KINDS = ["name", "nominal", "pronoun", "zero", "unknown"];
export const MATCHES = ["none", "partial", "exact"];
export const CATEGORIES = ["1", "2a", "2b", "3", "4", "other"];
export const WORTH = 1e4; // of the whole numbers that stand for worth, to a point of F1
const HUES = 8;
const DASHES = 4;

/** Numbers from the steps between them. */
export function summed(steps) {
  let last = 0;
  return steps.map((step) => (last += step));
}

/** a, b, …, z, aa, ab, … */
export function letters(number) {
  let text = "";
  for (let rest = number + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    text = String.fromCharCode(97 + ((rest - 1) % 26)) + text;
  }
  return text;
}

/** One side of a document: its mentions as columns and its entities as objects. */
export class Side {
  constructor(name, columns, labels, spans) {
    this.name = name;
    [this.start, this.stop] = spans;
    this.entity = columns.entity;
    this.kind = columns.kind && [...columns.kind].map(Number);
    this.pieces = columns.pieces || {};
    this.naming = columns.naming || [];
    this.entities = labels.map((label, number) => ({
      side: this,
      number,
      label,
      name: columns.names ? columns.names[number] : label,
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
    this.rows = summed(data.rows); // first token of each row; a last entry for the end
    this.sentence = summed(data.sentence); // number of the sentence that each row belongs to
    this.empty = new Set(data.empty);
    this.plain = data.plain; // there is no text: a row lists the mentions of an entity
    const { key } = data;
    const starts = summed(key.start);
    const labels = Array.from({ length: key.entities }, (_, at) => String(at + 1));
    this.key = new Side("key", key, labels, [starts, starts.map((start, at) => start + key.length[at])]);
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

  /** What a key entity is called: the words of the mention that names it best. */
  nameOf(entity) {
    const mention = this.key.naming[entity.number];
    return mention >= 0 ? this.textOf(this.key, mention) : `entity ${entity.label}`;
  }

  /** The sentence of a mention, cut to so many words on either side: before it, it, after it. */
  context(side, mention, width = 14) {
    const [from, to] = [side.start[mention], side.stop[mention]];
    let row = this.rowOf(from);
    while (row > 0 && this.sentence[row - 1] === this.sentence[row]) row--;
    let last = this.rowOf(to - 1);
    while (last + 2 < this.rows.length && this.sentence[last + 1] === this.sentence[last]) last++;
    const begin = Math.max(this.rows[row], from - width);
    const end = Math.min(this.rows[last + 1], to + width);
    const here = this.textBetween(from, to);
    const before = this.textBetween(begin, to);
    const after = this.textBetween(from, end);
    return [
      (begin > this.rows[row] ? "… " : "") + before.slice(0, before.length - here.length),
      here,
      after.slice(here.length) + (end < this.rows[last + 1] ? " …" : ""),
    ];
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
    let last = 0;
    // response mention → key mention, or -1
    this.twin = columns.twin.map((step) => (step === null ? -1 : (last += step)));
    let free = 0;
    const labels = columns.partner.map((partner) => (partner < 0 ? letters(free++) : String(partner + 1)));
    this.side = new Side("response", columns, labels, this.spans(key, columns));
    for (const [mention, twin] of this.twin.entries()) {
      if (twin >= 0 && key.pieces[twin] && !this.own.has(mention)) this.side.pieces[mention] = key.pieces[twin];
    }
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
    this.category = columns.category.map((category) => CATEGORIES[category] || null);
    this.errors = this.errorsFrom(columns.errors);
    this.keyErrors = new Map();
    this.responseErrors = new Map();
    for (const error of this.errors) {
      for (const mention of error.key) append(this.keyErrors, mention, error);
      for (const mention of error.response) append(this.responseErrors, mention, error);
    }
  }

  /** Spans are told where a mention has no twin in the key, or one with another span. */
  spans(key, columns) {
    const start = this.twin.map((twin) => key.start[twin]);
    const stop = this.twin.map((twin) => key.stop[twin]);
    const starts = summed(columns.start);
    const own = summed(columns.at);
    this.own = new Set(own);
    own.forEach((mention, at) => {
      start[mention] = starts[at];
      stop[mention] = starts[at] + columns.length[at];
    });
    return [start, stop];
  }

  errorsFrom(columns) {
    const keyEntity = (mention) => this.key.entities[this.key.entity[mention]];
    const ownEntity = (mention) => this.side.entities[this.side.entity[mention]];
    return columns.rows.map((rows, number) => {
      const type = TYPES[columns.type[number]];
      const key = rows.filter((row) => row >= 0);
      const response = rows.map((row) => (row >= 0 ? this.keyTwin[row] : -1 - row)).filter((row) => row >= 0);
      const other = columns.other[number];
      const keyEntities = key.slice(0, 1).map(keyEntity);
      const responseEntities = response.slice(0, 1).map(ownEntity);
      const otherKey = other >= 0 && type !== "split entity" ? this.key.entities[other] : null;
      if (type === "merged entities" && otherKey) keyEntities.push(otherKey);
      if (type === "split entity" && other >= 0) responseEntities.push(this.side.entities[other]);
      return {
        number, type, key, response, keyEntities, responseEntities, otherKey,
        kind: KINDS[columns.kind[number]],
        restKind: KINDS[columns.rest[number]] || null,
        distance: columns.distance[number] < 0 ? null : columns.distance[number],
        match: MATCHES[columns.match[number]] || null,
        mentions: type === "span error" ? 1 : rows.length,
        worth: columns.worth[number] / WORTH,
      };
    });
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
