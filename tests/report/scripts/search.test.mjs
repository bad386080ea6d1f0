import assert from "node:assert/strict";
import test from "node:test";

import { load } from "./building.mjs";

const { occurrences, searchedWords } = await load("search");

const found = (text, query) => [...occurrences(text.split(" "), searchedWords(query))];

test("what is typed is cut into words in lower case", () => {
  assert.deepEqual(searchedWords("  The OLD\tkey\u00a0 "), ["the", "old", "key"]);
  assert.deepEqual(searchedWords(" \n "), []);
  assert.deepEqual(searchedWords("ÉCOLE"), ["école"]);
});

test("one word is found anywhere in a word", () => {
  assert.deepEqual(found("She sells seashells ashore", "sh"), [0, 2, 3]);
});

test("several words follow each other: the end of one, whole ones, the start of one", () => {
  assert.deepEqual(found("the harbour master and the harbourmaster", "harbour mast"), [1]);
  assert.deepEqual(found("his old rusty key", "s old rusty k"), [0]);
  assert.deepEqual(found("his older rusty key", "s old rusty k"), []);
});

test("places that overlap are all found", () => {
  assert.deepEqual(found("a a a", "a a"), [0, 1]);
});

test("nothing is found in a text that is shorter than the query, or empty", () => {
  assert.deepEqual(found("key", "old key"), []);
  assert.deepEqual([...occurrences([], ["key"])], []);
});

test("signs of patterns are signs", () => {
  assert.deepEqual(found("a.c abc $(x)", "a.c"), [0]);
  assert.deepEqual(found("a.c abc $(x)", "$("), [2]);
});
