import assert from "node:assert/strict";
import test from "node:test";

import { load } from "./building.mjs";

const { cellCounts, cellOf, itemWorth } = await load("contrast");

test("an item is right in both, in one, or in none, or is none", () => {
  assert.deepEqual([["0", "0"], ["0", "3"], ["7", "0"], ["1", "6"], [".", "."]].map((pair) => cellOf(...pair)),
    ["both", "first", "second", "neither", null]);
});

test("cells are counted, and what is nothing to get right is not", () => {
  assert.deepEqual(cellCounts("00.31", "04.05"), { both: 1, first: 1, second: 1, neither: 1 });
});

test("all right items of a response together are its F1", () => {
  const [inKey, inResponse, right] = [8, 4, 3];
  const f1 = (2 * right) / (inKey + inResponse);
  assert.equal(right * itemWorth(inKey, inResponse), 100 * f1);
  assert.equal(itemWorth(0, 0), 0);
});
