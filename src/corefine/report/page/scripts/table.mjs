// A table of many rows held as columns: sorted, filtered, and shown a page at a time.

import { announce, fill, make, settled } from "./dom.mjs";
import { cellText, choicesOf, rowsOf } from "./rows.mjs";
import { counted, percent, points } from "./wording.mjs";

const PAGE_ROWS = 50;

const isText = (column) => column.sort === "text" || column.sort === "none";

export class DataTable {
  /**
   * @param container where the table goes
   * @param columns list of {title, values, sort: "text"|"percent"|"integer"|"points"|"none", filter,
   *   cell(row) → node, text(row)}; a column with `filter` gets a list of its values to choose from
   * @param noun what a row is, as [one, several]
   * @param options `order` at first; `prepare(rows)` brings what cells need, where that takes time;
   *   `changed` is told when another part of the table is asked for; `variant` says what some columns
   *   are of, {title, values, value, shown(value), use(value)}, and gets a list to choose from
   */
  constructor(container, title, columns, noun, { order = null, prepare = null, changed = () => {}, variant = null } = {}) {
    Object.assign(this, { columns, noun, prepare, changed, variant, name: container.id });
    this.size = columns[0].values.length;
    this.first = order || { column: -1, down: false };
    this.order = this.first;
    this.page = 0;
    this.turns = 0;
    this.waits = 0;
    this.usual = variant?.value;
    this.query = "";
    this.chosen = columns.map(() => null);
    this.status = make("p", { className: "count", role: "status" });
    this.head = make("tr");
    this.body = make("tbody");
    this.pager = make("div", { className: "pager" });
    this.box = make("input", { type: "search", id: `${container.id}-query`, autocomplete: "off" });
    this.box.addEventListener("input", settled(() => this.search(this.box.value)));
    const label = make("span", { className: "filter" }, make("label", { htmlFor: this.box.id }, "filter"), this.box);
    this.selects = columns.map((column, number) =>
      column.filter ? this.select(`${container.id}-${column.title.replaceAll(" ", "-")}`, column, number) : null);
    const scroll = make("div", { className: "scroll rows", tabIndex: 0, role: "region", aria: { label: title } },
      make("table", {}, make("caption", { className: "hidden" }, title),
        make("thead", {}, this.head), this.body));
    this.scroll = scroll;
    fill(container, make("div", { className: "filters" }, label, variant ? this.variants(`${container.id}-${variant.title}`) : null, this.selects),
      this.status, scroll, this.pager);
    this.drawHead();
  }

  /** What is chosen, for an address: names and values. */
  get state() {
    const pairs = this.columns.flatMap((column, at) =>
      (this.chosen[at] === null ? [] : [[column.title, this.wordsOf(column, this.chosen[at])]]));
    if (this.box.value) pairs.push(["find", this.box.value]); // also what was typed just now
    if (this.variant && this.variant.value !== this.usual) pairs.push([this.variant.title, this.variant.value]);
    if (this.order !== this.first && this.order.column >= 0) {
      pairs.push([this.order.down ? "down" : "up", this.columns[this.order.column].title]);
    }
    return pairs;
  }

  /** Choose what an address says; names that are no columns are left alone. */
  async apply(chosen) {
    this.columns.forEach((column, at) => {
      const wanted = chosen.get(column.title);
      const [value] = column.values.filter((one) => one !== null && this.wordsOf(column, one) === wanted);
      this.chosen[at] = wanted === undefined || value === undefined ? null : value;
      const select = this.selects[at]?.querySelector("select");
      if (select) select.value = String(choicesOf(column).findIndex(([one]) => one === this.chosen[at]));
      if (select && this.chosen[at] === null) select.value = "";
    });
    this.query = chosen.get("find") || "";
    this.box.value = this.query;
    if (this.variant) {
      const wanted = chosen.get(this.variant.title);
      this.useVariant(this.variant.values.includes(wanted) ? wanted : this.usual);
    }
    const title = chosen.get("down") ?? chosen.get("up");
    const column = this.columns.findIndex((one) => one.title === title && one.sort !== "none");
    this.order = column < 0 ? this.first : { column, down: chosen.has("down") };
    this.page = 0;
    this.drawHead();
    await this.update();
  }

  variants(id) {
    const { title, values, shown } = this.variant;
    this.choice = make("select", { id }, values.map((value) => make("option", { value }, shown(value))));
    this.choice.addEventListener("change", async () => {
      this.useVariant(this.choice.value);
      await this.update();
      this.changed();
    });
    return make("span", { className: "filter" }, make("label", { htmlFor: id }, title), this.choice);
  }

  useVariant(value) {
    this.variant.value = value;
    this.choice.value = value;
    this.variant.use(value);
  }

  wordsOf(column, value) {
    return (column.shown || String)(value);
  }

