// The leaderboard: tables are sorted by a click on the title of a column.

import { announce, byId, make } from "./dom.mjs";
import { rowsOf } from "./rows.mjs";

/** What a cell is sorted by: its number, its words in a column of text, null where it is empty. */
export function cellValue(text, isNumber) {
  const words = text.trim();
  if (!isNumber) return words || null;
  const number = parseFloat(words.replace("−", "-").replaceAll(",", ""));
  return Number.isNaN(number) ? null : number;
}

function sortable(table) {
  const heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
  const rows = [...table.tBodies[0].rows];
  const columns = heads.map((head, at) => ({
    sort: "text",
    values: rows.map((row) => cellValue(row.cells[at].textContent, head.classList.contains("number"))),
  }));
  const arrows = heads.map(() => make("span", { className: "arrow", aria: { hidden: "true" } }));
  heads.forEach((head, column) => {
    const title = head.textContent;
    const sort = () => {
      const before = head.getAttribute("aria-sort");
      // Scores begin with the highest; names, dates and ranks with the lowest.
      const down = before ? before === "ascending" : head.classList.contains("number") && title !== "rank";
      heads.forEach((other, at) => {
        other.removeAttribute("aria-sort");
        arrows[at].textContent = "";
      });
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      arrows[column].textContent = down ? "▼" : "▲";
      table.tBodies[0].append(...rowsOf(columns, { order: { column, down } }).map((row) => rows[row]));
      announce(`Sorted by ${title}, ${down ? "descending" : "ascending"}`);
    };
    const button = make("button", { type: "button", on: { click: sort } }, ...head.childNodes, arrows[column]);
    head.replaceChildren(button);
  });
  table.dataset.sorts = "yes";
}

function openLeaderboard() {
  document.querySelectorAll("table.sortable").forEach(sortable);
  byId("scheme").addEventListener("change", (event) => {
    document.documentElement.dataset.scheme = event.target.value;
  });
  document.documentElement.classList.add("ready");
  document.documentElement.dataset.started = "yes";
}

if (typeof document !== "undefined") openLeaderboard();
