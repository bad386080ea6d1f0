// Right and wrong: what one response gets of the key and the other does not.

import { KIND_WORDS, SYMBOLS, counted } from "./wording.mjs";
import { TYPES, summed } from "./document.mjs";
import { announce, byId, fill, make } from "./dom.mjs";
import { DataTable } from "./table.mjs";
import { inSentence } from "./tables.mjs";

export const LEVELS = ["mentions", "links", "entities"];
const SINGULAR = { mentions: "mention", links: "link", entities: "entity" };
const METRICS = { mentions: "mention detection", links: "MUC", entities: "exact entities" };
export const CELLS = ["both", "first", "second", "neither"];

/** Which cell an item is in by its two codes; null where there is nothing to get right. */
export const cellOf = (one, other) =>
  (one === "." ? null : one === "0" ? (other === "0" ? "both" : "first") : other === "0" ? "second" : "neither");

/** How many items are in each cell. */
export function cellCounts(one, other) {
  const counts = { both: 0, first: 0, second: 0, neither: 0 };
  for (let at = 0; at < one.length; at++) {
    const cell = cellOf(one[at], other[at]);
    if (cell) counts[cell]++;
  }
  return counts;
}

/** What one right item is worth of a response's F1, in points. */
export const itemWorth = (inKey, inResponse) => (inKey + inResponse ? 200 / (inKey + inResponse) : 0);

/** How many rows have each error and mention kind: a map of maps, the largest first. */
export function crossed(errors, kinds) {
  const counts = new Map();
  const size = (errors || kinds || []).length;
  for (let row = 0; row < size; row++) {
    const error = errors ? errors[row] : "all";
    const own = counts.get(error) || counts.set(error, new Map()).get(error);
    const kind = (kinds && kinds[row]) || "";
    own.set(kind, (own.get(kind) || 0) + 1);
  }
  const total = (own) => [...own.values()].reduce((sum, count) => sum + count, 0);
  return new Map([...counts].sort(([, a], [, b]) => total(b) - total(a)));
}

/** The items of a cell by error type and mention kind, a button each. */
class Groups {
  constructor(container, errors, kinds, worth, chosen) {
    Object.assign(this, { container, chosen });
    const counts = crossed(errors, kinds);
    const known = kinds ? ["name", "nominal", "pronoun", "zero"].filter((kind) => kinds.includes(kind)) : [];
    container.hidden = !counts.size || (!errors && !known.length);
    if (container.hidden) return;
    const sum = (rows, kind) => rows.reduce((total, own) => total
      + [...own].reduce((part, [name, count]) => part + (kind === null || kind === name ? count : 0), 0), 0);
    const cell = (rows, error, kind) => make("td", { data: { title: kind ?? "all" } }, this.button(sum(rows, kind), error, kind, worth));
    const line = (title, rows, error, symbol = "") => make("tr", {},
      make("th", { scope: "row" }, make("span", { className: "kind", aria: { hidden: "true" } }, symbol), ` ${title}`),
      [null, ...known].map((kind) => cell(rows, error, kind)));
    fill(container, make("table", {}, make("caption", { className: "hidden" }, "By error and mention kind"),
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, errors ? "error" : ""), ["all", ...known].map((kind) => make("th", { scope: "col" }, kind)))),
      make("tbody", {},
        errors ? [...counts].map(([error, own]) => line(error, [own], error, SYMBOLS[error])) : null,
        counts.size > 1 || !errors ? line("all", [...counts.values()], null) : null)));
  }

  button(count, error, kind, worth) {
    const points = worth && count ? make("small", {}, ` ${(worth * count).toFixed(2)}`) : null;
    return make("button", {
      type: "button", disabled: !count, aria: { pressed: "false" }, data: { error: error ?? "", kind: kind ?? "" },
      on: { click: () => this.chosen(error, kind) },
    }, count.toLocaleString("en"), points);
  }

  /** Show which group the table is of. */
  mark(state) {
    for (const button of this.container.querySelectorAll("button")) {
      const { error, kind } = button.dataset;
      button.setAttribute("aria-pressed", String((state.get("error") || "") === error && (state.get("mention kind") || "") === kind));
    }
  }
}

