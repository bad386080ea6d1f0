// The text view: rows in blocks, drawn when they come into sight; what is lit, chosen and focused.

import { byId, draw, fill, make } from "./dom.mjs";
import { Drawer } from "./drawing.mjs";

const BLOCK_TOKENS = 400;

export class TextView {
  /** @param chosen called with (reading number, side, mention) when a mention is chosen */
  constructor(container, chosen) {
    this.container = container;
    this.chosen = chosen;
    this.drawer = null;
    this.blocks = [];
    this.lit = [];
    this.kept = []; // what stays lit: the chosen entity
    this.observer = new IntersectionObserver((entries) => {
      for (const entry of entries) if (entry.isIntersecting) this.drawBlock(entry.target);
    }, { rootMargin: "1200px 0px" });
    const on = (event, action) => container.addEventListener(event, action);
    on("pointerover", (event) => this.pointed(event));
    on("pointerleave", () => {
      this.light([]);
      this.drawArc(null);
    });
    on("focusin", (event) => this.focused(event));
    on("focusout", () => this.light([]));
    on("click", (event) => {
      const found = this.mentionAt(event.target);
      if (found) this.chosen(this.readings[found.number], found.side, found.mention);
    });
    on("keydown", (event) => this.keyed(event));
  }

  /** Show a page with one reading, or with several one under the other. */
  show(page, readings, names, options) {
    this.page = page;
    this.readings = readings;
    this.drawer = new Drawer(page, readings.map((number) => page.responses[number]), options);
    this.observer.disconnect();
    this.blocks = [];
    this.lit = [];
    this.kept = [];
    const head = readings.length < 2 ? null : make("p", { className: "head" }, "below the words: ",
      readings.flatMap((number, at) => [`${at ? ", then " : ""}${String.fromCharCode(65 + at)} = `, make("bdi", {}, names[number])]));
    let tokens = Infinity;
    for (let row = 0; row < page.rows.length - 1; row++) {
      if (tokens > BLOCK_TOKENS) {
        this.blocks.push({ element: make("div", { className: "block", data: { block: this.blocks.length } }), first: row, last: row, drawn: false });
        tokens = 0;
      }
      tokens += page.rows[row + 1] - page.rows[row];
      const block = this.blocks.at(-1);
      block.last = row;
      block.element.append(make("div", { className: "row", id: `row-${row}` }, make("div", { className: "names", aria: { hidden: "true" } }),
        make("p", { className: "line", dir: "auto" }, this.drawer.plainRow(row))));
    }
    fill(this.container, head, this.blocks.map(({ element }) => element));
    for (const { element } of this.blocks) this.observer.observe(element);
    if (this.blocks.length) this.drawBlock(this.blocks[0].element);
    const tag = this.container.querySelector(".tag");
    if (tag) tag.tabIndex = 0;
  }

  drawBlock(element) {
    const block = this.blocks[Number(element.dataset.block)];
    if (block.drawn) return;
    block.drawn = true;
    this.observer.unobserve(element);
    for (let row = block.first; row <= block.last; row++) {
      const [names, line] = element.children[row - block.first].children;
      this.drawer.drawRow(row, line);
      fill(names, this.drawer.names(row));
    }
    if (this.kept.length) this.paint(this.kept, "kept", true);
  }

  drawAll() {
    for (const block of this.blocks) this.drawBlock(block.element);
  }

  drawRow(row) {
    const number = this.blocks.findIndex((block) => block.first <= row && row <= block.last);
    for (const near of [number - 1, number, number + 1]) {
      if (this.blocks[near]) this.drawBlock(this.blocks[near].element);
    }
  }

  mentionAt(element) {
    const holder = element.closest("[data-mention]") || innermost(element.closest(".t"));
    if (!holder) return null;
    const number = Number(holder.dataset.reading);
    const reading = this.drawer.readings[number];
    return { side: holder.dataset.side === "key" ? this.page.key : reading.side, reading, number, mention: Number(holder.dataset.mention) };
  }

  pointed(event) {
    const found = this.mentionAt(event.target);
    this.light(found ? this.litBy(found) : []);
    this.drawArc(found);
  }

  /** An arc from a mention to the mention before it in its entity, if both are in sight. */
  drawArc(found) {
    this.arc?.remove();
    const mentions = found?.side.entityOf(found.mention).mentions || [];
    const before = mentions[mentions.indexOf(found?.mention) - 1];
    const [from, to] = [found?.mention, before].map((mention) => (mention === undefined ? null : this.drawer.tagOf(found.side, mention)));
    if (!from || !to) return;
    const frame = this.container.getBoundingClientRect();
    const [a, b] = [from, to].map((tag) => tag.getBoundingClientRect()).map((box) => [box.x + box.width / 2 - frame.x, box.y - frame.y]);
    const rise = found.side.isKey ? -Math.min(60, 14 + Math.abs(a[0] - b[0]) / 8) : Math.min(60, 26 + Math.abs(a[0] - b[0]) / 8);
    this.arc = draw("svg", { class: "arc", "aria-hidden": "true" },
      draw("path", { d: `M${a[0]} ${a[1]}C${a[0]} ${a[1] + rise} ${b[0]} ${b[1] + rise} ${b[0]} ${b[1]}` }));
    this.container.append(this.arc);
  }

