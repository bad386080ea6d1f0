// Right and wrong: what one response gets of the key and the other does not.

import { announce, byId, fill, make } from "./dom.mjs";
import { writeLink } from "./links.mjs";
import { DataTable } from "./table.mjs";
import { placeColumns, withSymbol } from "./tables.mjs";
import { counted } from "./wording.mjs";

export const LEVELS = ["mentions", "links", "entities"];
const SINGULAR = { mentions: "mention", links: "link", entities: "entity" };
const METRICS = { mentions: "mention detection", links: "MUC", entities: "exact entities" };
export const CELLS = ["both", "first", "second", "neither"];

/** Which cell an item is in by its two codes; null where there is nothing to get right. */
export const cellOf = (one, other) =>
  (one < 0 ? null : one === 0 ? (other === 0 ? "both" : "first") : other === 0 ? "second" : "neither");

/** What one right item is worth of a response's F1, in points. */
export const itemWorth = (inKey, inResponse) => (inKey + inResponse ? 200 / (inKey + inResponse) : 0);

/** The items of a level in which there is something to get right, by cell. */
export function itemsByCell(pages, level, first, second) {
  const cells = Object.fromEntries(CELLS.map((cell) => [cell, []]));
  for (const page of pages) {
    const [one, other] = [first, second].map((system) => page.responses[system].right[level]);
    one.forEach((code, at) => {
      const cell = cellOf(code, other[at]);
      if (!cell) return;
      const mention = level === "entities" ? page.key.naming[at] : at;
      if (mention >= 0) cells[cell].push({ page, mention, entity: page.key.entityOf(mention), codes: [code, other[at]] });
    });
  }
  return cells;
}

export class Contrast {
  /** @param changed called when another part is asked for */
  constructor(meta, library, pages, changed) {
    this.meta = meta;
    this.library = library;
    this.pages = pages;
    this.changed = changed;
    this.first = 0; // the best response
    this.second = 1;
    this.level = "links";
    this.cell = "first";
    for (const [id, name] of [["contrast-first", "first"], ["contrast-second", "second"]]) {
      byId(id).onchange = (event) => this.pick(name, Number(event.target.value));
    }
  }

  get names() {
    return [this.first, this.second].map((number) => this.meta.responses[number]);
  }

  pick(name, value) {
    const before = this[name];
    this[name] = value;
    if (this.first === this.second) this[name === "first" ? "second" : "first"] = before;
    this.show();
    this.changed();
  }

  get state() {
    const [first, second] = this.names;
    return [["first", first], ["second", second], ["level", this.level], ["cell", this.cell], ...this.table?.state || []];
  }

  apply(chosen) {
    const { responses } = this.meta;
    for (const name of ["first", "second"]) {
      const number = responses.indexOf(chosen.get(name));
      if (number >= 0) this[name] = number;
    }
    if (this.first === this.second) this.second = responses.findIndex((_, number) => number !== this.first);
    if (LEVELS.includes(chosen.get("level"))) this.level = chosen.get("level");
    if (CELLS.includes(chosen.get("cell"))) this.cell = chosen.get("cell");
    this.show(chosen);
  }

  titles() {
    const [one, other] = this.names;
    return { both: "both right", first: `only ${one} right`, second: `only ${other} right`, neither: "both wrong" };
  }

  /** Show what is chosen; filters of the table outlive the choice of other systems and cells. */
  show(chosen = new Map(/** @type {[string, string][]} */ (this.table?.state || []))) {
    byId("contrast-first").value = String(this.first);
    byId("contrast-second").value = String(this.second);
    this.items = Object.fromEntries(LEVELS.map((level) => [level, itemsByCell(this.pages, level, this.first, this.second)]));
    this.showCounts();
    this.showItems(chosen);
  }

