// The rows of a table that are shown: which ones the filters leave, and in which order.

const collator = new Intl.Collator("en", { numeric: true });

/** Numbers by size, texts as people sort them: d2 before d10. */
export const compareValues = (a, b) =>
  typeof a === "number" && typeof b === "number" ? a - b : collator.compare(String(a), String(b));

const missingLast = (a, b) => (a === null) - (b === null);

/** What a cell of a column says; `text` knows it where values stand for what is read later. */
export const cellText = ({ values, shown, text }, row) =>
  text ? text(row) : values[row] === null ? "" : shown ? shown(values[row]) : String(values[row]);

/** The values of a column to choose from, each with the number of its rows. */
export function choicesOf(column) {
  const counts = new Map();
  for (const value of column.values) {
    if (value !== null && value !== "") counts.set(value, (counts.get(value) || 0) + 1);
  }
  return [...counts].sort(([a], [b]) => compareValues(a, b));
}

/**
 * The rows that fit, in the order asked for.
 * @param chosen by column, the value that a row must have, or null
 * @param query part of a text that a row must have in some column, in any case
 * @param order the column to sort by (-1: as they stand) and whether the largest come first;
 *   missing values come last either way, and equal ones stay as they stand
 */
export function rowsOf(columns, { chosen = [], query = "", order = { column: -1, down: false } }) {
  const wanted = query.trim().toLocaleLowerCase();
  const texts = columns.filter((column) => column.sort === "text" || column.text);
  const fits = (row) =>
    columns.every(({ values }, at) => (chosen[at] ?? null) === null || values[row] === chosen[at]) &&
    (!wanted || texts.some((column) => cellText(column, row).toLocaleLowerCase().includes(wanted)));
  const rows = columns[0].values.map((_, row) => row).filter(fits);
  if (order.column >= 0) {
    const { values } = columns[order.column];
    const sign = order.down ? -1 : 1;
    rows.sort((a, b) => missingLast(values[a], values[b]) || sign * compareValues(values[a], values[b]) || a - b);
  }
  return rows;
}
