// Right and wrong: what one response gets of the key and the other does not.

import { announce, byId, fill, make } from "./dom.mjs";
import { DataTable } from "./table.mjs";
import { inSentence, withSymbol } from "./tables.mjs";
import { SYMBOLS, counted } from "./wording.mjs";

export const LEVELS = ["mentions", "links", "entities"];
const SINGULAR = { mentions: "mention", links: "link", entities: "entity" };
const METRICS = { mentions: "mention detection", links: "MUC", entities: "exact entities" };
export const CELLS = ["both", "first", "second", "neither"];
const KINDS = ["name", "nominal", "pronoun", "zero"];

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
  /**
   * @param link gives the address of an entity, by document, label and the two responses
   * @param changed called when another part is asked for
   */
  constructor(meta, library, pages, link, changed) {
    Object.assign(this, { meta, library, pages, link, changed });
    [this.first, this.second] = [0, 1]; // the best response, and the next
    this.level = "links";
    this.cell = "first";
    for (const [id, name] of [["contrast-first", "first"], ["contrast-second", "second"]]) {
      byId(id).addEventListener("change", (event) => this.pick(name, Number(event.target.value)));
    }
  }

  get names() {
    return [this.first, this.second].map((number) => this.meta.responses[number]);
  }

  pick(name, value) {
    const before = this[name];
    this[name] = value;
    if (this.first === this.second) this[name === "first" ? "second" : "first"] = before;
    this.show(this.kept);
    this.changed();
  }

  /** What is chosen in the table, which outlives the choice of other systems and cells. */
  get kept() {
    return new Map(this.table ? this.table.state : []);
  }

  get state() {
    const [first, second] = this.names;
    return [["first", first], ["second", second], ["level", this.level], ["cell", this.cell], ...this.kept];
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

  show(chosen) {
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
    Object.assign(this, { level, cell });
    this.show(this.kept);
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
    const context = ({ page, mention }) => page.context(page.key, mention);
    const hasKinds = rows.some(kindOf);
    const columns = [
      { title: SINGULAR[level], value: (row) => row.mention, sort: "none", className: "told", text: words,
        cell: (row) => make("a", { href: this.link(row.page.number, row.entity.label, this.first, this.second) }, make("bdi", {}, words(row))) },
      ...(cell === "both" ? [] : [{ title: "error", value: errorOf, sort: "text", filter: true, cell: (row) => withSymbol(errorOf(row)) }]),
      ...(hasKinds ? [{ title: "mention kind", value: kindOf, sort: "text", filter: true }] : []),
      ...(level === "entities" ? [{ title: "mentions", value: (row) => row.entity.mentions.length, sort: "integer" }] : []),
      { title: "sentence", value: (row) => row.page.number, sort: "none", className: "told", text: (row) => context(row).join(""), cell: (row) => inSentence(context(row)) },
      { title: "document", value: (row) => this.library.ids[row.page.number], sort: "text", className: "wide" },
    ];
    const [ours, theirs] = this.names;
    const whose = { both: "", first: `Error: what ${theirs} did instead. Small: F1 points of ${ours}. `, second: `Error: what ${ours} did instead. Small: F1 points of ${theirs}. `, neither: `Error: what ${ours} did. ` };
    byId("contrast-note").textContent = `${whose[cell]}Choose a number to list its items.`;
    byId("contrast-title").textContent = `${this.titles()[cell]}: ${counted(rows.length, SINGULAR[level], level)}`;
    this.showGroups(rows, cell === "both" ? null : errorOf, hasKinds ? kindOf : null);
    this.table = new DataTable(byId("contrast-table"), "Right and wrong", columns, rows, [SINGULAR[level], level], {
      order: level === "entities" ? { title: "mentions", down: true } : null,
      changed: () => {
        this.markGroup();
        this.changed();
      },
    });
    this.table.apply(chosen);
    this.markGroup();
  }

  /** The items of the cell by error type and mention kind, a button each. */
  showGroups(rows, errorOf, kindOf) {
    const container = byId("contrast-groups");
    container.hidden = !rows.length || (!errorOf && !kindOf);
    if (container.hidden) return;
    const worth = { first: this.worth(this.level)[0], second: this.worth(this.level)[1] }[this.cell];
    const count = (error, kind) => rows.filter((row) => (error === null || errorOf(row) === error) && (kind === null || kindOf(row) === kind)).length;
    const kinds = kindOf ? KINDS.filter((kind) => rows.some((row) => kindOf(row) === kind)) : [];
    const errors = errorOf ? [...new Set(rows.map(errorOf))].sort((a, b) => count(b, null) - count(a, null)) : [];
    const button = (error, kind) => {
      const items = count(error, kind);
      return make("td", { data: { title: kind ?? "all" } }, make("button", {
        type: "button", disabled: !items, data: { error: error ?? "", kind: kind ?? "" },
        on: { click: () => this.group(error, kind) },
      }, items.toLocaleString("en"), worth && items ? make("small", {}, ` ${(worth * items).toFixed(2)}`) : null));
    };
    const line = (error) => make("tr", {}, make("th", { scope: "row" },
      make("span", { className: "kind", aria: { hidden: "true" } }, SYMBOLS[error] || ""), ` ${error ?? "all"}`),
    [null, ...kinds].map((kind) => button(error, kind)));
    fill(container, make("table", {}, make("caption", { className: "hidden" }, "By error and mention kind"),
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "error"), ["all", ...kinds].map((kind) => make("th", { scope: "col" }, kind)))),
      make("tbody", {}, errors.map(line), errors.length === 1 ? null : line(null))));
  }

  /** List the items of one error type and mention kind; null for all. */
  group(error, kind) {
    const chosen = this.kept;
    for (const [title, value] of [["error", error], ["mention kind", kind]]) {
      if (value === null) chosen.delete(title);
      else chosen.set(title, value);
    }
    this.table.apply(chosen);
    this.table.changed();
    announce(this.table.status.textContent);
  }

  /** Mark the group that the table shows. */
  markGroup() {
    const state = this.kept;
    for (const button of byId("contrast-groups").querySelectorAll("button")) {
      const { error, kind } = button.dataset;
      button.setAttribute("aria-pressed", String((state.get("error") || "") === error && (state.get("mention kind") || "") === kind));
    }
  }
}
