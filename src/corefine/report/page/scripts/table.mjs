// A table of many rows: sorted, filtered, and shown a page at a time.

import { announce, fill, make, settled } from "./dom.mjs";
import { counted, percent, points } from "./wording.mjs";

const PAGE_ROWS = 50;

const collator = new Intl.Collator("en", { numeric: true });

/** Numbers by size, texts as people sort them: d2 before d10; missing values last, also downwards. */
export function compareValues(a, b, down = false) {
  const missing = Number(a === null) - Number(b === null);
  if (missing || a === null) return missing;
  const order = typeof a === "number" && typeof b === "number" ? a - b : collator.compare(String(a), String(b));
  return down ? -order : order;
}

const isText = (column) => column.sort === "text" || column.sort === "none";
const classOf = (column) => [isText(column) ? "" : "number", column.className].filter(Boolean).join(" ");
const wordsOf = (column, value) => (value === null ? "" : (column.shown || String)(value));
const searchedText = (column, row) => (column.text ? column.text(row) : wordsOf(column, column.value(row)));

/** The values of a column to choose from, each with the number of its rows. */
export function choicesOf(column, rows) {
  const counts = new Map();
  for (const row of rows) {
    const value = column.value(row);
    if (value !== null && value !== "") counts.set(value, (counts.get(value) || 0) + 1);
  }
  return [...counts].sort(([a], [b]) => compareValues(a, b));
}

/**
 * The rows that fit, in the order asked for.
 * @param chosen by the title of a column, the value that a row must have
 * @param query part of a text that a row must have in some column, in any case
 * @param order the column to sort by, if any, and whether the largest come first
 */
export function rowsOf(columns, rows, { chosen = new Map(), query = "", order = /** @type {any} */ ({}) }) {
  const wanted = query.trim().toLocaleLowerCase();
  const filters = columns.filter((column) => chosen.has(column.title));
  const texts = columns.filter((column) => column.sort === "text" || column.text);
  const found = rows.filter((row) =>
    filters.every((column) => column.value(row) === chosen.get(column.title)) &&
    (!wanted || texts.some((column) => searchedText(column, row).toLocaleLowerCase().includes(wanted))));
  const { column, down } = order;
  return column ? found.sort((a, b) => compareValues(column.value(a), column.value(b), down)) : found;
}

export class DataTable {
  /**
   * @param container where the table goes
   * @param columns list of {title, value(row), sort: "text"|"percent"|"integer"|"points"|"none",
   *   filter, shown(value), cell(row) → node, text(row), group, hidden}; a column with `filter` gets
   *   chips of its values to choose from, and one that is `hidden` only its chips
   * @param noun a row, as [one, several]
   * @param options `order` at first: {title, down}; `changed` is called when another part of the
   *   table is chosen; `foot` gives cells of a last row by column
   */
  constructor(container, title, columns, rows, noun, { order = null, changed = () => {}, foot = null } = {}) {
    this.columns = columns;
    this.rows = rows;
    this.noun = noun;
    this.changed = changed;
    this.foot = foot;
    this.shown = columns.filter((column) => !column.hidden);
    this.usual = order ? { column: this.titled(order.title), down: order.down } : {};
    this.order = this.usual;
    this.page = 0;
    this.chosen = new Map(); // by title, the value that rows must have
    this.status = make("p", { className: "count", role: "status" });
    this.head = make("thead");
    this.body = make("tbody");
    this.tail = make("tfoot");
    this.pager = make("div", { className: "pager" });
    this.box = make("input", { type: "search", id: `${container.id}-query`, autocomplete: "off" });
    this.box.addEventListener("input", settled(() => this.refine()));
    this.chips = columns.filter((column) => column.filter).map((column) => this.chipsOf(column)).filter(Boolean);
    this.scroll = make("div", { className: "scroll rows", tabIndex: 0, role: "region", aria: { label: title } },
      make("table", {}, make("caption", { className: "hidden" }, title), this.head, this.body, this.tail));
    const [first, ...more] = this.chips;
    this.more = more.length
      ? make("details", { className: "more-filters" }, make("summary", {}, "More filters"), more) : null;
    fill(container, make("div", { className: "filters" },
      make("label", { className: "filter" }, "find", this.box), first, this.more), this.status, this.scroll, this.pager);
  }

  titled(title) {
    return this.columns.find((column) => column.title === title);
  }

