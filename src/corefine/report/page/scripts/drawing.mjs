// Drawing: one row of the text with the key's mentions above the words and the response's below.

import { blankBetween, hueClass } from "./document.mjs";
import { make } from "./dom.mjs";
import { SYMBOLS, concernsKey, counted } from "./wording.mjs";

const ROW_NAMES = 6; // entities that are named beside a row

/**
 * Mentions of one side within the tokens from..to, each with its pieces there and its lane: the
 * distance from the words at which its bracket is drawn, inner ones nearest. Pieces of a
 * discontinuous mention share a lane; the gap between them is part of the lane.
 */
export function lanesOf(side, mentions, from, to) {
  const drawn = mentions.map((mention) => {
    const pieces = side.piecesOf(mention).filter(([start, stop]) => start < to && stop > from)
      .map(([start, stop]) => [Math.max(start, from), Math.min(stop, to)]);
    const [begin, end] = [pieces[0][0], pieces.at(-1)[1]];
    const [opens, closes] = [side.start[mention] >= from, side.stop[mention] <= to];
    return { side, mention, pieces, begin, end, opens, closes, lane: 0, next: Infinity };
  });
  drawn.sort((a, b) => a.end - a.begin - (b.end - b.begin) || a.begin - b.begin);
  for (const [at, item] of drawn.entries()) {
    const inWay = drawn.slice(0, at).filter(({ begin, end }) => begin < item.end && item.begin < end);
    while (inWay.some(({ lane }) => lane === item.lane)) item.lane++;
  }
  for (const item of drawn) {
    const later = drawn.filter(({ lane, begin }) => lane === item.lane && begin > item.begin);
    item.next = Math.min(...later.map(({ begin }) => begin)); // where the next one in its lane begins
  }
  return drawn;
}

/** The mentions of a side by the rows that they stand in, as lists of mention numbers. */
export function mentionsByRow(page, side, wanted) {
  const rows = Array.from({ length: page.rows.length - 1 }, () => []);
  side.entity.forEach((_, mention) => {
    if (!wanted(mention)) return;
    for (const [start, stop] of side.piecesOf(mention)) {
      for (let row = page.rowOf(start); page.rows[row] < stop; row++) {
        if (rows[row].at(-1) !== mention) rows[row].push(mention);
      }
    }
  });
  return rows;
}

/** What of a bracket is drawn at a token: a gap between pieces, where a piece opens and closes. */
export function edgesOf(item, token) {
  return {
    gap: !item.pieces.some(([start, stop]) => start <= token && token < stop),
    opens: item.pieces.some(([start]) => start === token) && (token > item.begin || item.opens),
    closes: item.pieces.some(([, stop]) => stop === token + 1) && (token + 1 < item.end || item.closes),
  };
}

const RIGHT_TO_LEFT = /[\u0591-\u07ff\ufb1d-\ufdfd\ufe70-\ufefc]/u;
const LEFT_TO_RIGHT = /\p{Script=Latin}|\p{Script=Greek}|\p{Script=Cyrillic}|\d/u;

/**
 * Which words of a line from right to left run from left to right. Words that are drawn as boxes have
 * no direction for the browser, so that it would turn a run of them around.
 */
function leftward(words) {
  const isTurned = RIGHT_TO_LEFT.test(words.find((word) => /\p{L}/u.test(word)) || "");
  return words.map((word) => isTurned && LEFT_TO_RIGHT.test(word) && !RIGHT_TO_LEFT.test(word));
}

/**
 * Draws rows of a page for one response, or for several of them one under the other, and remembers
 * which elements belong to which entity.
 */
export class Drawer {
  constructor(page, readings, options) {
    this.page = page;
    this.readings = readings;
    this.sides = [page.key, ...readings.map(({ side }) => side)];
    // By entity, the elements of its mentions that are drawn.
    this.elements = new Map(this.sides.flatMap(({ entities }) => entities.map((entity) => [entity, []])));
    this.tags = new Map(this.sides.map((side) => [side, new Map()])); // mention → the button that stands for it
    this.mentions = this.sides.map((side) => mentionsByRow(page, side, (mention) => // by side and row
      readings.some((reading) => (side.isKey || reading.side === side) && this.wanted(reading, side, mention, options))));
  }

  /** The reading that a side is of; the key is seen as the first response has it. */
  readingOf(side) {
    return this.readings.find((reading) => reading.side === side) || this.readings[0];
  }

  tagOf(side, mention) {
    return this.tags.get(side)?.get(mention);
  }

  wanted(reading, side, mention, options) {
    const errors = reading.errorsOf(side, mention);
    const twin = reading.twinOf(side, mention);
    const other = reading.otherSide(side);
    if (options.errorsOnly && !errors.length && (twin < 0 || !reading.errorsOf(other, twin).length)) return false;
    if (options.singletons || side.entityOf(mention).mentions.length > 1 || errors.length) return true;
    return twin >= 0 && other.entityOf(twin).mentions.length > 1;
  }

