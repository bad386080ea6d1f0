import assert from "node:assert/strict";
import test from "node:test";

import { load, packed } from "./building.mjs";

const { Store, unpack } = await load("store");

const storeOf = (chunks, budget) => {
  const asked = [];
  const store = new Store((name) => (asked.push(name), chunks[name] && packed(chunks[name])), budget);
  return { store, asked };
};

test("a chunk is unpacked to what was packed, in any script", async () => {
  const value = { words: ["Ada", "سامي", "東京", "𝔸", "</script>", "\u202e", ""], f1: [0.5, null] };
  assert.deepEqual(JSON.parse(await unpack(`\n${packed(value)}\n`)), value);
});

test("a chunk is unpacked once", async () => {
  const { store, asked } = storeOf({ meta: { a: 1 } });
  assert.equal(await store.chunk("meta"), await store.chunk("meta"));
  assert.deepEqual(asked, ["meta"]);
});

test("two who ask at the same time get the same value, which is counted once", async () => {
  const { store } = storeOf({ d0: ["word"] });
  const [one, other] = await Promise.all([store.chunk("d0"), store.chunk("d0")]);
  assert.equal(one, other);
  assert.equal(store.bytes, 2 * JSON.stringify(["word"]).length);
});

test("a part that the report does not have is refused by name", async () => {
  const { store } = storeOf({});
  await assert.rejects(store.chunk("d7"), /no part called d7/);
});

test("a part that is not whole is refused", async () => {
  const store = new Store(() => packed({ words: ["a", "b", "c"] }).slice(0, 8));
  await assert.rejects(store.chunk("d0"));
});

test("the documents that were not looked at for longest are dropped first", async () => {
  const text = "x".repeat(100);
  const { store, asked } = storeOf({ meta: text, d0: text, d1: text, d2: text }, 4 * 204 - 1);
  for (const name of ["meta", "d0", "d1", "d0", "d2"]) await store.chunk(name);
  assert.deepEqual([...store.kept.keys()], ["meta", "d0", "d2"]);
  assert.equal(store.bytes, 3 * 204);
  await store.chunk("d1");
  assert.deepEqual(asked, ["meta", "d0", "d1", "d2", "d1"]);
});

test("what is larger than the budget is kept while it is the newest", async () => {
  const { store } = storeOf({ d0: "x".repeat(100), d1: "y" }, 10);
  assert.equal((await store.chunk("d0")).length, 100);
  assert.deepEqual([...store.kept.keys()], ["d0"]);
  await store.chunk("d1");
  assert.deepEqual([...store.kept.keys()], ["d1"]);
});
