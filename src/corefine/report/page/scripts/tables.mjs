// The tables of documents, entities and errors.

import { CATEGORIES, KINDS, MATCHES, Page, TYPES, WORTH } from "./document.mjs";
import { byId, make, quoted } from "./dom.mjs";
import { DataTable } from "./table.mjs";
import { SYMBOLS, categoryText, errorSentence, plainText } from "./wording.mjs";

const PAGES_KEPT = 120;

/** Documents that tables have read to show their sentences, the latest ones. */
export class Pages {
  /** @param read gives the data of a document by its number */
  constructor(documents, read) {
    Object.assign(this, { documents, read, kept: new Map() });
  }

  /** Read these documents, which are then at hand; null where they are. */
  bring(numbers) {
    const wanted = [...new Set(numbers)].filter((number) => this.documents.isShown(number));
    const missing = wanted.filter((number) => !this.kept.has(number));
    return missing.length ? this.fetchAll(missing, wanted) : null;
  }

  async fetchAll(missing, wanted) {
    await Promise.all(missing.map(async (number) => {
      this.kept.set(number, new Page(await this.read(number), number, this.documents.ids[number]));
    }));
    for (const number of this.kept.keys()) {
      if (this.kept.size <= Math.max(PAGES_KEPT, wanted.length)) break;
      if (!wanted.includes(number)) this.kept.delete(number);
    }
  }

  get(number) {
    return this.kept.get(number);
  }
}

/**
 * All documents; F1 is of one metric, which is chosen above the table, so that all responses are in sight.
 * @param link gives the address of a document by its number
 */
export function documentTable(meta, documents, link, changed) {
  const { words, mentions, entities, errors, f1 } = meta.documents;
  const of = (response) => (meta.responses.length > 1 ? `, ${response}` : "");
  const scores = meta.responses.map((response, number) => (
    { title: `F1${of(response)}`, values: f1[number][meta.lead], sort: "percent" }));
  const columns = [
    { title: "document", values: documents.ids, sort: "text", cell: (row) => linked(documents.name(row), documents.isShown(row) ? link(row) : null) },
    ...scores,
    ...meta.responses.map((response, number) => ({ title: `errors${of(response)}`, values: errors[number], sort: "integer" })),
    { title: "words", values: words, sort: "integer" },
    { title: "key mentions", values: mentions, sort: "integer" },
    { title: "key entities", values: entities, sort: "integer" },
  ];
  const variant = {
    title: "metric",
    values: meta.metrics,
    value: meta.metrics[meta.lead],
    shown: (metric) => meta.titles[metric],
    use: (metric) => scores.forEach((column, number) => {
      column.values = f1[number][meta.metrics.indexOf(metric)];
    }),
  };
  return new DataTable(byId("documents-table"), "Documents", columns, ["document", "documents"], { changed, variant });
}

/** The document of every row, from how many rows each document has. */
export const ownersOf = (counts, documents) =>
  counts.flatMap((count, place) => new Array(count).fill(documents[place]));

/**
 * The entities of one response.
 * @param link gives the address of an entity by its document and label
 */
export function entityTable(meta, documents, response, entities, names, link, pages, changed) {
  const numbers = ownersOf(entities.count, documents.shown);
  const isKey = entities.keySize.map((size) => size !== null);
  const nameOf = (row) => {
    if (isKey[row]) return names[documents.place[numbers[row]]][Number(entities.label[row]) - 1];
    const page = pages.get(numbers[row]);
    const reading = page?.responses[response];
    return reading ? page.textOf(reading.side, entities.mention[row]) : "";
  };
  const side = isKey.map((key, row) => (!key ? "response" : entities.responseSize[row] > 0 ? "both" : "key"));
  const columns = [
    { title: "entity", values: numbers, sort: "none", text: nameOf, cell: (row) => linked(nameOf(row), link(numbers[row], entities.label[row])) },
    { title: "recall lost", values: entities.lost.map((lost) => (lost === null ? null : lost / WORTH)), sort: "points", cell: (row) => (entities.lost[row] === null ? "" : (entities.lost[row] / WORTH).toFixed(2)) },
    { title: "key mentions", values: entities.keySize, sort: "integer" },
    { title: "response mentions", values: entities.responseSize, sort: "integer" },
    { title: "shared", values: entities.shared, sort: "integer" },
    { title: "category", values: entities.category.map((category) => (category === null ? null : CATEGORIES[category])), sort: "text", filter: true, shown: categoryText },
    { title: "side", values: side, sort: "text", filter: true },
    { title: "document", values: numbers.map((number) => documents.ids[number]), sort: "text", className: "wide" },
    { title: "label", values: entities.label, sort: "text", optional: true },
    { title: "information kept", values: entities.information, sort: "percent" },
    ...meta.entityMetrics.map((metric, at) => ({ title: `${meta.titles[metric]} F1`, values: entities.f1[at], sort: "percent", optional: true })),
  ];
  return new DataTable(byId("entities-table"), "Entities", columns, ["entity", "entities"], {
    order: { column: 1, down: true },
    prepare: (rows) => pages.bring(rows.filter((row) => !isKey[row]).map((row) => numbers[row])),
    changed,
  });
}

