// Drawing: one row of the text with the key's mentions above the words and the response's below.

import { append, blankBetween, hueClass } from "./document.mjs";
import { make } from "./dom.mjs";
import { SYMBOLS, concernsKey, counted } from "./wording.mjs";

const ROW_NAMES = 6; // entities that are named beside a row

// Lanes: the distance from the words at which brackets are drawn, inner ones nearest.
/**
 * Mentions of one side within the tokens from..to, each with its pieces there and its lane.
 * Pieces of a discontinuous mention share a lane; the gap between them is part of the lane.
 */
export function lanesOf(side, mentions, from, to) {
  const drawn = mentions.map((mention) => {
    const pieces = side
      .piecesOf(mention)
      .filter(([start, stop]) => start < to && stop > from)
      .map(([start, stop]) => [Math.max(start, from), Math.min(stop, to)]);
    return {
      mention,
      pieces,
      begin: pieces[0][0],
      end: pieces[pieces.length - 1][1],
      opens: side.start[mention] >= from,
      closes: side.stop[mention] <= to,
      lane: 0,
      next: Infinity, // where the next mention in the same lane begins
    };
  });
  drawn.sort((a, b) => a.end - a.begin - (b.end - b.begin) || a.begin - b.begin);
  const taken = []; // by lane, the ranges that are in use
  for (const item of drawn) {
    let lane = 0;
    while ((taken[lane] || []).some(([begin, end]) => begin < item.end && item.begin < end)) lane++;
    (taken[lane] = taken[lane] || []).push([item.begin, item.end]);
    item.lane = lane;
  }
  for (const item of drawn) {
    const later = drawn.filter(({ lane, begin }) => lane === item.lane && begin > item.begin);
    item.next = Math.min(...later.map(({ begin }) => begin));
  }
  return drawn;
}

/** The mentions of a side by the rows that they stand in, as lists of mention numbers. */
export function mentionsByRow(page, side, wanted) {
  const rows = Array.from({ length: page.rows.length - 1 }, () => []);
  side.entity.forEach((_, mention) => {
    if (!wanted(side, mention)) return;
    const seen = new Set();
    for (const [start, stop] of side.piecesOf(mention)) {
      const last = page.rowOf(Math.max(start, stop - 1));
      for (let row = page.rowOf(start); row <= last; row++) seen.add(row);
    }
    for (const row of seen) rows[row].push(mention);
  });
  return rows;
}

