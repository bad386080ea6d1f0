import assert from "node:assert/strict";
import test from "node:test";

import { dataOf, load } from "./building.mjs";

const { Page } = await load("document");
const { Drawer } = await load("drawing");

// a and b are one entity of both sides; c is single on both, d only in the key.
const page = new Page(dataOf(["a b c d", "e f"], [[[0, 1], [1, 2]], [[2, 3]], [[3, 4]]], [[[0, 1], [1, 2]], [[2, 3]]], {
  twin: [0, 1, 2],
  partner: [0, 1],
  errors: [{ type: "missing entity", rows: [3] }],
}), 0, "d");
const drawer = (options) => new Drawer(page, [page.responses[0]], { singletons: true, errorsOnly: false, ...options });

const drawn = (options) => {
  const { keyMentions, mentions } = drawer(options);
  return [keyMentions, ...mentions];
};

test("all mentions are drawn in their rows", () => {
  assert.deepEqual(drawn({}), [[[0, 1, 2, 3], []], [[0, 1, 2], []]]);
});

test("without singletons those with an error stay", () => {
  assert.deepEqual(drawn({ singletons: false }), [[[0, 1, 3], []], [[0, 1], []]]);
});

test("with errors only, what is right is not drawn", () => {
  assert.deepEqual(drawn({ errorsOnly: true }), [[[3], []], [[], []]]);
});

test("a row that is not drawn yet has its words", () => {
  assert.equal(drawer({}).plainRow(1), "e f");
});

test("a mention is described for those who do not see its bracket", () => {
  const { errors } = page.responses[0];
  const describe = (mention, wrong) => drawer({}).describe(page.key, mention, page.key.entities[page.key.entity[mention]], wrong);
  assert.equal(describe(1, []), "key entity 1, 2 mentions: b");
  assert.equal(describe(3, errors), "key entity 3, 1 mention: d; missing entity");
});
