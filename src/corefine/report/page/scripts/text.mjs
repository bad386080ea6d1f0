// The text view: rows in blocks, drawn when they come into sight; what is lit, chosen and focused.

import { byId, draw, fill, make } from "./dom.mjs";
import { Drawer } from "./drawing.mjs";

const BLOCK_TOKENS = 400;

export class TextView {
  /** @param chosen called with (reading number, side, mention) when a mention is chosen */
  constructor(container, chosen) {
    this.container = container;
    this.chosen = chosen;
    this.drawers = [];
    this.blocks = [];
    this.lit = [];
    this.kept = []; // what stays lit: the chosen entity
    this.observer = new IntersectionObserver((entries) => {
      for (const entry of entries) if (entry.isIntersecting) this.drawBlock(entry.target);
    }, { rootMargin: "1200px 0px" });
    container.addEventListener("pointerover", (event) => this.pointed(event));
    container.addEventListener("pointerleave", () => {
      this.light([]);
      this.drawArc(null);
    });
    container.addEventListener("focusin", (event) => this.focused(event));
    container.addEventListener("focusout", () => this.light([]));
    container.addEventListener("click", (event) => this.clicked(event));
    container.addEventListener("keydown", (event) => this.keyed(event));
  }

  /** Show a page with one or more readings, side by side or one under the other. */
  show(page, readings, names, options) {
    this.page = page;
    const columns = options.under ? [readings] : readings.map((number) => [number]);
    this.drawers = columns.map((numbers) => new Drawer(page, numbers.map((number) => page.responses[number]), options));
    this.columns = columns;
    this.observer.disconnect();
    this.blocks = [];
    this.lit = [];
    this.kept = [];
    this.container.classList.toggle("several", columns.length > 1);
    this.container.style.setProperty("--columns", columns.length);
    const titles = options.under
      ? [make("div", { className: "head" }, "below the words: ", readings.map((number, at) =>
          [at ? ", then " : "", `${String.fromCharCode(65 + at)} = `, make("bdi", {}, names[number])]).flat())]
      : columns.map(([number]) => make("div", { className: "head" }, make("bdi", {}, names[number])));
    const heads = readings.length > 1
      ? [make("div", { className: "row heads" }, make("span", { className: "names" }), titles)]
      : [];
    let block = null;
    let tokens = Infinity;
    for (let row = 0; row < page.rows.length - 1; row++) {
      if (tokens > BLOCK_TOKENS) {
        block = make("div", { className: "block", data: { block: this.blocks.length } });
        this.blocks.push({ element: block, first: row, last: row, drawn: false });
        tokens = 0;
      }
      tokens += page.rows[row + 1] - page.rows[row];
      this.blocks[this.blocks.length - 1].last = row;
      block.append(this.emptyRow(row));
    }
    fill(this.container, heads, this.blocks.map((item) => item.element));
    for (const item of this.blocks) this.observer.observe(item.element);
    if (this.blocks.length) this.drawBlock(this.blocks[0].element);
    this.firstTag();
  }

  emptyRow(row) {
    const cells = this.drawers.map((drawer) =>
      make("p", { className: "line", dir: "auto" }, drawer.plainRow(row)),
    );
    return make("div", { className: "row", id: `row-${row}` }, make("div", { className: "names", aria: { hidden: "true" } }), cells);
  }

