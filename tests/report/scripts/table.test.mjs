import assert from "node:assert/strict";
import test from "node:test";

import { load } from "./building.mjs";

const { cellValue, choicesOf, rowsOf } = await load("table");
const { distanceClass } = await load("tables");

const ROWS = [["Ada", "2a", 2], ["the key", null, null], ["Éva", "1", 10], ["adam", "2a", 2]];
const COLUMNS = [
  { title: "entity", sort: "text", value: (row) => row[0] },
  { title: "category", sort: "text", value: (row) => row[1], shown: (value) => `${value} · words` },
  { title: "mentions", sort: "integer", value: (row) => row[2] },
];
const rows = (options = {}) => rowsOf(COLUMNS, ROWS, options).map((row) => ROWS.indexOf(row));
const sorted = (values, down) => rowsOf([], values, { order: { column: { value: (row) => row }, down } });

test("without filters and order all rows stand as they stand", () => {
  assert.deepEqual(rows(), [0, 1, 2, 3]);
  assert.deepEqual(rowsOf(COLUMNS, [], {}), []);
});

test("numbers are sorted by size, missing ones last in either direction, equal ones as they stand", () => {
  assert.deepEqual(rows({ order: { column: COLUMNS[2], down: false } }), [0, 3, 2, 1]);
  assert.deepEqual(rows({ order: { column: COLUMNS[2], down: true } }), [2, 0, 3, 1]);
  assert.deepEqual(sorted([null, 0, 0.5], true), [0.5, 0, null]);
});

test("texts are sorted as people do: without case or accents first, numbers in them by size", () => {
  assert.deepEqual(sorted(["d10", "d2", "D1"], false), ["D1", "d2", "d10"]);
  assert.deepEqual(sorted(["z", "é", "e", "f"], false), ["e", "é", "f", "z"]);
  assert.deepEqual(sorted(["d10", "d2", "D1"], true), ["d10", "d2", "D1"]);
});

test("a chosen value leaves the rows that have it, and two choices those that have both", () => {
  assert.deepEqual(rows({ chosen: new Map([["category", "2a · words"]]) }), [0, 3]);
  assert.deepEqual(rows({ chosen: new Map([["category", "2a · words"], ["entity", "adam"]]) }), [3]);
  assert.deepEqual(rows({ chosen: new Map([["category", "1 · words"], ["entity", "adam"]]) }), []);
});

test("a query is looked for in all texts as they are shown, in any case, with filters and order", () => {
  assert.deepEqual(rows({ query: " ADA " }), [0, 3]);
  assert.deepEqual(rows({ query: "words" }), [0, 2, 3]);
  assert.deepEqual(rows({ query: "10" }), []);
  assert.deepEqual(rows({ chosen: new Map([["category", "2a · words"]]), query: "a", order: { column: COLUMNS[0], down: true } }), [3, 0]);
});

test("the choices of a column are its values in their order, with their numbers", () => {
  assert.deepEqual(choicesOf(COLUMNS[1], ROWS), [["1 · words", 1], ["2a · words", 2]]);
  assert.deepEqual(choicesOf(COLUMNS[0], [[""], [null]]), []);
});

test("cells of a page are sorted by their numbers, whatever marks stand behind, or by their words", () => {
  assert.deepEqual([[" 61.78ab ", true], ["−1,234.5", true], ["", true], [" d10 ", false], [" ", false]].map((cell) => cellValue(...cell)),
    [61.78, -1234.5, null, "d10", null]);
});

test("distances have the classes of the breakdown", () => {
  assert.deepEqual([null, 0, 2, 3, 5, 6, 10, 11].map(distanceClass), ["-", "0", "2", "3-5", "3-5", "6-10", "6-10", "11+"]);
});
