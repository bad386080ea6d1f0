import assert from "node:assert/strict";
import test from "node:test";

import { columnsOf, dataOf, load } from "./building.mjs";

const { Page, Side } = await load("document");
const { Drawer, edgesOf, lanesOf, mentionsByRow } = await load("drawing");

// a and b are one entity of both sides; c is single on both, d only in the key.
const page = new Page(dataOf(["a b c d", "e f"], [[[0, 1], [1, 2]], [[2, 3]], [[3, 4]]], [[[0, 1], [1, 2]], [[2, 3]]], {
  twin: [0, 1, 2],
  partner: [0, 1],
  errors: [{ type: "missing entity", key: [3] }],
}), 0, "d");
const drawer = (options) => new Drawer(page, [page.responses[0]], { singletons: true, errorsOnly: false, ...options });

const drawn = (options) => drawer(options).mentions;

test("all mentions are drawn in their rows", () => {
  assert.deepEqual(drawn({}), [[[0, 1, 2, 3], []], [[0, 1, 2], []]]);
});

test("without singletons those with an error stay", () => {
  assert.deepEqual(drawn({ singletons: false }), [[[0, 1, 3], []], [[0, 1], []]]);
});

test("with errors only, what is right is not drawn", () => {
  assert.deepEqual(drawn({ errorsOnly: true }), [[[3], []], [[], []]]);
});

test("a mention is described for those who do not see its bracket", () => {
  const { errors } = page.responses[0];
  const describe = (mention, wrong) => drawer({}).describe(page.key, mention, page.key.entities[page.key.entity[mention]], wrong);
  assert.equal(describe(1, []), "key entity 1, 2 mentions: b");
  assert.equal(describe(3, errors), "key entity 3, 1 mention: d; missing entity");
});

/** Mentions of single-mention entities with their lanes, in the order of the mentions. */
const laid = (spans, from = 0, to = 20) => {
  const side = new Side("key", columnsOf(spans.map((span) => [span])), spans.map((_, at) => String(at + 1)));
  const items = lanesOf(side, spans.map((_, at) => at), from, to);
  return items.sort((a, b) => a.mention - b.mention);
};
const lanes = (spans, ...range) => laid(spans, ...range).map((item) => item.lane);

test("mentions side by side share the lane next to the words", () => {
  assert.deepEqual(lanes([[0, 2], [2, 3], [5, 8]]), [0, 0, 0]);
});

test("of nested mentions the inner one is nearest to the words, in whichever order they come", () => {
  assert.deepEqual(lanes([[0, 6], [1, 4], [2, 3]]), [2, 1, 0]);
  assert.deepEqual(lanes([[2, 3], [0, 6], [1, 4]]), [0, 2, 1]);
});

test("mentions that cross, and those with the same words, have lanes of their own", () => {
  assert.deepEqual(lanes([[0, 3], [2, 5]]), [0, 1]);
  assert.deepEqual(lanes([[1, 3], [1, 3], [1, 3]]), [0, 1, 2]);
});

test("a lane is used again where it is free", () => {
  assert.deepEqual(lanes([[0, 6], [0, 1], [5, 6], [10, 12]]), [1, 0, 0, 0]);
});

test("a discontinuous mention holds its lane over the gap", () => {
  const [split, inGap, after] = laid([[[0, 1], [4, 6]], [2, 3], [6, 7]]);
  assert.deepEqual([split.lane, inGap.lane, after.lane], [1, 0, 0]);
  assert.deepEqual([split.begin, split.end], [0, 6]);
});

test("no two mentions of one lane overlap, and inner ones are never outside", () => {
  let seed = 1;
  const next = (below) => (seed = (seed * 48271) % 2147483647) % below;
  for (let round = 0; round < 200; round++) {
    const spans = Array.from({ length: 1 + next(12) }, () => {
      const start = next(18);
      return [start, start + 1 + next(20 - start - 1)];
    });
    const items = laid(spans);
    for (const a of items) {
      for (const b of items) {
        if (a === b || a.begin >= b.end || b.begin >= a.end) continue;
        assert.notEqual(a.lane, b.lane);
        if (a.begin <= b.begin && b.end <= a.end && a.end - a.begin > b.end - b.begin) assert.ok(a.lane > b.lane);
      }
    }
  }
});

test("a mention over several rows opens in the first and closes in the last", () => {
  const parts = [[0, 5], [5, 10], [10, 15]].map(([from, to]) => laid([[3, 12]], from, to)[0]);
  assert.deepEqual(parts.map(({ begin, end }) => [begin, end]), [[3, 5], [5, 10], [10, 12]]);
  assert.deepEqual(parts.map(({ opens }) => opens), [true, false, false]);
  assert.deepEqual(parts.map(({ closes }) => closes), [false, false, true]);
});

test("a mention knows where the next one in its lane begins", () => {
  assert.deepEqual(laid([[0, 1], [1, 2], [3, 4]]).map(({ next }) => next), [1, 3, Infinity]);
});

test("a bracket opens and closes at the edges of its pieces and has a gap between them", () => {
  const [item] = laid([[[0, 1], [3, 5]]]);
  const edges = [0, 1, 2, 3, 4].map((token) => edgesOf(item, token));
  assert.deepEqual(edges.map(({ gap }) => gap), [false, true, true, false, false]);
  assert.deepEqual(edges.map(({ opens }) => opens), [true, false, false, true, false]);
  assert.deepEqual(edges.map(({ closes }) => closes), [true, false, false, false, true]);
});

test("a bracket that is cut by the row has no edge there", () => {
  const [middle] = laid([[3, 12]], 5, 10);
  assert.deepEqual(edgesOf(middle, 5), { gap: false, opens: false, closes: false });
  assert.deepEqual(edgesOf(middle, 9), { gap: false, opens: false, closes: false });
});

test("mentions are listed in every row that a piece of them stands in", () => {
  const data = dataOf(["a b", "c d", "e f", "g h"], [[[1, 3]], [[[0, 1], [6, 8]]], [[4, 5]]]);
  const page = new Page(data, 0, "d");
  assert.deepEqual(mentionsByRow(page, page.key, () => true), [[0, 1], [0], [2], [1]]);
  assert.deepEqual(mentionsByRow(page, page.key, (mention) => mention !== 0), [[1], [], [2], [1]]);
});
