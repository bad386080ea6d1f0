import assert from "node:assert/strict";
import test from "node:test";

import { dataOf, inSteps, load, metaOf, packed } from "./building.mjs";

const { Page, blankBetween, hueClass, inContext, letters, printed } = await load("document");
const { unpack } = await load("dom");
const { Library } = await load("library");
const { flowOf } = await load("flow");
const { cellOf, itemsByCell } = await load("contrast");

const ROWS = ["Ada met the harbour master .", "She gave him the old key ."];
const KEY = [[[0, 1], [6, 7]], [[2, 5], [8, 9]], [[9, 12]]];
const RESPONSE = [[[0, 1], [6, 7], [8, 9]], [[2, 5]], [[10, 12]], [[7, 8], [12, 13]]];
const harbour = () =>
  new Page(dataOf(ROWS, KEY, RESPONSE, {
    twin: [0, 1, 3, 2, -1, -1, -1],
    partner: [0, 1, 2, -1],
    errors: [{ type: "span error", key: [4], response: [4] }, { type: "merged entities", key: [3], response: [2], other: 0 }],
  }), 3, "harbour");

test("a token is found in its row", () => {
  const page = new Page(dataOf(["a b c", "d", "e f"], []), 0, "d");
  assert.deepEqual([0, 2, 3, 4, 5].map((token) => page.rowOf(token)), [0, 0, 1, 2, 2]);
});

test("words are printed with a blank between them where one is usual", () => {
  assert.equal(harbour().textBetween(0, 6), "Ada met the harbour master.");
  assert.equal(harbour().textBetween(3, 3), "");
  assert.equal(printed(["(", "Ada", "'s", ")", "key"]), "(Ada's) key");
  for (const [left, right] of [["do", "n't"], ["Ada", "'s"], ["(", "she"], ["she", ")"], ["$", "5"], ["5", "%"], ["“", "No"]]) {
    assert.equal(blankBetween(left, right), false, `${left} ${right}`);
  }
  for (const [left, right] of [["a", "b"], [".", "She"], ["a", "("], ["a", "-"], [")", "b"], ["5", "$"]]) {
    assert.equal(blankBetween(left, right), true, `${left} ${right}`);
  }
});

test("a discontinuous mention is told with what is left out", () => {
  const page = new Page(dataOf(["old men and women sang"], [[[[0, 1], [3, 4]], [1, 2]]]), 0, "d");
  assert.equal(page.textOf(page.key, 0), "old … women");
  assert.equal(page.textOf(page.key, 1), "men");
});

test("mentions have their twins on the other side", () => {
  const page = harbour();
  const [reading] = page.responses;
  assert.equal(reading.twinOf(page.key, 3), 2);
  assert.equal(reading.twinOf(reading.side, 2), 3);
  assert.equal(reading.twinOf(page.key, 4), -1);
  assert.equal(reading.twinOf(reading.side, 4), -1);
});

test("a mention lights its own entity and that of its twin, else the paired one", () => {
  const page = harbour();
  const [reading] = page.responses;
  const lit = (side, mention) => reading.litBy(side, mention).map((entity) => `${entity.side.name} ${entity.label}`);
  assert.deepEqual(lit(page.key, 3), ["key 2", "response 1"]);
  assert.deepEqual(lit(page.key, 4), ["key 3", "response 3"]);
  assert.deepEqual(lit(reading.side, 5), ["response a"]);
});

test("paired entities share a colour, others have their own, single mentions none", () => {
  const page = harbour();
  const [reading] = page.responses;
  assert.deepEqual(page.key.entities.map((entity) => entity.colour), [0, 1, -1]);
  assert.deepEqual(reading.side.entities.map((entity) => entity.colour), [0, 1, -1, 2]);
});

test("colours come again with another line", () => {
  assert.equal(hueClass({ colour: -1 }), "h-none");
  assert.equal(hueClass({ colour: 0 }), "h0 s0");
  assert.equal(hueClass({ colour: 7 }), "h7 s0");
  assert.equal(hueClass({ colour: 8 }), "h0 s1");
  assert.equal(hueClass({ colour: 32 }), "h0 s0");
});

