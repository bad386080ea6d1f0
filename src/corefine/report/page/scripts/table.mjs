// Tables: of many rows, which are filtered and shown in parts, and those of the page; both are sorted by their heads.

import { announce, fill, make } from "./dom.mjs";
import { counted, percent, points } from "./wording.mjs";

const MORE_ROWS = 50; // rows that are shown at first, and that are added
const PAUSE = 120; // milliseconds without a key after which what is typed is looked for

const collator = new Intl.Collator("en", { numeric: true });

/** Numbers by size, texts as people sort them: d2 before d10; missing values last, also downwards. */
export function compareValues(a, b, down = false) {
  const missing = Number(a === null) - Number(b === null);
  if (missing || a === null) return missing;
  const order = typeof a === "number" && typeof b === "number" ? a - b : collator.compare(String(a), String(b));
  return down ? -order : order;
}

const FORMATS = { percent, points, integer: (value) => value.toLocaleString("en") };

const isText = (column) => column.sort === "text" || column.sort === "none";
const classOf = (column) => [isText(column) ? "" : "number", column.className].filter(Boolean).join(" ");

/** A value of a column as it is shown, chosen and written in addresses. */
const inWords = (column, value) => (value === null ? "" : (column.shown || FORMATS[column.sort] || String)(value));
const wordsOf = (column, row) => inWords(column, column.value(row));

/** The words of a column to choose from, each with the number of its rows. */
export function choicesOf(column, rows) {
  const counts = new Map();
  for (const row of rows) counts.set(column.value(row), (counts.get(column.value(row)) || 0) + 1);
  return [...counts].filter(([value]) => value !== null && value !== "")
    .sort(([a], [b]) => compareValues(a, b)).map(([value, count]) => [inWords(column, value), count]);
}

/**
 * The rows that fit, in the order asked for.
 * @param chosen by the title of a column, the words that a row must have
 * @param query part of a text that a row must have in some column, in any case
 * @param order the column to sort by, if any, and whether the largest come first
 */
export function rowsOf(columns, rows, { chosen = new Map(), query = "", order = /** @type {any} */ ({}) }) {
  const wanted = query.trim().toLocaleLowerCase();
  const filters = columns.filter((column) => chosen.has(column.title));
  const texts = columns.filter((column) => column.sort === "text" || column.text);
  const searched = (column, row) => (column.text ? column.text(row) : wordsOf(column, row)).toLocaleLowerCase();
  const found = rows.filter((row) => filters.every((column) => wordsOf(column, row) === chosen.get(column.title)) &&
    (!wanted || texts.some((column) => searched(column, row).includes(wanted))));
  const { column, down } = order;
  return column ? found.sort((a, b) => compareValues(column.value(a), column.value(b), down)) : found;
}

/** A button that sorts by a column. */
const sortButton = (title, action, more = {}) => make("button", { type: "button", onclick: action, ...more }, title);

/** Mark the head by which a table is sorted; the style draws an arrow. */
function markSorted(heads, sorted, down) {
  for (const head of heads) head.ariaSort = head !== sorted ? null : down ? "descending" : "ascending";
}

const saySorted = (title, down) => announce(`Sorted by ${title}, ${down ? "descending" : "ascending"}`);

