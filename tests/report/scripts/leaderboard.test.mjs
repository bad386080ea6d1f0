import assert from "node:assert/strict";
import test from "node:test";

import { load } from "./building.mjs";

const { cellValue } = await load("leaderboard");

test("cells of numbers are sorted by their numbers, whatever marks stand behind", () => {
  assert.equal(cellValue(" 61.78ab ", true), 61.78);
  assert.equal(cellValue("−1,234.5", true), -1234.5);
  assert.equal(cellValue("", true), null);
});

test("cells of text are sorted by their words", () => {
  assert.equal(cellValue(" d10 ", false), "d10");
  assert.equal(cellValue(" ", false), null);
});
