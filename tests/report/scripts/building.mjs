// Builders for the tests of the page's scripts: the modules, packed chunks, small documents.

import { deflateRawSync } from "node:zlib";

const SCRIPTS = new URL("../../../src/corefine/report/page/scripts/", import.meta.url);

export const load = (name) => import(new URL(`${name}.mjs`, SCRIPTS));

/** A value as the page holds it: JSON, deflated, in base64. */
export const packed = (value) => deflateRawSync(JSON.stringify(value)).toString("base64");

/** The index of a report on these documents, of which some are shown, in this order. */
export const metaOf = (ids, shown = ids) => ({
  documents: { id: ids, shown: ids.map((id) => shown.indexOf(id)) },
});

const TYPES = [
  "span error", "merged entities", "split entity", "extra mention", "extra entity", "missing mention", "missing entity",
];
const steps = (numbers) => numbers.map((number, at) => number - (at ? numbers[at - 1] : 0));

/** A side's columns from entities of spans [first, after the last]; several spans are pieces. */
export function columnsOf(entities) {
  const columns = { start: [], length: [], entity: [], kind: null, pieces: {}, names: [] };
  const starts = [];
  entities.forEach((spans, number) => {
    columns.names.push(`e${number}`);
    for (const span of spans) {
      const pieces = Array.isArray(span[0]) ? span : [span];
      if (pieces.length > 1) columns.pieces[starts.length] = pieces;
      starts.push(pieces[0][0]);
      columns.length.push(pieces.at(-1)[1] - pieces[0][0]);
      columns.entity.push(number);
    }
  });
  return { ...columns, start: steps(starts) };
}

/** Errors of the form {type, rows, other}, as columns. */
const errorColumns = (errors) => ({
  type: errors.map(({ type }) => TYPES.indexOf(type)).join(""),
  rows: errors.map(({ rows }) => rows),
  other: errors.map(({ other = -1 }) => other),
  kind: errors.map(() => "0").join(""),
  rest: errors.map(() => -1),
  distance: errors.map(() => -1),
  match: errors.map(() => -1),
  worth: errors.map(() => 12000),
});

/**
 * The data of a document with one response; rows are sentences of words. Rows of errors are mentions
 * of the key and, as -1 - m, mentions m of the response without a twin.
 */
export function dataOf(rows, key, response = [], { twin, partner, errors = [], naming } = {}) {
  const words = rows.map((row) => row.split(" "));
  const starts = words.map((_, at) => words.slice(0, at).flat().length);
  const theirs = columnsOf(response);
  const mentions = response.flat().length;
  let last = 0;
  const twins = (twin ?? new Array(mentions).fill(-1)).map((one) => {
    if (one < 0) return null;
    const step = one - last;
    last = one;
    return step;
  });
  const ours = columnsOf(key);
  return {
    words: words.flat(),
    rows: steps([...starts, words.flat().length]),
    sentence: steps(words.map((_, at) => at)),
    empty: [],
    plain: false,
    key: { ...ours, entities: key.length, naming: naming ?? key.map((_, at) => ours.entity.indexOf(at)) },
    responses: [{
      ...theirs,
      at: steps(Array.from({ length: mentions }, (_, at) => at)),
      twin: twins,
      partner: partner ?? response.map(() => -1),
      category: key.map(() => 0),
      errors: errorColumns(errors),
    }],
  };
}
