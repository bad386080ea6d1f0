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
  assert.equal(categoryText("2a"), "2a · partial entity");
  assert.equal(categoryText("new"), "new · new");
});

const KEY = [[[0, 1], [6, 7]], [[2, 5], [7, 8]]];
const RESPONSE = [[[0, 1], [6, 7], [7, 8]], [[3, 5]]];
const row = (type, key, response, keyEntities, responseEntities) =>
  [type, key, response, keyEntities, responseEntities, "name", null, null, null, 1];

/** An error of the harbour as it is told. */
function told(...error) {
  const data = dataOf(["Ada met the harbour master .", "She him"], KEY, RESPONSE, { errors: [row(...error)] });
  const page = new Page(data, 0, "harbour");
  return plainText(errorSentence(page, page.responses[0], page.responses[0].errors[0]));
}

test("every type of error is told in a sentence", () => {
  assert.equal(told("span error", [2], [3], [1], [1]), "“the harbour master” was found as “harbour master”");
  assert.equal(told("missing mention", [3], [], [1], []), "“him” of key entity 2 was not found");
  assert.equal(told("extra mention", [], [1], [], [0]), "“She” in response entity 1 is no mention of the key");
  assert.equal(told("missing entity", [0, 1], [], [0], []), "key entity 1 was not found: “Ada”, “She”");
  assert.equal(told("extra entity", [], [3], [], [1]),
    "response entity 2 has no mention of the key: “harbour master”");
  assert.equal(told("split entity", [], [2], [1], [0, 1]),
    "“him” of key entity 2 is in response entity 1, the rest in 2");
  assert.equal(told("split entity", [], [0, 1], [0], [0]), "“Ada”, “She” of key entity 1 are in response entity 1");
  assert.equal(told("merged entities", [], [2], [1, 0], [0]),
    "“him” of key entity 2 is put together with key entity 1 in response entity 1");
  assert.equal(told("a new type", [0], [3], [], []), "“Ada” “harbour master”");
});

test("of many mentions the first four are told", () => {
  assert.match(told("missing entity", [0, 1, 2, 3, 0, 1], [], [0], []), /“him” and 2 more$/);
});

test("words of the text stay apart from the words of the page", () => {
  const data = dataOf(["<b> x"], [[[0, 1]]], [], { errors: [row("missing mention", [0], [], [0], [])] });
  const page = new Page(data, 0, "d");
  const [first] = errorSentence(page, page.responses[0], page.responses[0].errors[0]);
  assert.deepEqual(first, { quote: "<b>" });
});

test("circumstances are told as far as they are known", () => {
  const all = { kind: "pronoun", restKind: "name", distance: 1, match: "head" };
  assert.equal(errorCircumstances(all), "pronoun · rest: name · 1 sentence away · string match: head");
  assert.equal(errorCircumstances({ kind: "name", restKind: null, distance: 0, match: null }), "name · 0 sentences away");
  assert.equal(errorCircumstances({ kind: "unknown", restKind: null, distance: null, match: null }), "");
});

test("every type of error has a symbol and one side where it is marked", () => {
  const atKey = Object.keys(SYMBOLS).filter((type) => concernsKey({ type }));
  assert.deepEqual(atKey, ["span error", "missing mention", "missing entity"]);
  assert.equal(Object.keys(SYMBOLS).length, 7);
});
