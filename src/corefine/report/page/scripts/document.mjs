// One document as the page needs it: entities with labels and colours, mentions by row, errors.

const HUES = 8;
const DASHES = 4;

/** a, b, …, z, aa, ab, … */
export const letters = (number) => (number < 0 ? ""
  : letters(Math.floor(number / 26) - 1) + String.fromCharCode(97 + (number % 26)));

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

  /** The next (1) or previous (-1) mention of the same entity; undefined at its ends. */
  siblingOf(mention, step) {
    const { mentions } = this.entityOf(mention);
    return mentions[mentions.indexOf(mention) + step];
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
    // By key entity, the mention that names it best, or -1.
    this.naming = data.key.naming || this.key.entities.map(({ mentions }) => mentions[0]);
    this.responses = data.responses.map((columns, at) => new Reading(this.key, columns, at));
    const lost = (entity) => this.responses.reduce((sum, { scores }) => sum + (scores.lost?.[entity.number] || 0), 0);
    // The key entities of several mentions, those first that cost the responses most LEA recall.
    this.costly = this.key.entities.filter((entity) => entity.mentions.length > 1)
      .sort((a, b) => lost(b) - lost(a) || b.mentions.length - a.mentions.length || a.number - b.number);
    // Entities that a flow shows together differ in colour.
    for (const [colour, entity] of this.costly.entries()) entity.colour = colour;
    for (const reading of this.responses) reading.colour(this.costly.length);
  }

  textOf(side, mention) {
    return side.piecesOf(mention).map(([start, stop]) => this.textBetween(start, stop)).join(" … ");
  }

  textBetween(start, stop) {
    return printed(this.words.slice(start, stop));
  }

  /** What a key entity is called: the words of the mention that names it best. */
  nameOf(entity) {
    const mention = entity.side.isKey ? this.naming[entity.number] : entity.mentions[0];
    return mention >= 0 ? this.textOf(entity.side, mention) : `entity ${entity.label}`;
  }

  /** The sentence of a mention, cut to so many words on either side: before it, it, after it. */
  context(side, mention, width = 14) {
    const [from, to] = [side.start[mention], side.stop[mention]];
    const first = this.rows[this.sentence.indexOf(this.sentence[this.rowOf(from)])];
    const end = this.rows[this.sentence.lastIndexOf(this.sentence[this.rowOf(to - 1)]) + 1];
    const [before, here, after] = inContext(this.words, Math.max(first, from - width), from, to, Math.min(end, to + width));
    return [(first < from - width ? "… " : "") + before, here, after + (end > to + width ? " …" : "")];
  }

  rowOf(token) {
    return this.rowOfToken[token];
  }

  /** The mention that an element stands for, by what is written on it. */
  mentionOn({ dataset }) {
    const reading = this.responses[dataset.reading];
    return { reading, side: dataset.side === "key" ? this.key : reading.side, mention: Number(dataset.mention) };
  }
}

/** A response's reading of the document: its side, its twins in the key, and its errors. */
export class Reading {
  constructor(key, columns, number) {
    this.number = number; // among the responses
    this.key = key;
    this.twin = columns.twin; // response mention → key mention, or -1
    let free = 0;
    const labels = columns.partner.map((partner) => (partner < 0 ? letters(free++) : String(partner + 1)));
    this.side = new Side("response", columns, labels);
    this.keyTwin = key.entity.map((_, mention) => this.twin.indexOf(mention));
    for (const entity of this.side.entities) entity.partner = key.entities[columns.partner[entity.number]];
    this.partnerOfKey = new Map(this.side.entities.map((entity) => [entity.partner, entity]));
    this.scores = columns.scores; // by name, a value for each key entity; null in other documents
    this.size = columns.size; // of response entities in all documents; null if counted elsewhere
    this.right = columns.right; // by level, 0 if right, -1 if there is nothing to get right
    this.errors = columns.errors.key.map((_, number) => this.errorFrom(columns.errors, number));
    this.errorsAt = { key: [], response: [] }; // by side and mention
    for (const error of this.errors) {
      for (const [side, errors] of Object.entries(this.errorsAt)) {
        for (const mention of error[side]) (errors[mention] ??= []).push(error);
      }
    }
  }

  /** An error with its number and entities; `otherKey` is what was merged or wrongly added to. */
  errorFrom(columns, number) {
    const error = Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, values[number]]));
    const isSplit = error.type === "split entity";
    const other = error.other < 0 ? [] : [(isSplit ? this.side : this.key).entities[error.other]];
    const keyEntities = error.key.slice(0, 1).map((mention) => this.key.entityOf(mention));
    const responseEntities = error.response.slice(0, 1).map((mention) => this.side.entityOf(mention));
    if (isSplit) responseEntities.push(...other);
    if (error.type === "merged entities") keyEntities.push(...other);
    return { ...error, number, keyEntities, responseEntities, otherKey: isSplit ? undefined : other[0] };
  }

  /** A paired entity has the colour of its key entity; the others have colours of their own. */
  colour(next) {
    for (const entity of this.side.entities) {
      const { partner, mentions } = entity;
      if (partner && (partner.colour >= 0 || mentions.length === 1)) entity.colour = partner.colour;
      else if (mentions.length > 1) entity.colour = next++;
    }
  }

  errorsOf(side, mention) {
    return this.errorsAt[side.name][mention] || [];
  }

  twinOf(side, mention) {
    return side.isKey ? this.keyTwin[mention] : this.twin[mention];
  }

  otherSide(side) {
    return side.isKey ? this.side : this.key;
  }

  /** What a mention is on the other side, in words. */
  twinText(side, mention) {
    const twin = this.twinOf(side, mention);
    if (twin < 0) return side.isKey ? "not found" : "not in the key";
    const other = this.otherSide(side);
    return `${other.name} ${other.entityOf(twin).label}`;
  }

  /** The entities that light up with a mention: its own, and the other side's. */
  litBy(side, mention) {
    const own = side.entityOf(mention);
    const twin = this.twinOf(side, mention);
    return twin >= 0 ? [own, this.otherSide(side).entityOf(twin)] : this.pairOf(own);
  }

  /** An entity and the one that it is aligned with, if any. */
  pairOf(entity) {
    return [entity, entity.side.isKey ? this.partnerOfKey.get(entity) : entity.partner].filter(Boolean);
  }

  /** The entity that a label in a link stands for. */
  entityCalled(label) {
    return [...this.key.entities, ...this.side.entities].find((entity) => entity.label === label);
  }
}

export const hueClass = ({ colour }) =>
  (colour < 0 ? "h-none" : `h${colour % HUES} s${Math.floor(colour / HUES) % DASHES}`);

// Tokens are printed with blanks between them, except where hardly any writing has one.
const NO_BLANK_BEFORE = /^(?:[.,;:!?%)\]}»”’…。、，！？]|['’](?:s|re|ve|ll|d|m|t)|n['’]t|''|\.\.\.)$/iu;
const NO_BLANK_AFTER = /^(?:[([{«“¿¡$£€]|``)$/u;

export const blankBetween = (left, right) => !NO_BLANK_BEFORE.test(right) && !NO_BLANK_AFTER.test(left);

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
