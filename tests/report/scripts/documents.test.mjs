import assert from "node:assert/strict";
import test from "node:test";

import { load, metaOf } from "./building.mjs";

const { Documents } = await load("documents");

test("where all documents are shown, number and place are the same", () => {
  const documents = new Documents(metaOf(["first", "second", "third"]));
  assert.deepEqual(documents.shown, [0, 1, 2]);
  assert.deepEqual(documents.ids.map((id) => documents.find(id)), [0, 1, 2]);
  assert.deepEqual(documents.shown.map((number) => documents.chunk(number)), ["d0", "d1", "d2"]);
});

test("a document that is shown alone keeps its number and its name", () => {
  const documents = new Documents(metaOf(["first", "second"], ["second"]));
  const number = documents.find("second");
  assert.equal(number, 1);
  assert.equal(documents.name(number), "second");
  assert.equal(documents.chunk(number), "d0");
  assert.deepEqual(documents.shown, [1]);
});

test("documents come in the order in which they were asked for", () => {
  const documents = new Documents(metaOf(["a", "b", "c", "d"], ["d", "a", "c"]));
  assert.deepEqual(documents.shown, [3, 0, 2]);
  assert.equal(documents.step(3, 1), 0);
  assert.equal(documents.step(0, 1), 2);
  assert.equal(documents.step(2, -1), 0);
  assert.equal(documents.step(3, -1), undefined);
  assert.equal(documents.step(2, 1), undefined);
});

test("a document that is scored only is found and not shown, an unknown one is not found", () => {
  const documents = new Documents(metaOf(["first", "second"], ["second"]));
  assert.equal(documents.find("first"), 0);
  assert.equal(documents.isShown(0), false);
  assert.equal(documents.find("third"), undefined);
  assert.equal(documents.isShown(documents.find("third")), false);
  assert.equal(documents.find("__proto__"), undefined);
});

test("of two documents with the same id the one that is shown is found", () => {
  const meta = { documents: { id: ["x", "x", "x"], shown: [-1, 0, -1] } };
  assert.equal(new Documents(meta).find("x"), 1);
});

test("a document without a name has one to be shown", () => {
  const documents = new Documents(metaOf([""]));
  assert.equal(documents.name(0), "(unnamed)");
  assert.equal(documents.find(""), 0);
});

test("a corpus without documents shows none", () => {
  assert.deepEqual(new Documents(metaOf([])).shown, []);
});
