// Right and wrong: what one response gets of the key and the other does not.

import { announce, byId, fill, make } from "./dom.mjs";
import { writeLink } from "./links.mjs";
import { DataTable } from "./table.mjs";
import { placeColumns, withSymbol } from "./tables.mjs";
import { counted } from "./wording.mjs";

const LEVELS = ["mentions", "links", "entities"];
const SINGULAR = { mentions: "mention", links: "link", entities: "entity" };
const METRICS = { mentions: "mention detection", links: "MUC", entities: "exact entities" };
const CELLS = ["both", "first", "second", "neither"];

/** Which cell an item is in by its two codes; null where there is nothing to get right. */
export const cellOf = (one, other) =>
  (one < 0 ? null : one === 0 ? (other === 0 ? "both" : "first") : other === 0 ? "second" : "neither");

/** The items of a level in which there is something to get right, by cell. */
export function itemsByCell(pages, level, first, second) {
  const cells = Object.fromEntries(CELLS.map((cell) => [cell, []]));
  for (const page of pages) {
    const [one, other] = [first, second].map((system) => page.responses[system].right[level]);
    one.forEach((code, at) => {
      const cell = cellOf(code, other[at]);
      const mention = level === "entities" ? page.naming[at] : at;
      if (cell && mention >= 0) cells[cell].push({ page, mention, entity: page.key.entityOf(mention), codes: [code, other[at]] });
    });
  }
  return cells;
}

/** Two systems side by side; `changed` is called when another part is asked for. */
export const contrastTable = (app, pages, changed) => new Contrast(app, pages, changed);

class Contrast {
  constructor({ meta, library }, pages, changed) {
    this.meta = meta;
    this.library = library;
    this.pages = pages;
    this.changed = changed;
    this.selects = [byId("contrast-first"), byId("contrast-second")];
    for (const [at, select] of this.selects.entries()) {
      select.onchange = () => {
        // A system that is chosen twice changes places with the other.
        if (this.selects[0].value === this.selects[1].value) this.selects[1 - at].value = String(this.systems[at]);
        this.change({ systems: this.selects.map(({ value }) => Number(value)) });
      };
    }
  }

  /** Show something else, with the filters that are chosen. */
  change(choice) {
    Object.assign(this, choice);
    this.show(new Map(this.table.state));
    this.changed();
  }

  get names() {
    return this.systems.map((number) => this.meta.responses[number]);
  }

  get state() {
    const [first, second] = this.names;
    return [["first", first], ["second", second], ["level", this.level], ["cell", this.cell], ...this.table.state];
  }

  /** Show what an address says; without a word of it links that only the best response gets right. */
  apply(chosen) {
    const { responses } = this.meta;
    const among = (names, name, usual) => (names.includes(chosen.get(name)) ? chosen.get(name) : usual);
    const first = among(responses, "first", responses[0]);
    const others = responses.filter((name) => name !== first);
    this.systems = [first, among(others, "second", others[0])].map((name) => responses.indexOf(name));
    this.level = among(LEVELS, "level", "links");
    this.cell = among(CELLS, "cell", "first");
    this.show(chosen);
  }

  get titles() {
    const [one, other] = this.names;
    return { both: "both right", first: `only ${one} right`, second: `only ${other} right`, neither: "both wrong" };
  }

  show(chosen) {
    for (const [at, select] of this.selects.entries()) select.value = String(this.systems[at]);
    this.items = Object.fromEntries(LEVELS.map((level) => [level, itemsByCell(this.pages, level, ...this.systems)]));
    this.showCounts();
    this.showItems(chosen);
  }

  /** The points of F1 that the items of a cell are worth, in words. */
  worth(level, cell) {
    const right = { both: [0, 1], first: [0], second: [1], neither: [] }[cell];
    const points = (at) => this.meta.worth[this.systems[at]][level] * this.items[level][cell].length;
    return right.map((at) => `${points(at).toFixed(2)} points of ${this.names[at]}`).join("; ");
  }

  /** A row a level, a column a cell: how many items, and the points that they are worth. */
  showCounts() {
    const { titles } = this;
    const cellAt = (level, cell) => make("td", { className: `cell-${cell}`, data: { title: titles[cell] } }, make("button", {
      type: "button", ariaPressed: String(this.level === level && this.cell === cell), data: { level, cell },
      onclick: () => this.choose(level, cell),
    }, make("b", {}, this.items[level][cell].length.toLocaleString("en")), make("small", {}, this.worth(level, cell))));
    fill(byId("contrast-counts"), make("table", {}, make("caption", { className: "hidden" }, "Right and wrong"),
      make("thead", {}, make("tr", {}, make("td", {}), CELLS.map((cell) => make("th", { scope: "col" }, make("bdi", {}, titles[cell]))))),
      make("tbody", {}, LEVELS.map((level) => make("tr", {},
        make("th", { scope: "row" }, level, make("small", {}, METRICS[level])), CELLS.map((cell) => cellAt(level, cell)))))));
  }

  choose(level, cell) {
    this.change({ level, cell });
    byId("contrast-counts").querySelector("[aria-pressed='true']").focus();
    announce(`${this.titles[cell]}: ${this.table.status.textContent}`);
  }

  /** The items of the cell that is chosen; filters outlive the choice of another one. */
  showItems(chosen) {
    const { level, cell } = this;
    const rows = this.items[level][cell];
    const blamed = { first: 1, second: 0, neither: 0 }[cell]; // the response whose errors are listed
    const errorOf = (row) => this.meta.types[row.codes[blamed] - 1];
    const kindOf = ({ page, mention }) => page.key.kind?.[mention] || null;
    const words = ({ page, mention, entity }) => {
      const text = page.textOf(page.key, mention);
      if (level !== "links") return text;
      const antecedent = page.key.siblingOf(mention, -1);
      return `${text} → ${antecedent === undefined ? page.nameOf(entity) : page.textOf(page.key, antecedent)}`;
    };
    const columns = [
      { title: SINGULAR[level], value: (row) => row.mention, sort: "none", className: "long", text: words,
        cell: (row) => make("a", { href: writeLink(row.page.id, row.entity.label, ...this.names) }, make("bdi", {}, words(row))) },
      ...(cell === "both" ? [] : [{ title: "error", value: errorOf, sort: "text", filter: true, cell: (row) => withSymbol(errorOf(row)) }]),
      ...(rows.some(kindOf) ? [{ title: "mention kind", value: kindOf, sort: "text", filter: true }] : []),
      ...(level === "entities" ? [{ title: "mentions", value: (row) => row.entity.mentions.length, sort: "integer" }] : []),
      ...placeColumns(this.library, ({ page, mention }) => page.context(page.key, mention)),
    ];
    const instead = cell === "neither" ? "" : " instead";
    byId("contrast-note").textContent = cell === "both" ? "" : `Error: what ${this.names[blamed]} did${instead}.`;
    byId("contrast-title").textContent = `${this.titles[cell]}: ${counted(rows.length, SINGULAR[level], level)}`;
    this.table = new DataTable(byId("contrast-table"), "Right and wrong", columns, rows, [SINGULAR[level], level], {
      order: level === "entities" ? { title: "mentions", down: true } : null, changed: this.changed,
    });
    this.table.apply(chosen);
  }
}
