import assert from "node:assert/strict";
import test from "node:test";

import { dataOf, load } from "./building.mjs";

const { Page } = await load("document");
const { SYMBOLS, categoryText, concernsKey, counted, errorCircumstances, errorSentence, percent, plainText } =
  await load("wording");

test("numbers agree with their nouns", () => {
  assert.equal(counted(0, "error"), "0 errors");
  assert.equal(counted(1, "error"), "1 error");
  assert.equal(counted(2, "error"), "2 errors");
  assert.equal(counted(1, "entity", "entities"), "1 entity");
  assert.equal(counted(12345, "entity", "entities"), "12,345 entities");
});

test("shares are given in percent with two decimals, missing ones not at all", () => {
  assert.deepEqual([0, 1, 2 / 3, null, undefined].map(percent), ["0.00", "100.00", "66.67", "", ""]);
});

test("categories are given with their names", () => {
  assert.equal(categoryText("2a", { "2a": "partial entity" }), "2a · partial entity");
  assert.equal(categoryText("new", {}), "new");
});

const KEY = [[[0, 1], [6, 7]], [[2, 5], [7, 8]]];
const RESPONSE = [[[0, 1], [6, 7], [7, 8]], [[3, 5]]];

/** An error of the harbour as it is told. */
function told(type, key, response = [], other = -1) {
  const data = dataOf(["Ada met the harbour master .", "She him"], KEY, RESPONSE, {
    twin: [0, 1, 3, -1], partner: [0, 1], errors: [{ type, key, response, other }],
  });
  const page = new Page(data, 0, "harbour");
  return plainText(errorSentence(page, page.responses[0], page.responses[0].errors[0]));
}

test("every type of error is told in words, with entities by their names", () => {
  assert.equal(told("span error", [2], [3]), "“the harbour master” found as “harbour master”");
  assert.equal(told("missing mention", [3]), "“him” missing from “the harbour master”");
  assert.equal(told("extra mention", [], [3], 0), "“harbour master” wrongly added to “Ada”");
  assert.equal(told("missing entity", [0, 1]), "“Ada” missing (2 mentions)");
  assert.equal(told("extra entity", [], [3]), "“harbour master” not an entity of the key");
  assert.equal(told("split entity", [3], [2], 1), "“him” split off “the harbour master”");
  assert.equal(told("split entity", [0], [0], 0), "“Ada” split off “She”");
  assert.equal(told("merged entities", [3], [2], 0), "“him” (the harbour master) merged with “Ada”");
});

test("of many mentions the first three are told", () => {
  assert.match(told("merged entities", [0, 1, 3, 0, 1], [0, 1, 2, 0, 1], 1), /^“Ada”, “She”, “him” and 2 more merged/);
});

test("words of the text stay apart from the words of the page", () => {
  const data = dataOf(["<b> x"], [[[0, 1]]], [], { errors: [{ type: "missing mention", key: [0] }] });
  const page = new Page(data, 0, "d");
  const [first] = errorSentence(page, page.responses[0], page.responses[0].errors[0]);
  assert.deepEqual(first, { quote: "<b>" });
});

test("circumstances are told as far as they are known", () => {
  const all = { kind: "pronoun", restKind: "name", distance: 1, match: "head" };
  assert.equal(errorCircumstances(all), "pronoun · rest: name · 1 sentence away · string match: head");
  assert.equal(errorCircumstances({ kind: "name", restKind: null, distance: 0, match: null }), "name · same sentence");
  assert.equal(errorCircumstances({ kind: "unknown", restKind: null, distance: null, match: null }), "");
});

test("every type of error has a symbol and one side where it is marked", () => {
  const atKey = Object.keys(SYMBOLS).filter((type) => concernsKey({ type }));
  assert.deepEqual(atKey, ["span error", "missing mention", "missing entity"]);
  assert.equal(Object.keys(SYMBOLS).length, 7);
});