export class DataTable {
  /**
   * @param container where the table goes
   * @param columns list of {title, value(row), sort: "text"|"percent"|"integer"|"points"|"none",
   *   filter, shown(value), cell(row) → node, text(row), group, hidden}; a column with `filter` gets
   *   chips of its words to choose from, and one that is `hidden` only its chips
   * @param noun a row, as [one, several]
   * @param options `order` at first: {title, down}; `changed` is called when another part of the
   *   table is chosen; `foot` gives cells of a last row by column
   */
  constructor(container, title, columns, rows, noun, { order = null, changed, foot = null }) {
    this.columns = columns;
    this.titled = new Map(columns.map((column) => [column.title, column]));
    this.rows = rows;
    this.noun = noun;
    this.changed = changed;
    this.foot = foot;
    this.shown = columns.filter((column) => !column.hidden);
    this.usual = order ? { column: this.titled.get(order.title), down: order.down } : {};
    this.status = make("p", { className: "count", role: "status" });
    this.heads = this.shown.map((column) => this.headOf(column));
    this.body = make("tbody");
    this.tail = make("tfoot");
    this.more = make("button", { type: "button", onclick: () => this.showMore() });
    this.box = make("input", { type: "search", id: `${container.id}-query`, autocomplete: "off", oninput: () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.refine(), PAUSE);
    } });
    this.chips = columns.filter((column) => column.filter).map((column) => this.chipsOf(column)).filter(Boolean);
    const [first, ...others] = this.chips;
    this.folded = others.length
      ? make("details", { className: "more-filters" }, make("summary", {}, "More filters"), others) : null;
    fill(container,
      make("div", { className: "filters" }, make("label", { className: "filter" }, "find", this.box), first, this.folded),
      this.status,
      make("div", { className: "scroll rows", tabIndex: 0, role: "region", ariaLabel: title },
        make("table", {}, make("caption", { className: "hidden" }, title),
          make("thead", {}, this.groupRow(), make("tr", {}, this.heads)), this.body, this.tail)),
      make("div", { className: "pager" }, this.more));
  }

  /** What is chosen, for an address: names and values. */
  get state() {
    const pairs = [...this.chosen];
    if (this.box.value) pairs.push(["find", this.box.value]);
    if (this.order !== this.usual) pairs.push([this.order.down ? "down" : "up", this.order.column.title]);
    return pairs;
  }

  /** Choose what an address says; names that are no columns are left alone. */
  apply(chosen) {
    this.chosen = new Map([...chosen].filter(([title, words]) => { // by title, the words that rows must have
      const column = this.titled.get(title);
      return column && this.rows.some((row) => wordsOf(column, row) === words);
    }));
    this.box.value = chosen.get("find") || "";
    const column = this.titled.get(chosen.get("down") ?? chosen.get("up"));
    this.order = column && column.sort !== "none" ? { column, down: chosen.has("down") } : this.usual;
    this.update();
  }

  /** Buttons for the values of a column; none if there is nothing to choose. */
  chipsOf(column) {
    const choices = choicesOf(column, this.rows);
    if (choices.length < 2) return null;
    const chip = ([words, count]) => make("button", {
      type: "button", className: "chip-button", data: { value: words }, onclick: () => this.choose(column.title, words),
    }, make("bdi", {}, words), make("small", {}, ` ${count.toLocaleString("en")}`));
    return make("div", { className: "chips", role: "group", data: { title: column.title }, ariaLabel: column.title },
      make("span", { className: "chips-title" }, column.title), choices.map(chip));
  }

  /** Choose a value, or leave one that was chosen. */
  choose(title, words) {
    if (this.chosen.get(title) === words) this.chosen.delete(title);
    else this.chosen.set(title, words);
    this.refine();
  }

  refine() {
    this.update();
    this.changed();
  }

  sort(column) {
    const down = this.order.column === column ? !this.order.down : column.sort !== "text";
    this.order = { column, down };
    this.refine();
    saySorted(column.title, down);
  }

  update() {
    this.found = rowsOf(this.columns, this.rows, { chosen: this.chosen, query: this.box.value, order: this.order });
    const total = counted(this.rows.length, ...this.noun);
    this.status.textContent = this.found.length === this.rows.length
      ? total : `${this.found.length.toLocaleString("en")} of ${total}`;
    for (const chips of this.chips) {
      for (const button of chips.querySelectorAll("button")) {
        const isChosen = button.dataset.value === this.chosen.get(chips.dataset.title);
        button.ariaPressed = String(isChosen);
        if (isChosen && this.folded?.contains(button)) this.folded.open = true;
      }
    }
    markSorted(this.heads, this.heads[this.shown.indexOf(this.order.column)], this.order.down);
    this.draw(MORE_ROWS);
  }

  headOf(column) {
    const title = make("bdi", {}, column.short || column.title);
    return make("th", { scope: "col", className: classOf(column) }, column.sort === "none"
      ? make("span", { className: "title" }, title)
      : sortButton(title, () => this.sort(column), { ariaLabel: column.title }));
  }

  /** Titles above several columns, if there are any. */
  groupRow() {
    const groups = [...new Set(this.shown.map(({ group }) => group))];
    const colSpan = (group) => this.shown.filter((column) => column.group === group).length;
    return groups.length < 2 ? null : make("tr", { className: "groups" }, groups.map((group) => (group
      ? make("th", { scope: "colgroup", colSpan: colSpan(group), className: "group" }, group) : make("td", { colSpan: colSpan(group) }))));
  }

  /** Draw the first rows of those that are found. */
  draw(limit) {
    const rows = this.found.slice(0, limit).map((row) =>
      this.row((column) => (column.cell ? column.cell(row) : wordsOf(column, row))));
    const none = this.rows.length ? `No ${this.noun[0]} fits these filters.` : `There are no ${this.noun[1]}.`;
    fill(this.body, rows.length ? rows : make("tr", {}, make("td", { colSpan: this.shown.length, className: "absent" }, none)));
    fill(this.tail, this.foot && rows.length ? this.row((column) => this.foot(column, this.found)) : null);
    const left = this.found.length - rows.length;
    this.more.hidden = left <= 0;
    this.more.textContent = `Show ${Math.min(left, MORE_ROWS)} of ${counted(left, "more row")}`;
  }

  /** A row of the table, by what stands in each column. */
  row(content) {
    return make("tr", {}, this.shown.map((column, at) => make(at ? "td" : "th", {
      className: classOf(column), scope: at ? undefined : "row",
      dir: isText(column) ? "auto" : undefined, data: { title: column.title },
    }, content(column))));
  }

  showMore() {
    const first = this.body.rows.length;
    this.draw(first + MORE_ROWS);
    this.body.rows[first].querySelector("a")?.focus();
  }
}

