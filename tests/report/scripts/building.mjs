// Builders for the tests of the page's scripts: the modules, packed chunks, small documents.

import { gzipSync } from "node:zlib";

const SCRIPTS = new URL("../../../src/corefine/report/page/scripts/", import.meta.url);

export const load = (name) => import(new URL(`${name}.mjs`, SCRIPTS));

/** A value as the page holds it: JSON, compressed, in base64. */
export const packed = (value) => gzipSync(JSON.stringify(value)).toString("base64");

/** The index of a report on these documents, of which some are shown, in this order. */
export const metaOf = (ids, shown = ids) => ({
  documents: { id: ids, shown: ids.map((id) => shown.indexOf(id)) },
});

/** A side's columns from entities of spans [first, after the last]; several spans are pieces. */
export function columnsOf(entities) {
  const columns = { start: [], stop: [], entity: [], kind: null, pieces: {}, names: [], entities: entities.length };
  entities.forEach((spans, number) => {
    columns.names.push(`e${number}`);
    for (const span of spans) {
      const pieces = Array.isArray(span[0]) ? span : [span];
      if (pieces.length > 1) columns.pieces[columns.start.length] = pieces;
      columns.start.push(pieces[0][0]);
      columns.stop.push(pieces.at(-1)[1]);
      columns.entity.push(number);
    }
  });
  return columns;
}

/** The data of a document with one response; rows are sentences of words, errors {type, key, response, other}. */
export function dataOf(rows, key, response = [], { twin, partner, errors = [], naming, right = {} } = {}) {
  const words = rows.map((row) => row.split(" "));
  const starts = words.map((_, at) => words.slice(0, at).flat().length);
  const ours = columnsOf(key);
  const listed = errors.map((error) => ({ key: [], response: [], other: -1, kind: "name", restKind: null, distance: null, match: null, worth: 1.2, ...error }));
  const names = ["type", "key", "response", "other", "kind", "restKind", "distance", "match", "worth"];
  return {
    words: words.flat(),
    rows: [...starts, words.flat().length],
    sentence: words.map((_, at) => at),
    empty: [],
    plain: false,
    key: { ...ours, naming: naming ?? key.map((_, at) => ours.entity.indexOf(at)) },
    responses: [{
      ...columnsOf(response),
      twin: twin ?? new Array(response.flat().length).fill(-1),
      partner: partner ?? response.map(() => -1),
      size: response.map((spans) => spans.length),
      scores: { category: key.map(() => "1"), keySize: key.map((spans) => spans.length) },
      right,
      errors: Object.fromEntries(names.map((name) => [name, listed.map((error) => error[name])])),
    }],
  };
}

const steps = (numbers) => numbers.map((number, at) => number - (at ? numbers[at - 1] : 0));

/** The data of a document as the page packs it: numbers by their steps, ends by lengths. */
export function inSteps(data) {
  const side = ({ start, stop, ...columns }) => ({ ...columns, step: steps(start), length: stop.map((end, at) => end - start[at]) });
  const reading = ({ twin, errors, ...columns }) => ({
    ...side(columns),
    twin: twin.map((mine, mention) => (mine < 0 ? null : mine - mention)),
    errors: { ...errors, key: errors.key.map(steps), response: errors.response.map(steps) },
  });
  return { ...data, key: side(data.key), responses: data.responses.map(reading) };
}