  /** Fill an element with the words and mentions of a row. */
  drawRow(row, line) {
    const { page } = this;
    const [from, to] = page.rows.slice(row, row + 2);
    const [above, ...under] = this.sides.map((side, at) => lanesOf(side, this.mentions[at][row], from, to));
    let lanes = 0; // that the responses before this one take
    for (const items of under) {
      for (const item of items) item.lane += lanes;
      lanes = Math.max(lanes + 1, ...items.map(({ lane }) => lane + 1));
    }
    const isLeftward = leftward(page.words.slice(from, to));
    let run = null; // what the words of a run are put into
    line.replaceChildren();
    for (let token = from; token < to; token++) {
      if (!isLeftward[token - from]) run = null;
      else if (!run) line.append(run = make("span", { className: "run", dir: "ltr" }));
      const here = [above, under.flat()].map((items) => items.filter(({ begin, end }) => begin <= token && token < end));
      const blank = token + 1 < to && blankBetween(page.words[token], page.words[token + 1]) ? " " : "";
      const goesOn = blank && here.flat().some(({ end }) => end > token + 1);
      const isBare = !here.flat().length && !page.empty.has(token);
      (run || line).append(isBare ? page.words[token] : this.cell(token, here, goesOn), goesOn ? "" : blank);
    }
    line.normalize();
  }

  /** The entities of a row by name: those of the key, and those of the responses that have no key entity. */
  names(row) {
    const mentions = this.sides.flatMap((side, at) => this.mentions[at][row].map((mention) => [side.entityOf(mention), mention]));
    const named = new Map();
    for (const [entity, mention] of mentions) if (entity.colour >= 0 && !entity.partner) named.set(entity, mention);
    return [...named].slice(0, ROW_NAMES).map(([entity, mention]) => {
      const name = make("span", { className: hueClass(entity), data: this.dataOf(entity.side, mention) },
        make("b", {}, entity.label), " ", make("bdi", {}, this.page.nameOf(entity)));
      this.elements.get(entity).push(name);
      return name;
    });
  }

  /** What an element that stands for a mention has on it. */
  dataOf(side, mention) {
    return { side: side.name, mention, reading: this.readingOf(side).number };
  }

  /** A token that mentions run over. */
  cell(token, here, goesOn) {
    const depths = here.map((items) => Math.max(0, ...items.map(({ lane }) => lane + 1)));
    const cell = make("span", {
      className: this.page.empty.has(token) ? "t empty" : "t", style: `--above: ${depths[0]}; --below: ${depths[1]}`,
    });
    const [above, under] = here.map((items, at) => items.map((item) => this.segment(token, item, depths[at], goesOn, cell)));
    cell.append(...above, make("span", { className: "w" }, this.page.words[token], goesOn ? " " : null), ...under);
    return cell;
  }

  /** The part of a mention's bracket that is drawn at a token. */
  segment(token, item, depth, goesOn, cell) {
    const { side, mention } = item;
    const entity = side.entityOf(mention);
    const edges = edgesOf(item, token);
    const segment = make("span", {
      className: `seg ${side.isKey ? "above" : "under"} ${hueClass(entity)}`,
      data: this.dataOf(side, mention), style: `--lane: ${depth - 1 - item.lane}`,
    });
    for (const [name, is] of Object.entries(edges)) segment.classList.toggle(name, is);
    if (goesOn && token + 1 === item.end) segment.classList.add("short");
    if (token === item.begin && item.opens) {
      const tag = this.tag(side, mention, entity);
      segment.append(tag);
      if (item.next < Infinity) {
        // The tag must not touch that of the next mention, whichever letters stand between them.
        const between = this.page.textBetween(token + 1, item.next).length;
        const needed = 0.45 * tag.textContent.length + 0.75 - 0.25 * between;
        if (needed > (parseFloat(cell.style.minWidth) || 0)) cell.style.minWidth = `${needed}em`;
      }
    }
    this.elements.get(entity).push(...edges.gap ? [segment] : [segment, cell]);
    return segment;
  }

  tag(side, mention, entity) {
    const errors = this.readingOf(side).errorsOf(side, mention).filter((error) => side.isKey === concernsKey(error));
    const label = this.describe(side, mention, entity, errors);
    const symbols = [...new Set(errors.map((error) => SYMBOLS[error.type]))].join("");
    const tag = make("button", {
      type: "button", className: errors.length ? "tag wrong" : "tag", tabIndex: -1,
      data: this.dataOf(side, mention), ariaLabel: label, ariaPressed: "false", title: label,
    }, this.mark(side) + entity.label + symbols);
    this.tags.get(side).set(mention, tag);
    return tag;
  }

  /** Which response a mention is of, where there are several under the key: A or B. */
  mark(side) {
    if (side.isKey || this.readings.length < 2) return "";
    return String.fromCharCode(65 + this.readings.indexOf(this.readingOf(side)));
  }

  /** A mention in words, for those who do not see its bracket. */
  describe(side, mention, entity, errors) {
    const mark = this.mark(side);
    const where = side.isKey ? "key" : mark ? `response ${mark}` : "response";
    const size = counted(entity.mentions.length, "mention");
    const wrong = errors.length ? `; ${errors.map((error) => error.type).join(", ")}` : "";
    const seen = mark ? `${mark}${entity.label}: ` : ""; // the name begins with what is seen
    return `${seen}${where} entity ${entity.label}, ${size}: ${this.page.textOf(side, mention)}${wrong}`;
  }
}