  focused(event) {
    const found = this.mentionAt(event.target);
    if (!found) return;
    for (const tag of this.container.querySelectorAll(".tag[tabindex='0']")) tag.tabIndex = -1;
    if (event.target.matches(".tag")) event.target.tabIndex = 0;
    this.light(this.litBy(found));
  }

  /** What lights up with a mention: for one of the key, its counterparts in all responses shown. */
  litBy({ side, reading, mention }) {
    const readings = side.isKey ? this.drawer.readings : [reading];
    return [...new Set(readings.flatMap((one) => one.litBy(side, mention)))];
  }

  keyed(event) {
    if (!event.target.matches(".tag") || event.altKey || event.ctrlKey || event.metaKey) return;
    const forward = getComputedStyle(event.target.closest(".line")).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
    const backward = forward === "ArrowLeft" ? "ArrowRight" : "ArrowLeft";
    const step = { [forward]: 1, [backward]: -1, ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const alongText = event.key === forward || event.key === backward;
    const target = alongText ? this.neighbour(event.target, step) : this.sibling(this.mentionAt(event.target), step);
    if (target) this.focusTag(target);
  }

  /** The tag after or before this one, drawing what comes next where needed. */
  neighbour(tag, step) {
    const row = tag.closest(".row");
    const inRow = [...row.querySelectorAll(".tag")];
    const beside = inRow[inRow.indexOf(tag) + step];
    if (beside) return beside;
    for (let number = Number(row.id.slice(4)) + step; number >= 0 && number < this.page.rows.length - 1; number += step) {
      this.drawRow(number);
      const tags = [...byId(`row-${number}`).querySelectorAll(".tag")];
      if (tags.length) return tags.at(step > 0 ? 0 : -1);
    }
    return null;
  }

  /** The next or previous mention of the same entity on the same side. */
  sibling({ side, mention }, step) {
    const { mentions } = side.entityOf(mention);
    const next = mentions[mentions.indexOf(mention) + step];
    return next === undefined ? null : this.tagOf(side, next);
  }

  tagOf(side, mention) {
    this.drawRow(this.page.rowOf(side.start[mention]));
    return this.drawer.tagOf(side, mention);
  }

  focusTag(tag) {
    tag.focus({ preventScroll: true });
    tag.scrollIntoView({ block: "center", inline: "nearest" });
  }

  /** Go to a mention and focus it; one that is not drawn is gone to by its row. */
  goTo(side, mention) {
    const tag = this.tagOf(side, mention);
    if (tag) this.focusTag(tag);
    else this.goToTokens(side.start[mention]);
  }

  /** Go to a stretch of words; with `mark` its lines are marked. */
  goToTokens(first, last = first, mark = false) {
    for (const row of this.container.querySelectorAll(".row.found")) row.classList.remove("found");
    const [from, to] = [first, last].map((token) => this.page.rowOf(token));
    for (let row = from; row <= to; row++) {
      this.drawRow(row);
      byId(`row-${row}`).classList.toggle("found", mark);
    }
    byId(`row-${from}`).scrollIntoView({ block: "center" });
  }

  light(entities) {
    this.paint(this.lit, "lit", false);
    this.lit = entities;
    this.paint(entities, "lit", true);
  }

  /** Keep entities lit until others are chosen. */
  keep(entities) {
    this.paint(this.kept, "kept", false);
    this.kept = entities;
    this.paint(entities, "kept", true);
  }

  paint(entities, name, on) {
    for (const entity of entities) {
      for (const element of this.drawer.elements.get(entity) || []) {
        element.classList.toggle(element.matches(".t") ? `${name}-${entity.side.name}` : name, on);
        const tag = name === "kept" && element.querySelector(":scope > .tag");
        if (tag) tag.setAttribute("aria-pressed", String(on));
      }
    }
  }
}

/** The innermost mention over a word: the key's, or else the response's. */
function innermost(cell) {
  const lane = (segment) => Number(segment.style.getPropertyValue("--lane"));
  for (const side of ["above", "under"]) {
    const found = [...cell?.querySelectorAll(`:scope > .seg.${side}:not(.gap)`) || []];
    if (found.length) return found.reduce((a, b) => (lane(b) > lane(a) ? b : a));
  }
  return null;
}
