// The text view: rows, drawn when they come into sight; what is lit, chosen and focused.

import { byId, draw, fill, make } from "./dom.mjs";
import { Drawer } from "./drawing.mjs";

const NEAR = 400; // words before and after a row that are drawn with it

export class TextView {
  /** @param chosen called with (reading, side, mention) when a mention is chosen */
  constructor(container, chosen) {
    this.container = container;
    this.lit = [];
    this.kept = []; // what stays lit: the chosen entity
    this.observer = new IntersectionObserver((entries) => {
      this.drawRows(entries.filter((entry) => entry.isIntersecting).map(({ target }) => target));
    }, { rootMargin: "1200px 0px" });
    const on = (event, action) => container.addEventListener(event, action);
    on("pointerover", (event) => this.point(this.mentionAt(event.target)));
    on("pointerleave", () => this.point(null));
    on("focusin", (event) => this.focused(event));
    on("focusout", () => this.light([]));
    on("click", (event) => {
      const found = this.mentionAt(event.target);
      if (found) chosen(found.reading, found.side, found.mention);
    });
    on("keydown", (event) => this.keyed(event));
  }

  /** Show a page with one reading, or with several one under the other; `names` are those of all responses. */
  show(page, readings, names, options) {
    this.page = page;
    this.drawer = new Drawer(page, readings, options);
    this.lit = [];
    this.kept = [];
    const head = readings.length < 2 ? null : make("p", { className: "head" }, "below the words: ",
      readings.flatMap(({ number }, at) => [`${at ? ", then " : ""}${String.fromCharCode(65 + at)} = `, make("bdi", {}, names[number])]));
    this.rows = page.rows.slice(0, -1).map((start, row) => make("div", { className: "row", id: `row-${row}` },
      make("div", { className: "names", ariaHidden: "true" }),
      make("p", { className: "line", dir: "auto" }, page.textBetween(start, page.rows[row + 1]))));
    this.undrawn = new Set(this.rows);
    fill(this.container, head, this.rows);
    this.observer.disconnect();
    for (const row of this.rows) this.observer.observe(row);
    this.drawNear(0);
    const tag = this.container.querySelector(".tag");
    if (tag) tag.tabIndex = 0;
  }

  /** Draw the mentions of rows that have only their words. */
  drawRows(rows) {
    for (const row of rows) {
      if (!this.undrawn.delete(row)) continue;
      const number = this.rows.indexOf(row);
      const [names, line] = row.children;
      this.drawer.drawRow(number, line);
      fill(names, this.drawer.names(number));
    }
    this.paint(this.kept, "kept", true);
  }

  /** Draw a row and what is near it, so that it stays in its place once it is scrolled to. */
  drawNear(number) {
    const starts = this.page.rows;
    this.drawRows(this.rows.filter((_, row) => Math.abs(starts[row] - starts[number]) <= NEAR));
  }

  /** The mention that an element stands for, or the shortest one over a word: the key's, or else a response's. */
  mentionAt(element) {
    const holder = element.closest("[data-mention]") || element.closest(".t")?.querySelector(":scope > .seg:not(.gap)");
    return holder ? this.page.mentionOn(holder) : null;
  }

  /** Light up a mention that is pointed at, and draw an arc to the one before it in its entity. */
  point(found) {
    this.light(found ? this.litBy(found) : []);
    this.arc?.remove();
    if (!found) return;
    const { side, mention } = found;
    const tags = [mention, side.siblingOf(mention, -1)].map((one) => this.drawer.tagOf(side, one));
    if (!tags.every(Boolean)) return;
    const frame = this.container.getBoundingClientRect();
    const [a, b] = tags.map((tag) => tag.getBoundingClientRect()).map((box) => [box.x + box.width / 2 - frame.x, box.y - frame.y]);
    const far = Math.abs(a[0] - b[0]) / 8;
    const rise = side.isKey ? -Math.min(60, 14 + far) : Math.min(60, 26 + far);
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

  /** Along the text with the arrows of its direction, and up and down in an entity. */
  keyed(event) {
    const tag = event.target;
    if (!tag.matches(".tag") || event.altKey || event.ctrlKey || event.metaKey) return;
    const forward = getComputedStyle(tag.closest(".line")).direction === "rtl" ? -1 : 1;
    const along = { ArrowRight: forward, ArrowLeft: -forward }[event.key];
    const inEntity = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!along && !inEntity) return;
    event.preventDefault();
    const { side, mention } = this.mentionAt(tag);
    const target = along ? this.neighbour(tag, along) : this.tagOf(side, side.siblingOf(mention, inEntity));
    if (target) this.focusTag(target);
  }

  /** The tag after or before this one, drawing what comes next where needed. */
  neighbour(tag, step) {
    for (let number = this.rows.indexOf(tag.closest(".row")); this.rows[number]; number += step) {
      this.drawNear(number);
      const tags = [...this.rows[number].querySelectorAll(".tag")];
      const found = tags.includes(tag) ? tags[tags.indexOf(tag) + step] : tags.at(step > 0 ? 0 : -1);
      if (found) return found;
    }
    return null;
  }

  /** The tag of a mention; undefined if it is not among what is shown. */
  tagOf(side, mention) {
    if (mention === undefined) return undefined;
    this.drawNear(this.page.rowOf(side.start[mention]));
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

  /** Go to a stretch of words, and mark its lines. */
  goToTokens(first, last = first) {
    const [from, to] = [first, last].map((token) => this.page.rowOf(token));
    this.drawNear(from);
    for (const [number, row] of this.rows.entries()) row.classList.toggle("found", from <= number && number <= to);
    this.rows[from].scrollIntoView({ block: "center" });
  }

  /** Light entities up: while they are pointed at, or `kept` until others are chosen. */
  light(entities, state = "lit") {
    this.paint(this[state], state, false);
    this[state] = entities;
    this.paint(entities, state, true);
  }

  paint(entities, state, on) {
    for (const entity of entities) {
      for (const element of this.drawer.elements.get(entity) || []) {
        element.classList.toggle(element.matches(".t") ? `${state}-${entity.side.name}` : state, on);
        if (state === "kept") element.querySelector(":scope > .tag")?.setAttribute("aria-pressed", String(on));
      }
    }
  }
}