  select(id, column, number) {
    const choices = choicesOf(column);
    const shown = column.shown || String;
    const select = make("select", { id },
      make("option", { value: "" }, "all"),
      choices.map(([value, count], at) => make("option", { value: String(at) }, `${shown(value)} (${count})`)));
    select.addEventListener("change", () => {
      this.choose(number, select.value === "" ? null : choices[Number(select.value)][0]);
    });
    return make("span", { className: "filter" }, make("label", { htmlFor: id }, column.title), select);
  }

  async choose(number, value) {
    this.chosen[number] = value;
    this.page = 0;
    await this.update();
    this.changed();
  }

  async search(text) {
    this.query = text;
    this.page = 0;
    await this.update();
    this.changed();
  }

  async sort(number) {
    const numeric = this.columns[number].sort !== "text";
    const down = this.order.column === number ? !this.order.down : numeric;
    this.order = { column: number, down };
    this.page = 0;
    this.drawHead();
    this.head.children[number].querySelector("button").focus();
    await this.update();
    this.changed();
    announce(`sorted by ${this.columns[number].title}, ${down ? "descending" : "ascending"}`);
  }

  drawHead() {
    fill(this.head, this.columns.map((column, number) => {
      const sorted = this.order.column === number;
      const arrow = sorted ? (this.order.down ? "▼" : "▲") : "";
      return make("th", {
        scope: "col",
        className: [isText(column) ? "" : "number", column.optional ? "optional" : ""].filter(Boolean).join(" "),
        aria: sorted ? { sort: this.order.down ? "descending" : "ascending" } : {},
      }, column.sort === "none" ? make("span", { className: "title" }, column.title) : make("button", { type: "button", on: { click: () => this.sort(number) } },
        make("bdi", {}, column.title), make("span", { className: "arrow", aria: { hidden: "true" } }, arrow)));
    }));
  }

  async update() {
    const { chosen, query, order } = this;
    const turn = ++this.turns;
    if (query && this.prepare) {
      this.status.textContent = "Reading the documents …";
      await this.wait(this.prepare(this.columns[0].values.map((_, row) => row)));
      if (turn !== this.turns) return;
    }
    this.found = rowsOf(this.columns, { chosen, query, order });
    const [one, several] = this.noun;
    const total = counted(this.size, one, several);
    this.status.textContent = this.found.length === this.size
      ? total : `${this.found.length.toLocaleString("en")} of ${total}`;
    await this.drawBody();
  }

  /** Wait for what the rows need, and say so as long as anything is waited for. */
  async wait(coming) {
    this.waits++;
    this.scroll.setAttribute("aria-busy", "true");
    await coming;
    if (!--this.waits) this.scroll.removeAttribute("aria-busy");
  }

  /** Draw the rows of the page in view; false if another page or order was asked for meanwhile. */
  async drawBody() {
    const pages = Math.max(1, Math.ceil(this.found.length / PAGE_ROWS));
    this.page = Math.min(this.page, pages - 1);
    const rows = this.found.slice(this.page * PAGE_ROWS, (this.page + 1) * PAGE_ROWS);
    const mine = ++this.turns;
    // What was brought may be gone again where other tables brought much meanwhile.
    for (let coming = this.prepare?.(rows); coming; coming = this.prepare(rows)) {
      await this.wait(coming);
      if (mine !== this.turns) return false;
    }
    fill(this.body, rows.map((row) => make("tr", {}, this.columns.map((column, number) => this.cell(column, row, number)))));
    if (!rows.length) {
      fill(this.body, make("tr", {}, make("td", { colSpan: this.columns.length, className: "nothing" },
        this.size ? `No ${this.noun[0]} fits these filters.` : `There are no ${this.noun[1]}.`)));
    }
    const turn = (by, text) => make("button", {
      type: "button",
      disabled: this.page + by < 0 || this.page + by >= pages,
      on: { click: () => this.turn(by) },
    }, text);
    fill(this.pager, pages > 1
      ? [turn(-1, "Previous page"), make("span", {}, `page ${this.page + 1} of ${pages}`), turn(1, "Next page")]
      : []);
    return true;
  }

  async turn(by) {
    this.page += by;
    if (!(await this.drawBody())) return;
    this.scroll.scrollTop = 0;
    const [previous, , next] = this.pager.children;
    const button = by > 0 ? next : previous;
    (button.disabled ? (by > 0 ? previous : next) : button).focus();
    announce(`page ${this.page + 1}`);
  }

  cell(column, row, number) {
    const value = column.values[row];
    const content = column.cell ? column.cell(row)
      : column.sort === "percent" ? percent(value)
      : column.sort === "points" ? points(value)
      : column.sort === "integer" ? (value === null ? "" : value.toLocaleString("en"))
      : cellText(column, row);
    return make(number === 0 ? "th" : "td", {
      className: [isText(column) ? "" : "number", column.className, column.optional ? "optional" : ""].filter(Boolean).join(" "),
      scope: number === 0 ? "row" : undefined,
      dir: isText(column) ? "auto" : undefined,
      data: { title: column.title },
    }, content);
  }
}