export class Contrast {
  /**
   * @param link gives the address of an entity, by document, label and the two responses
   * @param changed told when another part is asked for
   */
  constructor(meta, documents, pages, data, link, changed) {
    Object.assign(this, { meta, documents, pages, data, link, changed });
    this.starts = summed([0, ...data.mentions]);
    this.owner = data.mentions.flatMap((count, document) => new Array(count).fill(document));
    this.naming = summed(data.naming);
    [this.first, this.second] = meta.order; // the best response, and the next
    this.level = "links";
    this.cell = "first";
    for (const [id, name] of [["contrast-first", "first"], ["contrast-second", "second"]]) {
      byId(id).addEventListener("change", (event) => this.pick(name, Number(event.target.value)));
    }
  }

  async pick(name, value) {
    const before = this[name];
    this[name] = value;
    if (this.first === this.second) this[name === "first" ? "second" : "first"] = before;
    await this.show(this.kept);
    this.changed();
  }

  /** What is chosen in the table, which outlives the choice of other systems and cells. */
  get kept() {
    return new Map(this.table ? this.table.state : []);
  }

  get state() {
    const { responses } = this.meta;
    return [["first", responses[this.first]], ["second", responses[this.second]], ["level", this.level],
      ["cell", this.cell], ...(this.table ? this.table.state : [])];
  }

  async apply(chosen) {
    const { responses } = this.meta;
    for (const name of ["first", "second"]) {
      const number = responses.indexOf(chosen.get(name));
      if (number >= 0) this[name] = number;
    }
    if (this.first === this.second) this.second = responses.findIndex((_, number) => number !== this.first);
    if (LEVELS.includes(chosen.get("level"))) this.level = chosen.get("level");
    if (CELLS.includes(chosen.get("cell"))) this.cell = chosen.get("cell");
    await this.show(chosen);
  }

  codes(system, level) {
    return this.data.codes[system][LEVELS.indexOf(level)];
  }

  titles() {
    const [one, other] = [this.first, this.second].map((number) => this.meta.responses[number]);
    return { both: "both right", first: `only ${one} right`, second: `only ${other} right`, neither: "both wrong" };
  }

  async show(chosen) {
    byId("contrast-first").value = String(this.first);
    byId("contrast-second").value = String(this.second);
    this.showCounts();
    await this.showItems(chosen);
  }

  /** A row a level, a column a cell: how many items, and the points that they are worth. */
  showCounts() {
    const titles = this.titles();
    const [one, other] = [this.first, this.second].map((number) => this.meta.responses[number]);
    const rows = LEVELS.map((level) => {
      const counts = cellCounts(this.codes(this.first, level), this.codes(this.second, level));
      const inKey = CELLS.reduce((sum, cell) => sum + counts[cell], 0);
      const place = LEVELS.indexOf(level);
      const worth = [this.first, this.second].map((system) => itemWorth(inKey, this.data.found[system][place]));
      const said = { both: worth, first: [worth[0], null], second: [null, worth[1]], neither: [null, null] };
      return make("tr", {}, make("th", { scope: "row" }, level, make("small", {}, METRICS[level])), CELLS.map((cell) => {
        const points = said[cell].map((value, at) => (value === null ? ""
          : `${(value * counts[cell]).toFixed(2)} points of ${at ? other : one}`)).filter(Boolean);
        const current = this.level === level && this.cell === cell;
        return make("td", { className: `cell-${cell}`, data: { title: titles[cell] } }, make("button", {
          type: "button", aria: { pressed: String(current) }, data: { level, cell },
          on: { click: () => this.choose(level, cell) },
        }, make("b", {}, counts[cell].toLocaleString("en")), make("small", {}, points.join("; "))));
      }));
    });
    fill(byId("contrast-counts"), make("table", {}, make("caption", { className: "hidden" }, "Right and wrong"),
      make("thead", {}, make("tr", {}, make("td", {}), CELLS.map((cell) => make("th", { scope: "col" }, make("bdi", {}, titles[cell]))))),
      make("tbody", {}, rows)));
  }

  async choose(level, cell) {
    Object.assign(this, { level, cell });
    const shown = this.show(this.kept);
    byId("contrast-counts").querySelector("[aria-pressed='true']").focus();
    await shown;
    this.changed();
    announce(`${this.titles()[cell]}: ${this.table.status.textContent}`);
  }

  /** List the items of one error type and mention kind; null for all. */
  async group(error, kind) {
    const chosen = this.kept;
    for (const [title, value] of [["error", error], ["mention kind", kind]]) {
      if (value === null) chosen.delete(title);
      else chosen.set(title, value);
    }
    const drawn = this.table.apply(chosen);
    this.table.changed();
    await drawn;
    announce(this.table.status.textContent);
  }