/**
 * The errors of one response.
 * @param link gives the address of an error by its document and number
 */
export function errorTable(meta, documents, response, errors, link, pages, changed) {
  const numbers = ownersOf(errors.count, documents.shown);
  const places = errors.count.flatMap((count) => Array.from({ length: count }, (_, at) => at));
  const at = (row) => {
    const page = pages.get(numbers[row]);
    const reading = page?.responses[response];
    return { page, reading, error: reading?.errors[places[row]] };
  };
  const words = (row) => {
    const { page, reading, error } = at(row);
    return error ? errorSentence(page, reading, error) : [];
  };
  const context = (row) => {
    const { page, reading, error } = at(row);
    if (!error) return ["", "", ""];
    return error.key.length ? page.context(page.key, error.key[0]) : page.context(reading.side, error.response[0]);
  };
  const coded = (codes, list) => Array.from(codes, (code) => list[code] ?? null);
  const types = coded(errors.type, TYPES);
  const columns = [
    { title: "what happened", values: numbers, sort: "none", className: "told", text: (row) => plainText(words(row)),
      cell: (row) => make("a", { href: link(numbers[row], places[row]) }, words(row).map((part) => (part.quote === undefined ? part : quoted(part.quote)))) },
    { title: "worth", values: errors.worth.map((worth) => worth / WORTH), sort: "points" },
    { title: "type", values: types, sort: "text", filter: true, cell: (row) => [make("span", { className: "kind", aria: { hidden: "true" } }, SYMBOLS[types[row]]), ` ${types[row]}`] },
    { title: "sentence", values: numbers, sort: "none", className: "told", text: (row) => context(row).join(""), cell: (row) => inSentence(context(row)) },
    { title: "document", values: numbers.map((number) => documents.ids[number]), sort: "text", className: "wide" },
    { title: "mentions", values: errors.mentions, sort: "integer" },
    { optional: true, title: "mention kind", values: coded(errors.kind, KINDS), sort: "text", filter: !("mention kind" in errors.groups) },
    { optional: true, title: "type of the rest", values: coded(errors.rest, KINDS), sort: "text", filter: true },
    { optional: true, title: "sentences away", values: errors.distance.map((distance) => (distance < 0 ? null : distance)), sort: "integer" },
    { optional: true, title: "string match", values: coded(errors.match, MATCHES), sort: "text", filter: true },
    ...Object.entries(errors.groups).map(([title, codes]) => ({ optional: true, title, values: coded(codes, meta.groups[title]), sort: "text", filter: true })),
  ];
  const taken = new Set(Object.keys(errors.groups));
  const told = columns.filter((column, place) => !column.optional
    || ((place >= columns.length - taken.size || !taken.has(column.title))
      && column.values.some((value) => value !== null && value !== "unknown")));
  return new DataTable(byId("errors-table"), "Errors", told, ["error", "errors"], {
    order: { column: 1, down: true },
    prepare: (rows) => pages.bring(rows.map((row) => numbers[row])),
    changed,
  });
}

/** A mention in its sentence. */
export const inSentence = ([before, here, after]) => [before, make("mark", {}, make("bdi", {}, here)), after];

const linked = (text, href) => {
  const content = make("bdi", {}, text);
  return href ? make("a", { href }, content) : content;
};
