import assert from "node:assert/strict";
import test from "node:test";

import { load } from "./building.mjs";

const { cellText, choicesOf, compareValues, rowsOf } = await load("rows");

const COLUMNS = [
  { title: "entity", sort: "text", values: ["Ada", "the key", "Éva", "adam"] },
  { title: "category", sort: "text", values: ["2a", null, "1", "2a"], shown: (value) => `${value} · words` },
  { title: "mentions", sort: "integer", values: [2, null, 10, 2] },
];
const rows = (options = {}) => rowsOf(COLUMNS, options);
const sorted = (values, down) => rowsOf([{ sort: "text", values }], { order: { column: 0, down } });

test("without filters and order all rows stand as they stand", () => {
  assert.deepEqual(rows(), [0, 1, 2, 3]);
  assert.deepEqual(rowsOf([{ sort: "text", values: [] }], {}), []);
});

test("numbers are sorted by size, missing ones last in either direction", () => {
  assert.deepEqual(rows({ order: { column: 2, down: false } }), [0, 3, 2, 1]);
  assert.deepEqual(rows({ order: { column: 2, down: true } }), [2, 0, 3, 1]);
});

test("texts are sorted as people do: without case or accents first, numbers in them by size", () => {
  assert.deepEqual(sorted(["d10", "d2", "D1"], false), [2, 1, 0]);
  assert.deepEqual(sorted(["z", "é", "e", "f"], false), [2, 1, 3, 0]);
  assert.deepEqual(sorted(["d10", "d2", "D1"], true), [0, 1, 2]);
});

test("0 is a value, and precedes what is missing", () => {
  assert.deepEqual(sorted([null, 0, 0.5], true), [2, 1, 0]);
  assert.deepEqual(sorted([null, 0, 0.5], false), [1, 2, 0]);
});

test("a chosen value leaves the rows that have it, and two choices those that have both", () => {
  assert.deepEqual(rows({ chosen: [null, "2a", null] }), [0, 3]);
  assert.deepEqual(rows({ chosen: ["adam", "2a", null] }), [3]);
  assert.deepEqual(rows({ chosen: ["Ada", "1", null] }), []);
});

test("a query is looked for in all texts as they are shown, in any case", () => {
  assert.deepEqual(rows({ query: " ADA " }), [0, 3]);
  assert.deepEqual(rows({ query: "words" }), [0, 2, 3]);
  assert.deepEqual(rows({ query: "10" }), []);
});

test("filters and order work together", () => {
  const order = { column: 0, down: true };
  assert.deepEqual(rows({ chosen: [null, "2a", null], query: "a", order }), [3, 0]);
});

test("the choices of a column are its values in their order, with their numbers", () => {
  assert.deepEqual(choicesOf(COLUMNS[1]), [["1", 1], ["2a", 2]]);
  assert.deepEqual(choicesOf({ values: ["", null] }), []);
});

test("a cell says what its column makes of the value", () => {
  assert.equal(cellText(COLUMNS[1], 0), "2a · words");
  assert.equal(cellText(COLUMNS[1], 1), "");
  assert.equal(cellText(COLUMNS[2], 2), "10");
});

test("values of any sort can be compared", () => {
  assert.ok(compareValues(2, 10) < 0);
  assert.ok(compareValues("2", "10") < 0);
  assert.equal(compareValues("a", "a"), 0);
});
