import assert from "node:assert/strict";
import test from "node:test";

import { load } from "./building.mjs";

const { parseLink, sectionLink, writeLink } = await load("links");

const NAMES = [
  "wb/a2e/00/a2e_0001", "first", "", "100 %", "%2F", "%", "a#b?c&d", "<img src=x>", "عربي", "é", "𝔸",
  "!1", "..", "it's", "two words", "overview",
];

const PLAIN = { entity: "", error: null, response: "", beside: "", options: new Set([""]) };

test("a link without a slash is a section", () => {
  const chosen = new Map();
  assert.deepEqual(parseLink("#errors"), { section: "errors", chosen });
  assert.deepEqual(parseLink(""), { section: "", chosen });
  assert.deepEqual(parseLink("#"), { section: "", chosen });
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
      assert.deepEqual(parseLink(writeLink(document, "", response)), { ...PLAIN, document, response });
      assert.deepEqual(parseLink(writeLink(document, "ab", response)), { ...PLAIN, document, entity: "ab", response });
      assert.deepEqual(parseLink(writeLink(document, "!7", response)), { ...PLAIN, document, error: 6, response });
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
  assert.deepEqual(parseLink("#100%/"), { ...PLAIN, document: "100%" });
  assert.deepEqual(parseLink("#%E0%A4"), { section: "%E0%A4", chosen: new Map() });
});

test("what is chosen in a section is read back as it was written", () => {
  for (const name of NAMES.filter(Boolean)) {
    const link = sectionLink("errors", [["type", name], [name, "x=y"]]);
    assert.deepEqual([...parseLink(link).chosen], [["type", name], [name, "x=y"]].slice(name === "type" ? 1 : 0));
    assert.equal(parseLink(link).section, "errors");
  }
});

test("a second response stands beside the first or under it", () => {
  assert.equal(writeLink("d", "3", "a", "b", "under"), "#d/3/a/b/under");
  assert.deepEqual(parseLink("#d/3/a/b/under"), { document: "d", entity: "3", error: null, response: "a", beside: "b", options: new Set(["under"]) });
  assert.deepEqual([...parseLink("#d/3/a//errors%2Bchains").options], ["errors", "chains"]);
});

test("what is no number of an error is the label of an entity", () => {
  assert.equal(parseLink("#d/!").entity, "!");
  assert.equal(parseLink("#d/!x").error, null);
  assert.equal(parseLink("#d/3!").entity, "3!");
});