  /** What one right item of a level is worth, of the first and of the second response. */
  worth(level) {
    const inKey = CELLS.reduce((sum, cell) => sum + this.items[level][cell].length, 0);
    return [this.first, this.second].map((system) => itemWorth(inKey, this.meta.found[system][LEVELS.indexOf(level)]));
  }

  /** A row a level, a column a cell: how many items, and the points that they are worth. */
  showCounts() {
    const titles = this.titles();
    const cell = (level, name) => {
      const count = this.items[level][name].length;
      const points = this.worth(level).map((value, at) => (name === "both" || name === ["first", "second"][at]
        ? `${(value * count).toFixed(2)} points of ${this.names[at]}` : "")).filter(Boolean);
      return make("td", { className: `cell-${name}`, data: { title: titles[name] } }, make("button", {
        type: "button", aria: { pressed: String(this.level === level && this.cell === name) }, data: { level, cell: name },
        on: { click: () => this.choose(level, name) },
      }, make("b", {}, count.toLocaleString("en")), make("small", {}, points.join("; "))));
    };
    fill(byId("contrast-counts"), make("table", {}, make("caption", { className: "hidden" }, "Right and wrong"),
      make("thead", {}, make("tr", {}, make("td", {}), CELLS.map((name) => make("th", { scope: "col" }, make("bdi", {}, titles[name]))))),
      make("tbody", {}, LEVELS.map((level) => make("tr", {},
        make("th", { scope: "row" }, level, make("small", {}, METRICS[level])), CELLS.map((name) => cell(level, name)))))));
  }

  choose(level, cell) {
    this.level = level;
    this.cell = cell;
    this.show();
    byId("contrast-counts").querySelector("[aria-pressed='true']").focus();
    this.changed();
    announce(`${this.titles()[cell]}: ${this.table.status.textContent}`);
  }

  showItems(chosen) {
    const { level, cell } = this;
    const rows = this.items[level][cell];
    const blamed = { first: 1, second: 0, neither: 0 }[cell]; // the response whose errors are listed
    const errorOf = (row) => this.meta.types[row.codes[blamed] - 1];
    const kindOf = ({ page, mention }) => page.key.kind?.[mention] || null;
    const words = ({ page, mention, entity }) => {
      const text = page.textOf(page.key, mention);
      if (level !== "links") return text;
      const antecedent = entity.mentions[entity.mentions.indexOf(mention) - 1];
      return `${text} → ${antecedent === undefined ? page.nameOf(entity) : page.textOf(page.key, antecedent)}`;
    };
    const hasKinds = rows.some(kindOf);
    const columns = [
      { title: SINGULAR[level], value: (row) => row.mention, sort: "none", className: "long", text: words,
        cell: (row) => make("a", { href: writeLink(row.page.id, row.entity.label, ...this.names) }, make("bdi", {}, words(row))) },
      ...(cell === "both" ? [] : [{ title: "error", value: errorOf, sort: "text", filter: true, cell: (row) => withSymbol(errorOf(row)) }]),
      ...(hasKinds ? [{ title: "mention kind", value: kindOf, sort: "text", filter: true }] : []),
      ...(level === "entities" ? [{ title: "mentions", value: (row) => row.entity.mentions.length, sort: "integer" }] : []),
      ...placeColumns(this.library, ({ page, mention }) => page.context(page.key, mention)),
    ];
    const [ours, theirs] = this.names;
    byId("contrast-note").textContent = { both: "", first: `Error: what ${theirs} did instead.`, second: `Error: what ${ours} did instead.`, neither: `Error: what ${ours} did.` }[cell];
    byId("contrast-title").textContent = `${this.titles()[cell]}: ${counted(rows.length, SINGULAR[level], level)}`;
    this.table = new DataTable(byId("contrast-table"), "Right and wrong", columns, rows, [SINGULAR[level], level], {
      order: level === "entities" ? { title: "mentions", down: true } : null, changed: this.changed,
    });
    this.table.apply(chosen);
  }
}