  /** What is chosen, for an address: names and values. */
  get state() {
    const pairs = [...this.chosen].map(([title, value]) => [title, wordsOf(this.titled(title), value)]);
    if (this.box.value) pairs.push(["find", this.box.value]);
    if (this.order !== this.usual && this.order.column) {
      pairs.push([this.order.down ? "down" : "up", this.order.column.title]);
    }
    return pairs;
  }

  /** Choose what an address says; names that are no columns are left alone. */
  apply(chosen) {
    this.chosen.clear();
    for (const column of this.columns) {
      const wanted = chosen.get(column.title);
      const row = wanted === undefined ? undefined : this.rows.find((one) => wordsOf(column, column.value(one)) === wanted);
      if (row !== undefined) this.chosen.set(column.title, column.value(row));
    }
    this.box.value = chosen.get("find") || "";
    const column = this.titled(chosen.get("down") ?? chosen.get("up"));
    this.order = column && column.sort !== "none" ? { column, down: chosen.has("down") } : this.usual;
    this.page = 0;
    this.update();
  }

  /** Buttons for the values of a column; none if there is nothing to choose. */
  chipsOf(column) {
    const choices = choicesOf(column, this.rows);
    if (choices.length < 2) return null;
    const chip = ([value, count]) => make("button", {
      type: "button", className: "chip-button", data: { value: wordsOf(column, value) },
      on: { click: () => this.choose(column.title, this.chosen.get(column.title) === value ? null : value) },
    }, make("bdi", {}, wordsOf(column, value)), make("small", {}, ` ${count.toLocaleString("en")}`));
    return make("div", { className: "chips", role: "group", data: { title: column.title }, aria: { label: column.title } },
      make("span", { className: "chips-title" }, column.title), choices.map(chip));
  }

  choose(title, value) {
    if (value === null) this.chosen.delete(title);
    else this.chosen.set(title, value);
    this.refine();
  }

  refine() {
    this.page = 0;
    this.update();
    this.changed();
  }

  sort(column) {
    const down = this.order.column === column ? !this.order.down : column.sort !== "text";
    this.order = { column, down };
    this.refine();
    this.head.querySelector("[aria-sort] button").focus();
    announce(`sorted by ${column.title}, ${down ? "descending" : "ascending"}`);
  }

  update() {
    this.found = rowsOf(this.columns, this.rows, { chosen: this.chosen, query: this.box.value, order: this.order });
    const total = counted(this.rows.length, ...this.noun);
    this.status.textContent = this.found.length === this.rows.length
      ? total : `${this.found.length.toLocaleString("en")} of ${total}`;
    for (const chips of this.chips) {
      const value = this.chosen.get(chips.dataset.title);
      const words = value === undefined ? null : wordsOf(this.titled(chips.dataset.title), value);
      for (const button of chips.querySelectorAll("button")) {
        button.setAttribute("aria-pressed", String(button.dataset.value === words));
        if (this.more?.contains(button) && button.dataset.value === words) this.more.open = true;
      }
    }
    this.drawHead();
    this.drawBody();
  }

  drawHead() {
    const cell = (column) => {
      const sorted = this.order.column === column;
      const arrow = sorted ? (this.order.down ? "▼" : "▲") : "";
      const title = make("bdi", {}, column.short || column.title);
      return make("th", {
        scope: "col", className: classOf(column),
        aria: sorted ? { sort: this.order.down ? "descending" : "ascending" } : {},
      }, column.sort === "none" ? make("span", { className: "title" }, title)
        : make("button", { type: "button", on: { click: () => this.sort(column) }, aria: { label: column.title } },
          title, make("span", { className: "arrow", aria: { hidden: "true" } }, arrow)));
    };
    const groups = [];
    for (const { group = "" } of this.shown) {
      if (groups.at(-1)?.group === group) groups.at(-1).count++;
      else groups.push({ group, count: 1 });
    }
    const above = groups.length > 1 ? make("tr", { className: "groups" }, groups.map(({ group, count }) =>
      (group ? make("th", { scope: "colgroup", colSpan: count, className: "group" }, group) : make("td", { colSpan: count })))) : null;
    fill(this.head, above, make("tr", {}, this.shown.map(cell)));
  }