  drawBlock(element) {
    const block = this.blocks[Number(element.dataset.block)];
    if (block.drawn) return;
    block.drawn = true;
    this.observer.unobserve(element);
    for (let row = block.first; row <= block.last; row++) {
      const lines = element.children[row - block.first].querySelectorAll(".line");
      this.drawers.forEach((drawer, number) => drawer.drawRow(row, lines[number]));
      fill(element.children[row - block.first].firstChild, this.drawers[0].names(row));
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

  /** Which drawer's column an element stands in. */
  columnOf(element) {
    const line = element.closest(".line");
    return line ? [...line.parentElement.querySelectorAll(".line")].indexOf(line) : 0;
  }

  mentionAt(element) {
    const holder = element.closest("[data-mention]") || innermost(element.closest(".t"));
    if (!holder) return null;
    const column = this.columnOf(holder);
    const drawer = this.drawers[column];
    const number = Number(holder.dataset.reading);
    const reading = drawer.readings[number];
    const side = holder.dataset.side === "key" ? this.page.key : reading.side;
    return { column, drawer, side, reading, number, mention: Number(holder.dataset.mention) };
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
    const [from, to] = [found?.mention, before].map((mention) => (mention === undefined ? null : found.drawer.tagOf(found.side, mention)));
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
  litBy({ drawer, side, reading, mention }) {
    const readings = side.isKey ? drawer.readings : [reading];
    return [...new Set(readings.flatMap((one) => one.litBy(side, mention)))];
  }

  clicked(event) {
    const found = this.mentionAt(event.target);
    if (found) this.chosen(this.columns[found.column][found.number], found.side, found.mention);
  }

  keyed(event) {
    if (!event.target.matches(".tag") || event.altKey || event.ctrlKey || event.metaKey) return;
    const forward = getComputedStyle(event.target.closest(".line")).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
    const backward = forward === "ArrowLeft" ? "ArrowRight" : "ArrowLeft";
    const found = this.mentionAt(event.target);
    let target = null;
    if (event.key === forward) target = this.neighbour(event.target, 1);
    else if (event.key === backward) target = this.neighbour(event.target, -1);
    else if (event.key === "ArrowDown") target = this.sibling(found, 1);
    else if (event.key === "ArrowUp") target = this.sibling(found, -1);
    else return;
    event.preventDefault();
    if (target) this.focusTag(target);
  }

  /** The tag after or before this one in its column, drawing what comes next where needed. */
  neighbour(tag, step) {
    const column = this.columnOf(tag);
    const row = tag.closest(".row");
    const inRow = tagsOf(row, column);
    const at = inRow.indexOf(tag) + step;
    if (inRow[at]) return inRow[at];
    let number = Number(row.id.slice(4)) + step;
    for (; number >= 0 && number < this.page.rows.length - 1; number += step) {
      this.drawRow(number);
      const tags = tagsOf(byId(`row-${number}`), column);
      if (tags.length) return tags[step > 0 ? 0 : tags.length - 1];
    }
    return null;
  }

  /** The next or previous mention of the same entity on the same side. */
  sibling({ column, side, mention }, step) {
    const { mentions } = side.entityOf(mention);
    const next = mentions[mentions.indexOf(mention) + step];
    return next === undefined ? null : this.tagOf(column, side, next);
  }

  tagOf(column, side, mention) {
    this.drawRow(this.page.rowOf(side.start[mention]));
    return this.drawers[column].tagOf(side, mention);
  }

  focusTag(tag) {
    tag.focus({ preventScroll: true });
    tag.scrollIntoView({ block: "center", inline: "nearest" });
  }

  firstTag() {
    const tag = this.container.querySelector(".tag");
    if (tag && !this.container.querySelector(".tag[tabindex='0']")) tag.tabIndex = 0;
  }

  /** Go to a mention and focus it; one that is not drawn is gone to by its row. */
  goTo(column, side, mention) {
    const tag = this.tagOf(column, side, mention);
    if (tag) this.focusTag(tag);
    else this.goToToken(side.start[mention]);
  }

  /** Go to a word; with `mark` its line is marked, as the one that was searched for. */
  goToToken(token, mark = false) {
    const row = this.page.rowOf(token);
    this.drawRow(row);
    byId(`row-${row}`).scrollIntoView({ block: "center" });
    byId(`row-${row}`).classList.toggle("found", mark);
  }

  /** Go to a stretch of words, and mark its lines. */
  goToTokens(first, last) {
    for (const row of this.container.querySelectorAll(".row.found")) row.classList.remove("found");
    const [from, to] = [first, last].map((token) => this.page.rowOf(token));
    for (let row = from; row <= to; row++) {
      this.drawRow(row);
      byId(`row-${row}`).classList.add("found");
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
    for (const drawer of this.drawers) {
      for (const entity of entities) {
        for (const element of drawer.elements.get(entity) || []) {
          element.classList.toggle(element.matches(".t") ? `${name}-${entity.side.name}` : name, on);
          const tag = name === "kept" && element.querySelector(":scope > .tag");
          if (tag) tag.setAttribute("aria-pressed", String(on));
        }
      }
    }
  }
}

const tagsOf = (row, column) => [...row.querySelectorAll(".line")[column].querySelectorAll(".tag")];

/** The innermost mention over a word: the key's, or else the response's. */
function innermost(cell) {
  if (!cell) return null;
  const above = [...cell.querySelectorAll(":scope > .seg.above:not(.gap)")];
  const under = [...cell.querySelectorAll(":scope > .seg.under:not(.gap)")];
  const deepest = (list) =>
    list.reduce((a, b) => (laneOf(b) > laneOf(a) ? b : a), list[0]);
  return above.length ? deepest(above) : under.length ? deepest(under) : null;
}

const laneOf = (segment) => Number(segment.style.getPropertyValue("--lane"));
