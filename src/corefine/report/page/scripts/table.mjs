// A table of many rows held as columns: sorted, filtered, and shown a page at a time.

import { announce, fill, make, settled } from "./dom.mjs";
import { cellText, choicesOf, rowsOf } from "./rows.mjs";
import { counted, percent } from "./wording.mjs";

const PAGE_ROWS = 50;

export class DataTable {
  /**
   * @param container where the table goes
   * @param columns list of {title, values, sort: "text"|"percent"|"integer", filter,
   *   cell(row) → node}; a column with `filter` gets a list of its values to choose from
   * @param noun what a row is, as [one, several]
   */
  constructor(container, title, columns, noun, order = null) {
    this.columns = columns;
    this.noun = noun;
    this.size = columns[0].values.length;
    this.order = order || { column: -1, down: false };
    this.page = 0;
    this.query = "";
    this.chosen = columns.map(() => null);
    this.status = make("p", { className: "count", role: "status" });
    this.head = make("tr");
    this.body = make("tbody");
    this.pager = make("div", { className: "pager" });
    const query = make("input", { type: "search", id: `${container.id}-query`, autocomplete: "off" });
    query.addEventListener("input", settled(() => this.search(query.value)));
    const label = make("label", {}, "Filter ", query);
    this.selects = columns.map((column, number) =>
      column.filter ? this.select(`${container.id}-${column.title.replaceAll(" ", "-")}`, column, number) : null);
    const scroll = make("div", { className: "scroll", tabIndex: 0, role: "region", aria: { label: title } },
      make("table", {}, make("caption", { className: "hidden" }, title),
        make("thead", {}, this.head), this.body));
    this.scroll = scroll;
    fill(container, make("div", { className: "filters" }, label, this.selects), this.status, scroll, this.pager);
    this.drawHead();
    this.update();
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

  choose(number, value) {
    this.chosen[number] = value;
    this.page = 0;
    this.update();
  }

  search(text) {
    this.query = text;
    this.page = 0;
    this.update();
  }

  sort(number) {
    const numeric = this.columns[number].sort !== "text";
    const down = this.order.column === number ? !this.order.down : numeric;
    this.order = { column: number, down };
    this.page = 0;
    this.update();
    this.drawHead();
    this.head.children[number].querySelector("button").focus();
    announce(`sorted by ${this.columns[number].title}, ${down ? "descending" : "ascending"}`);
  }

  drawHead() {
    fill(this.head, this.columns.map((column, number) => {
      const sorted = this.order.column === number;
      const arrow = sorted ? (this.order.down ? "▼" : "▲") : "";
      return make("th", {
        scope: "col",
        className: column.sort === "text" ? "" : "number",
        aria: sorted ? { sort: this.order.down ? "descending" : "ascending" } : {},
      }, make("button", { type: "button", on: { click: () => this.sort(number) } },
        column.title, make("span", { className: "arrow", aria: { hidden: "true" } }, arrow)));
    }));
  }

  update() {
    const { chosen, query, order } = this;
    this.found = rowsOf(this.columns, { chosen, query, order });
    const [one, several] = this.noun;
    const total = counted(this.size, one, several);
    this.status.textContent = this.found.length === this.size
      ? total : `${this.found.length.toLocaleString("en")} of ${total}`;
    this.drawBody();
  }

  drawBody() {
    const pages = Math.max(1, Math.ceil(this.found.length / PAGE_ROWS));
    this.page = Math.min(this.page, pages - 1);
    const rows = this.found.slice(this.page * PAGE_ROWS, (this.page + 1) * PAGE_ROWS);
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
  }

  turn(by) {
    this.page += by;
    this.drawBody();
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
      : column.sort === "integer" ? (value === null ? "" : value.toLocaleString("en"))
      : cellText(column, row);
    return make(number === 0 ? "th" : "td", {
      className: column.sort === "text" ? "" : "number",
      scope: number === 0 ? "row" : undefined,
      dir: column.sort === "text" ? "auto" : undefined,
    }, content);
  }
}
