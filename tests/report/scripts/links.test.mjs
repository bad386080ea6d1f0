import assert from "node:assert/strict";
import test from "node:test";

import { load } from "./building.mjs";

const { parseLink, writeLink } = await load("links");

const NAMES = [
  "wb/a2e/00/a2e_0001", "first", "", "100 %", "%2F", "%", "a#b?c&d", "<img src=x>", "عربي", "é", "𝔸",
  "!1", "..", "it's", "two words", "overview",
];

test("a link without a slash is a section", () => {
  assert.deepEqual(parseLink("#errors"), { section: "errors" });
  assert.deepEqual(parseLink(""), { section: "" });
  assert.deepEqual(parseLink("#"), { section: "" });
});

test("links are written as documented", () => {
  assert.equal(writeLink("first"), "#first/");
  assert.equal(writeLink("first", "3"), "#first/3");
  assert.equal(writeLink("first", "3", "wrong"), "#first/3/wrong");
  assert.equal(writeLink("first", "!12", "wrong"), "#first/!12/wrong");
  assert.equal(writeLink("a/b", "", "c/d"), "#a%2Fb//c%2Fd");
});

test("every link to a document is read back as it was written", () => {
  for (const document of NAMES) {
    for (const response of NAMES) {
      assert.deepEqual(parseLink(writeLink(document, "", response)), { document, entity: "", error: null, response });
      assert.deepEqual(parseLink(writeLink(document, "ab", response)), { document, entity: "ab", error: null, response });
      assert.deepEqual(parseLink(writeLink(document, "!7", response)), { document, entity: "", error: 6, response });
    }
  }
});

test("what is read is written back", () => {
  for (const link of ["#d/", "#d/3", "#d/!12", "#d/c/wrong", "#d//wrong", "#a%2Fb/1/c%2Fd"]) {
    const { document, entity, error, response } = parseLink(link);
    assert.equal(writeLink(document, error === null ? entity : `!${error + 1}`, response), link);
  }
});

test("an address that is not well encoded is taken as it stands", () => {
  assert.deepEqual(parseLink("#100%/"), { document: "100%", entity: "", error: null, response: "" });
  assert.deepEqual(parseLink("#%E0%A4"), { section: "%E0%A4" });
});

test("what is no number of an error is the label of an entity", () => {
  assert.equal(parseLink("#d/!").entity, "!");
  assert.equal(parseLink("#d/!x").error, null);
  assert.equal(parseLink("#d/3!").entity, "3!");
});