  /** Draw the rows of the page in view. */
  drawBody() {
    const pages = Math.max(1, Math.ceil(this.found.length / PAGE_ROWS));
    this.page = Math.min(this.page, pages - 1);
    const rows = this.found.slice(this.page * PAGE_ROWS, (this.page + 1) * PAGE_ROWS);
    fill(this.body, rows.map((row) => make("tr", {}, this.shown.map((column, at) => this.cell(column, row, at)))));
    if (!rows.length) {
      fill(this.body, make("tr", {}, make("td", { colSpan: this.shown.length, className: "absent" },
        this.rows.length ? `No ${this.noun[0]} fits these filters.` : `There are no ${this.noun[1]}.`)));
    }
    fill(this.tail, this.foot && rows.length ? make("tr", {}, this.shown.map((column, at) =>
      make(at ? "td" : "th", { className: isText(column) ? "" : "number", data: { title: column.title } }, this.foot(column, this.found)))) : null);
    const button = (by, text) => make("button", {
      type: "button",
      disabled: this.page + by < 0 || this.page + by >= pages,
      on: { click: () => this.turn(by) },
    }, text);
    fill(this.pager, pages > 1
      ? [button(-1, "Previous page"), make("span", {}, `page ${this.page + 1} of ${pages}`), button(1, "Next page")]
      : []);
  }

  turn(by) {
    this.page += by;
    this.drawBody();
    this.scroll.scrollTop = 0;
    const [previous, , next] = this.pager.children;
    const button = by > 0 ? next : previous;
    (button.disabled ? this.scroll : button).focus();
    announce(this.pager.children[1].textContent);
  }

  cell(column, row, at) {
    const value = column.value(row);
    const content = column.cell ? column.cell(row)
      : column.sort === "percent" ? percent(value)
      : column.sort === "points" ? points(value)
      : column.sort === "integer" ? (value === null ? "" : value.toLocaleString("en"))
      : wordsOf(column, value);
    return make(at === 0 ? "th" : "td", {
      className: classOf(column),
      scope: at === 0 ? "row" : undefined,
      dir: isText(column) ? "auto" : undefined,
      data: { title: column.title },
    }, content);
  }
}

/** What a cell is sorted by: its number, its words in a column of text, null if it is empty. */
export function cellValue(text, isNumber) {
  const words = text.trim();
  if (!isNumber) return words || null;
  const number = parseFloat(words.replace("−", "-").replaceAll(",", ""));
  return Number.isNaN(number) ? null : number;
}

/** Make a table of the page sortable by the titles of its columns; `changed` is called with the order. */
export class SortableTable {
  constructor(table, changed = (/** @type {string[]} */ _order) => {}) {
    this.table = table;
    this.changed = changed;
    this.heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
    this.rows = [...table.tBodies[0].rows];
    this.first = this.rows;
    for (const head of this.heads.filter((one) => one.textContent)) {
      head.replaceChildren(make("button", { type: "button", on: { click: () => this.clicked(head) } },
        ...head.childNodes, make("span", { className: "arrow", aria: { hidden: "true" } })));
    }
  }

  nameOf(head) {
    return head.dataset.name || head.innerText.replace(/[▲▼\s]+$/u, "");
  }

  clicked(head) {
    const before = head.getAttribute("aria-sort");
    // Scores begin with the highest; names, dates and ranks with the lowest.
    const down = before ? before === "ascending" : head.classList.contains("number") && this.nameOf(head) !== "rank";
    this.sort(head, down);
    this.changed([down ? "down" : "up", this.nameOf(head)]);
    announce(`Sorted by ${this.nameOf(head)}, ${down ? "descending" : "ascending"}`);
  }

  sort(head, down) {
    const at = this.heads.indexOf(head);
    const value = (row) => cellValue(row.cells[at].dataset.value ?? row.cells[at].textContent, head.classList.contains("number"));
    for (const one of this.heads) {
      one.removeAttribute("aria-sort");
      const arrow = one.querySelector(".arrow");
      if (arrow) arrow.textContent = one === head ? (down ? "▼" : "▲") : "";
    }
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    this.table.tBodies[0].append(...[...this.first].sort((a, b) => compareValues(value(a), value(b), down)));
  }

  /** Sort as an address says. */
  apply(chosen) {
    const head = this.heads.find((one) => this.nameOf(one) === (chosen.get("down") ?? chosen.get("up")));
    if (head) this.sort(head, chosen.has("down"));
  }
}
