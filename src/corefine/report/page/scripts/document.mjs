// One document as the page needs it: entities with labels and colours, mentions by row, errors.

const HUES = 8;
const DASHES = 4;

/** a, b, …, z, aa, ab, … */
export function letters(number) {
  let text = "";
  for (let rest = number + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    text = String.fromCharCode(97 + ((rest - 1) % 26)) + text;
  }
  return text;
}

/** Columns as a list of objects. */
export const rowsFrom = (columns) => {
  const names = Object.keys(columns);
  return columns[names[0]].map((_, at) => Object.fromEntries(names.map((name) => [name, columns[name][at]])));
};

/** One side of a document: its mentions as columns and its entities as objects. */
export class Side {
  constructor(name, columns, labels) {
    this.name = name;
    this.isKey = name === "key";
    this.start = columns.start;
    this.stop = columns.stop;
    this.entity = columns.entity;
    this.kind = columns.kind;
    this.pieces = columns.pieces;
    this.naming = columns.naming || [];
    this.entities = labels.map((label, number) => ({
      side: this, number, label,
      name: columns.names ? columns.names[number] : label,
      mentions: [], partner: null, colour: -1,
    }));
    this.entity.forEach((entity, mention) => this.entities[entity].mentions.push(mention));
    for (const { mentions } of this.entities) mentions.sort((a, b) => this.start[a] - this.start[b] || this.stop[b] - this.stop[a]);
  }

  piecesOf(mention) {
    return this.pieces[mention] || [[this.start[mention], this.stop[mention]]];
  }

  entityOf(mention) {
    return this.entities[this.entity[mention]];
  }
}

export class Page {
  /** @param data an unpacked document; @param number its number among all; @param id its id */
  constructor(data, number, id) {
    this.number = number;
    this.id = id;
    this.words = data.words;
    this.rows = data.rows; // first token of each row; a last entry for the end
    this.rowOfToken = this.rows.slice(1).flatMap((end, row) => new Array(end - this.rows[row]).fill(row));
    this.sentence = data.sentence; // number of the sentence that each row belongs to
    this.empty = new Set(data.empty);
    this.plain = data.plain; // there is no text: a row lists the mentions of an entity
    const labels = Array.from({ length: data.key.entities }, (_, at) => String(at + 1));
    this.key = new Side("key", data.key, labels);
    this.responses = data.responses.map((columns) => new Reading(this.key, columns));
    const lost = (entity) => this.responses.reduce((sum, { scores }) => sum + (scores.lost?.[entity.number] || 0), 0);
    // The key entities of several mentions, those first that cost the responses most LEA recall.
    this.costly = this.key.entities.filter((entity) => entity.mentions.length > 1)
      .sort((a, b) => lost(b) - lost(a) || b.mentions.length - a.mentions.length || a.number - b.number);
    // Entities that a flow shows together differ in colour.
    for (const [colour, entity] of this.costly.entries()) entity.colour = colour;
    for (const reading of this.responses) reading.colour(this.costly.length);
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
    const mention = entity.side.isKey ? this.key.naming[entity.number] : entity.mentions[0];
    return mention >= 0 ? this.textOf(entity.side, mention) : `entity ${entity.label}`;
  }

  /** The sentence of a mention, cut to so many words on either side: before it, it, after it. */
  context(side, mention, width = 14) {
    const [from, to] = [side.start[mention], side.stop[mention]];
    let row = this.rowOf(from);
    while (row > 0 && this.sentence[row - 1] === this.sentence[row]) row--;
    let last = this.rowOf(to - 1);
    while (last + 2 < this.rows.length && this.sentence[last + 1] === this.sentence[last]) last++;
    const [begin, end] = [Math.max(this.rows[row], from - width), Math.min(this.rows[last + 1], to + width)];
    const [before, here, after] = inContext(this.words, begin, from, to, end);
    return [(begin > this.rows[row] ? "… " : "") + before, here, after + (end < this.rows[last + 1] ? " …" : "")];
  }

  rowOf(token) {
    return this.rowOfToken[token];
  }
}

/** A response's reading of the document: its side, its twins in the key, and its errors. */
export class Reading {
  constructor(key, columns) {
    this.key = key;
    this.twin = columns.twin; // response mention → key mention, or -1
    let free = 0;
    const labels = columns.partner.map((partner) => (partner < 0 ? letters(free++) : String(partner + 1)));
    this.side = new Side("response", columns, labels);
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
    this.scores = columns.scores; // by name, a value for each key entity; null in other documents
    this.size = columns.size; // of response entities in all documents; null if counted elsewhere
    this.right = columns.right; // by level, 0 if right, -1 if there is nothing to get right
    this.errors = rowsFrom(columns.errors).map((error, number) => this.completed(error, number));
    this.keyErrors = new Map();
    this.responseErrors = new Map();
    for (const error of this.errors) {
      for (const mention of error.key) append(this.keyErrors, mention, error);
      for (const mention of error.response) append(this.responseErrors, mention, error);
    }
  }

  completed(error, number) {
    const keyEntities = error.key.slice(0, 1).map((mention) => this.key.entityOf(mention));
    const responseEntities = error.response.slice(0, 1).map((mention) => this.side.entityOf(mention));
    const isSplit = error.type === "split entity";
    const otherKey = error.other >= 0 && !isSplit ? this.key.entities[error.other] : null;
    if (error.type === "merged entities" && otherKey) keyEntities.push(otherKey);
    if (isSplit && error.other >= 0) responseEntities.push(this.side.entities[error.other]);
    const mentions = error.type === "span error" ? 1 : Math.max(error.key.length, error.response.length);
    return { ...error, number, keyEntities, responseEntities, otherKey, mentions };
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
    const own = side.entityOf(mention);
    const other = side.isKey ? this.side : this.key;
    const twin = this.twinOf(side, mention);
    if (twin >= 0) return [own, other.entityOf(twin)];
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

/** Words from..to with those from begin and to end around them, as they are printed. */
export function inContext(words, begin, from, to, end) {
  const here = printed(words.slice(from, to));
  const before = printed(words.slice(begin, to));
  const after = printed(words.slice(from, end));
  return [before.slice(0, before.length - here.length), here, after.slice(here.length)];
}