  /** What one right item is worth of the first (0) or the second (1) response. */
  worthOf(which) {
    const counts = cellCounts(this.codes(this.first, this.level), this.codes(this.second, this.level));
    const inKey = CELLS.reduce((sum, cell) => sum + counts[cell], 0);
    const system = [this.first, this.second][which];
    return itemWorth(inKey, this.data.found[system][LEVELS.indexOf(this.level)]);
  }

  async showItems(chosen) {
    const { level, cell, documents, pages } = this;
    const worthOf = (which) => this.worthOf(which);
    const [one, other] = [this.codes(this.first, level), this.codes(this.second, level)];
    const found = [];
    for (let at = 0; at < one.length; at++) if (cellOf(one[at], other[at]) === cell) found.push(at);
    const mentions = level === "entities" ? found.map((at) => this.naming[at]) : found;
    const owners = mentions.map((mention) => this.owner[mention]);
    const local = mentions.map((mention, row) => mention - this.starts[owners[row]]);
    const wrong = (codes) => found.map((at) => (codes[at] === "0" ? null : TYPES[Number(codes[at]) - 1]));
    const errors = cell === "first" ? wrong(other) : cell === "second" || cell === "neither" ? wrong(one) : null;
    const kinds = this.data.kind ? mentions.map((mention) => KIND_WORDS[Number(this.data.kind[mention])] || null) : null;
    const page = (row) => pages.get(owners[row]);
    const words = (row) => (page(row) ? page(row).textOf(page(row).key, local[row]) : "");
    const before = (row) => {
      const { key } = page(row);
      const entity = key.entities[key.entity[local[row]]];
      const earlier = entity.mentions.filter((mention) => key.start[mention] < key.start[local[row]]
        || (key.start[mention] === key.start[local[row]] && key.stop[mention] > key.stop[local[row]]));
      const nearest = earlier.sort((a, b) => key.start[b] - key.start[a])[0];
      return nearest === undefined ? page(row).nameOf(entity) : page(row).textOf(key, nearest);
    };
    const told = (row) => (page(row) ? (level === "links" ? `${words(row)} → ${before(row)}` : words(row)) : "(not in this report)");
    const address = (row) => {
      const { key } = page(row);
      return this.link(owners[row], key.entities[key.entity[local[row]]].label, this.first, this.second);
    };
    const columns = [
      { title: SINGULAR[level], values: owners, sort: "none", className: "told", text: told,
        cell: (row) => (page(row) ? make("a", { href: address(row) }, make("bdi", {}, told(row))) : told(row)) },
      ...(errors ? [{ title: "error", values: errors, sort: "text", filter: true, cell: (row) => [make("span", { className: "kind", aria: { hidden: "true" } }, SYMBOLS[errors[row]]), ` ${errors[row]}`] }] : []),
      ...(kinds && kinds.some(Boolean) ? [{ title: "mention kind", values: kinds, sort: "text", filter: true }] : []),
      ...(level === "entities" ? [{ title: "mentions", values: found.map((at) => this.data.size[at]), sort: "integer" }] : []),
      { title: "sentence", values: owners, sort: "none", className: "told", text: (row) => (page(row) ? page(row).context(page(row).key, local[row]).join("") : ""),
        cell: (row) => (page(row) ? inSentence(page(row).context(page(row).key, local[row])) : "") },
      { title: "document", values: owners.map((number) => documents.ids[number]), sort: "text", className: "wide" },
    ];
    const groups = new Groups(byId("contrast-groups"), errors, kinds, cell === "second" ? worthOf(1) : cell === "first" ? worthOf(0) : null,
      (error, kind) => this.group(error, kind));
    const [ours, theirs] = [this.first, this.second].map((number) => this.meta.responses[number]);
    const whose = { both: "", first: `Error: what ${theirs} did instead. Small: F1 points of ${ours}. `, second: `Error: what ${ours} did instead. Small: F1 points of ${theirs}. `, neither: `Error: what ${ours} did. ` };
    byId("contrast-note").textContent = `${whose[cell]}Choose a number to list its items.`;
    byId("contrast-title").textContent = `${this.titles()[cell]}: ${counted(found.length, SINGULAR[level], level)}`;
    const order = level === "entities" ? { column: columns.findIndex((column) => column.title === "mentions"), down: true } : null;
    this.table = new DataTable(byId("contrast-table"), "Right and wrong", columns, [SINGULAR[level], level], {
      order,
      prepare: (rows) => pages.bring(rows.map((row) => owners[row])),
      changed: () => {
        groups.mark(this.kept);
        this.changed();
      },
    });
    const drawn = this.table.apply(chosen);
    groups.mark(this.kept);
    await drawn;
  }
}