/** By token from..to and side, the mentions that run over it; `drawn` has those of each side. */
export function coverOf(drawn, from, to) {
  const cover = Array.from({ length: to - from }, () => drawn.map(() => []));
  drawn.forEach((items, side) => {
    for (const item of items) {
      for (let token = item.begin; token < item.end; token++) cover[token - from][side].push(item);
    }
  });
  return cover;
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
 * In a line from right to left, the runs of words from left to right: by token the number of its run.
 * Words that are drawn as boxes have no direction for the browser, so that it would turn a run around.
 */
export function leftward(words) {
  const first = words.find((word) => RIGHT_TO_LEFT.test(word) || /\p{L}/u.test(word));
  if (!first || !RIGHT_TO_LEFT.test(first)) return [];
  let run = 0;
  return words.map((word, at) => {
    if (!LEFT_TO_RIGHT.test(word) || RIGHT_TO_LEFT.test(word)) return undefined;
    if (!at || !LEFT_TO_RIGHT.test(words[at - 1])) run++;
    return run;
  });
}

/**
 * Draws rows of a page for one response, or for two of them one under the other, and remembers which
 * elements belong to which entity.
 */
export class Drawer {
  constructor(page, readings, options) {
    this.page = page;
    this.readings = readings;
    this.elements = new Map(); // entity → elements of its mentions that are drawn
    this.tags = new Map(); // side → mention → the button that stands for it
    this.keyMentions = mentionsByRow(page, page.key, (side, mention) =>
      readings.some((reading) => this.wanted(reading, side, mention, options)));
    this.mentions = readings.map((reading) =>
      mentionsByRow(page, reading.side, (side, mention) => this.wanted(reading, side, mention, options)));
  }

  /** The number of a side's reading; the key is seen as the first response has it. */
  numberOf(side) {
    return Math.max(0, this.readings.findIndex((reading) => reading.side === side));
  }

  tagOf(side, mention) {
    return this.tags.get(side)?.get(mention);
  }

  wanted(reading, side, mention, options) {
    const entity = side.entityOf(mention);
    const errors = reading.errorsOf(side, mention);
    const twin = reading.twinOf(side, mention);
    const other = side.isKey ? reading.side : reading.key;
    if (options.errorsOnly && !errors.length) {
      if (twin < 0 || !reading.errorsOf(other, twin).length) return false;
    }
    if (options.singletons || entity.mentions.length > 1 || errors.length) return true;
    return twin >= 0 && other.entityOf(twin).mentions.length > 1;
  }

  /** The words of a row without mentions: what stands there until the row comes into sight. */
  plainRow(row) {
    return this.page.textBetween(this.page.rows[row], this.page.rows[row + 1]);
  }

  /** Fill an element with the words and mentions of a row. */
  drawRow(row, line) {
    const { page } = this;
    const from = page.rows[row];
    const to = page.rows[row + 1];
    const drawn = [lanesOf(page.key, this.keyMentions[row], from, to), []];
    let lanes = 0;
    this.readings.forEach(({ side }, number) => {
      const own = lanesOf(side, this.mentions[number][row], from, to);
      for (const item of own) Object.assign(item, { lane: item.lane + lanes, reading: number });
      lanes = Math.max(lanes + 1, ...own.map((item) => item.lane + 1));
      drawn[1].push(...own);
    });
    const cover = coverOf(drawn, from, to);
    const parts = [];
    const isolated = leftward(page.words.slice(from, to)); // by token, the run of Latin words it is in
    let run = null;
    for (let token = from; token < to; token++) {
      if (isolated[token - from] !== run?.number) {
        const number = isolated[token - from];
        run = number === undefined ? null : { number, element: make("span", { className: "run", dir: "ltr" }) };
        if (run) parts.push(run.element);
      }
      const into = run ? run.element : { append: (...nodes) => parts.push(...nodes) };
      const here = cover[token - from];
      const blank = token + 1 < to && blankBetween(page.words[token], page.words[token + 1]);
      if (!here[0].length && !here[1].length && !page.empty.has(token)) {
        into.append(page.words[token] + (blank ? " " : ""));
        continue;
      }
      const goesOn = blank && here.flat().some((item) => item.end > token + 1);
      into.append(this.cell(token, here, goesOn), blank && !goesOn ? " " : "");
    }
    line.replaceChildren(...parts);
    line.normalize();
  }

  /** The entities of a row by name: those of the key, and those of the responses that have no key entity. */
  names(row) {
    const mentions = [...this.keyMentions[row].map((mention) => [this.page.key, mention]),
      ...this.readings.flatMap(({ side }, at) => this.mentions[at][row].map((mention) => [side, mention]))];
    const found = new Map();
    for (const [side, mention] of mentions) {
      const entity = side.entityOf(mention);
      if (entity.colour >= 0 && (side.isKey || !entity.partner) && !found.has(entity)) found.set(entity, mention);
    }
    return [...found].slice(0, ROW_NAMES).map(([entity, mention]) => {
      const name = make("span", {
        className: hueClass(entity),
        data: { side: entity.side.name, mention, reading: this.numberOf(entity.side) },
      }, make("b", {}, entity.label), " ", make("bdi", {}, this.page.nameOf(entity)));
      append(this.elements, entity, name);
      return name;
    });
  }

  /** A token that mentions run over. */
  cell(token, here, goesOn) {
    const cell = make("span", { className: "t" });
    if (this.page.empty.has(token)) cell.classList.add("empty");
    const depth = here.map((items) => Math.max(0, ...items.map((item) => item.lane + 1)));
    cell.style.setProperty("--above", depth[0]);
    cell.style.setProperty("--below", depth[1]);
    const segments = here.map((items, number) =>
      items.map((item) => this.segment(token, item, number, depth[number], goesOn, cell)),
    );
    const word = make("span", { className: "w" }, this.page.words[token], goesOn ? " " : null);
    cell.append(...segments[0], word, ...segments[1]);
    return cell;
  }

  segment(token, item, number, depth, goesOn, cell) {
    const side = number === 0 ? this.page.key : this.readings[item.reading].side;
    const entity = side.entityOf(item.mention);
    const edges = edgesOf(item, token);
    const segment = make("span", {
      className: `seg ${number === 0 ? "above" : "under"} ${hueClass(entity)}`,
      data: { side: side.name, mention: item.mention, reading: item.reading ?? 0 },
    });
    segment.style.setProperty("--lane", depth - 1 - item.lane);
    for (const name of ["gap", "opens", "closes"]) segment.classList.toggle(name, edges[name]);
    if (goesOn && token + 1 === item.end) segment.classList.add("short");
    if (token === item.begin && item.opens) {
      const tag = this.tag(side, item.mention, entity);
      segment.append(tag);
      if (item.next < Infinity) {
        // The tag must not touch that of the next mention, whichever letters stand between them.
        const between = this.page.textBetween(token + 1, item.next).length;
        const needed = 0.45 * tag.textContent.length + 0.75 - 0.25 * between;
        if (needed > (parseFloat(cell.style.minWidth) || 0)) cell.style.minWidth = `${needed}em`;
      }
    }
    append(this.elements, entity, segment);
    if (!edges.gap) append(this.elements, entity, cell);
    return segment;
  }

  tag(side, mention, entity) {
    const number = this.numberOf(side);
    const own = this.readings[number].errorsOf(side, mention).filter((error) => side.isKey === concernsKey(error));
    const symbols = [...new Set(own.map((error) => SYMBOLS[error.type]))].join("");
    const tag = make(
      "button",
      {
        type: "button",
        className: own.length ? "tag wrong" : "tag",
        tabIndex: -1,
        data: { side: side.name, mention, reading: number },
        aria: { label: this.describe(side, mention, entity, own), pressed: "false" },
        title: this.describe(side, mention, entity, own),
      },
      this.mark(side) + entity.label + symbols,
    );
    if (!this.tags.has(side)) this.tags.set(side, new Map());
    this.tags.get(side).set(mention, tag);
    return tag;
  }

  /** Which response a mention is of, where there are several under the key: A or B. */
  mark(side) {
    if (side.isKey || this.readings.length < 2) return "";
    return String.fromCharCode(65 + this.numberOf(side));
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