/** What a cell is sorted by: its number, its words in a column of text, null if it is empty. */
export function cellValue(text, isNumber) {
  const words = text.trim();
  if (!isNumber) return words || null;
  const number = parseFloat(words.replace("−", "-").replaceAll(",", ""));
  return Number.isNaN(number) ? null : number;
}

/** A table of the page, sortable by the titles of its columns; `changed` is called with the order. */
export class SortableTable {
  constructor(table, changed) {
    this.table = table;
    this.changed = changed;
    this.heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
    this.rows = [...table.tBodies[0].rows];
    for (const head of this.heads.filter((one) => one.textContent)) {
      head.dataset.name ||= head.textContent;
      fill(head, sortButton([...head.childNodes], () => this.clicked(head)));
    }
  }

  clicked(head) {
    const { name } = head.dataset;
    const before = head.getAttribute("aria-sort");
    // Scores begin with the highest; names, dates and ranks with the lowest.
    const down = before ? before === "ascending" : head.classList.contains("number") && name !== "rank";
    this.sort(name, down);
    this.changed([down ? "down" : "up", name]);
    saySorted(name, down);
  }

  /** Sort by the column with this name, if there is one. */
  sort(name, down) {
    const at = this.heads.findIndex((head) => head.dataset.name === name);
    if (at < 0) return;
    const isNumber = this.heads[at].classList.contains("number");
    const value = ({ cells }) => cellValue(cells[at].dataset.value ?? cells[at].textContent, isNumber);
    markSorted(this.heads, this.heads[at], down);
    this.table.tBodies[0].append(...[...this.rows].sort((a, b) => compareValues(value(a), value(b), down)));
  }

  /** Sort as an address says. */
  apply(chosen) {
    const name = chosen.get("down") ?? chosen.get("up");
    if (name) this.sort(name, chosen.has("down"));
  }
}
