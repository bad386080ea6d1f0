// The three tables: documents, entities and errors.

import { byId, make } from "./dom.mjs";
import { DataTable } from "./table.mjs";
import { SYMBOLS, categoryText } from "./wording.mjs";

/** @param link gives the address of a document by its number */
export function documentTable(meta, documents, link) {
  const { words, mentions, entities, errors, f1 } = meta.documents;
  const columns = [
    { title: "document", values: documents.ids, sort: "text", cell: (row) => linked(documents.name(row), documents.isShown(row) ? link(row) : null) },
    { title: "words", values: words, sort: "integer" },
    { title: "key mentions", values: mentions, sort: "integer" },
    { title: "key entities", values: entities, sort: "integer" },
  ];
  meta.responses.forEach((response, number) => {
    const of = meta.responses.length > 1 ? `, ${response}` : "";
    columns.push({ title: `errors${of}`, values: errors[number], sort: "integer" });
    meta.metrics.forEach((metric, at) => {
      columns.push({ title: `${metric} F1${of}`, values: f1[number][at], sort: "percent" });
    });
  });
  return new DataTable(byId("documents-table"), "Documents", columns, ["document", "documents"]);
}

/** @param link gives the address of an entity by its document and label */
export function entityTable(meta, documents, entities, link) {
  const numbers = entities.document.map((place) => documents.shown[place]);
  const columns = [
    { title: "entity", values: entities.text, sort: "text", cell: (row) => linked(entities.text[row], link(numbers[row], entities.label[row])) },
    { title: "label", values: entities.label, sort: "text" },
    { title: "document", values: numbers.map((number) => documents.ids[number]), sort: "text" },
    { title: "side", values: entities.side, sort: "text", filter: true },
    { title: "category", values: entities.category, sort: "text", filter: true, shown: categoryText },
    { title: "key mentions", values: entities.keySize, sort: "integer" },
    { title: "response mentions", values: entities.responseSize, sort: "integer" },
    { title: "shared", values: entities.shared, sort: "integer" },
    { title: "information kept", values: entities.information, sort: "percent" },
    ...meta.entityMetrics.map((metric, at) => ({ title: `${metric} F1`, values: entities.f1[at], sort: "percent" })),
  ];
  return new DataTable(byId("entities-table"), "Entities", columns, ["entity", "entities"], { column: 5, down: true });
}

/** @param link gives the address of an error by its document and number */
export function errorTable(documents, errors, link) {
  const numbers = errors.document.map((place) => documents.shown[place]);
  const columns = [
    { title: "error", values: errors.text, sort: "text", cell: (row) => linked(errors.text[row], link(numbers[row], errors.number[row])) },
    { title: "type", values: errors.type, sort: "text", filter: true, cell: (row) => [make("span", { className: "kind", aria: { hidden: "true" } }, SYMBOLS[errors.type[row]]), ` ${errors.type[row]}`] },
    { title: "document", values: numbers.map((number) => documents.ids[number]), sort: "text" },
    { title: "key entity", values: errors.keyLabel, sort: "text" },
    { title: "response entity", values: errors.responseLabel, sort: "text" },
    { title: "mentions", values: errors.mentions, sort: "integer" },
    { optional: true, title: "kind", values: errors.kind, sort: "text", filter: true },
    { optional: true, title: "kind of the rest", values: errors.restKind, sort: "text", filter: true },
    { optional: true, title: "sentences away", values: errors.distance, sort: "integer" },
    { optional: true, title: "string match", values: errors.match, sort: "text", filter: true },
  ];
  const told = columns.filter((column) => !column.optional || column.values.some((value) => value !== null && value !== "unknown"));
  return new DataTable(byId("errors-table"), "Errors", told, ["error", "errors"]);
}

const linked = (text, href) => {
  const content = make("bdi", {}, text);
  return href ? make("a", { href }, content) : content;
};