test("errors are known at the mentions that they are about", () => {
  const page = harbour();
  const [reading] = page.responses;
  assert.deepEqual(reading.errorsOf(page.key, 4).map(({ type }) => type), ["span error"]);
  assert.deepEqual(reading.errorsOf(reading.side, 2).map(({ number }) => number), [1]);
  assert.deepEqual(reading.errorsOf(reading.side, 0), []);
  assert.deepEqual(reading.errors[1].keyEntities.map(({ label }) => label), ["2", "1"]);
  assert.deepEqual(reading.errors[1].response, [2]);
  assert.equal(reading.errors[1].worth, 1.2);
});

test("the sentence of a mention is cut around it", () => {
  const page = harbour();
  assert.deepEqual(page.context(page.key, 2), ["Ada met ", "the harbour master", "."]);
  assert.deepEqual(page.context(page.key, 3, 1), ["… gave ", "him", " the …"]);
});

test("letters go on after z", () => {
  assert.deepEqual([0, 25, 26, 51, 52, 701, 702].map(letters), ["a", "z", "aa", "az", "ba", "zz", "aaa"]);
});

test("an entity is found by its label, the key's before the response's", () => {
  const page = harbour();
  const [reading] = page.responses;
  assert.equal(reading.entityCalled("1"), page.key.entities[0]);
  assert.equal(reading.entityCalled("a"), reading.side.entities[3]);
  assert.equal(reading.entityCalled("z"), undefined);
});

test("what is found stands among its neighbours as it is printed", () => {
  const words = "She ( the old captain ) did n't go .".split(" ");
  assert.deepEqual(inContext(words, 1, 3, 5, 7), ["(the ", "old captain", ") did"]);
  assert.deepEqual(inContext(words, 8, 9, 10, 11), ["go", ".", ""]);
});

test("a chunk is unpacked to what was packed, in any script, and refused if it is not whole", async () => {
  const value = { words: ["Ada", "سامي", "東京", "𝔸", "</script>", "\u202e", ""], f1: [0.5, null] };
  assert.deepEqual(await unpack(`\n${packed(value)}\n`), value);
  await assert.rejects(unpack(packed(value).slice(0, 8)));
});

test("documents come in the order in which they were asked for, and are unpacked once", async () => {
  const asked = [];
  const chunk = packed(inSteps(dataOf(ROWS, KEY)));
  const library = new Library(metaOf(["a", "b", "", "d"], ["d", "a", ""]), (name) => (asked.push(name), chunk));
  assert.deepEqual(library.shown, [3, 0, 2]);
  assert.deepEqual([library.step(3, 1), library.step(2, -1), library.step(3, -1)], [0, 0, undefined]);
  assert.deepEqual([library.find("b"), library.isShown(1), library.find("x"), library.find("__proto__")], [1, false, -1, -1]);
  assert.equal(library.name(2), "(unnamed)");
  assert.equal((await library.all()).length, 3);
  assert.equal(await library.page(0), await library.page(0));
  assert.deepEqual((await library.page(0)).key.start, new Page(dataOf(ROWS, KEY), 0, "a").key.start);
  assert.deepEqual(asked, ["d0", "d1", "d2"]);
});

test("of two documents with the same id the one that is shown is found", () => {
  assert.equal(new Library({ documents: { id: ["x", "x", "x"], shown: [-1, 0, -1] } }).find("x"), 1);
});

test("a flow has a lane for each entity, and what is missed or stands alone", () => {
  const page = harbour();
  const { keys, lanes, missed } = flowOf(page, page.responses[0], page.key.entities);
  assert.deepEqual(keys.map(({ dots }) => dots.map(({ token }) => token)), [[0, 6], [2, 8], [9]]);
  // One response entity merges the first key entity with a part of the second; the rest is alone.
  assert.deepEqual(lanes.map(({ entity, dots }) => [entity === null, dots.map(({ key }) => key)]), [[false, [0, 0, 1]], [true, [1]]]);
  assert.deepEqual(missed.map(({ token, key }) => [token, key]), [[9, 2]]);
});

test("an item is right in both, in one, or in none, or there is none", () => {
  assert.deepEqual([[0, 0], [0, 3], [7, 0], [1, 6], [-1, -1]].map((pair) => cellOf(...pair)),
    ["both", "first", "second", "neither", null]);
  const page = new Page(dataOf(ROWS, KEY, RESPONSE, { right: { links: [-1, 0, -1, 2, -1] } }), 0, "d");
  assert.deepEqual(itemsByCell([page], "links", 0, 0).both.map(({ mention }) => mention), [1]);
});
