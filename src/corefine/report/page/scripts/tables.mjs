// The tables of documents, entities and errors.

import { byId, make, withQuotes } from "./dom.mjs";
import { writeLink } from "./links.mjs";
import { DataTable } from "./table.mjs";
import { SYMBOLS, categoryText, errorSentence, percent, plainText, points } from "./wording.mjs";

/** A mention in its sentence. */
const inSentence = ([before, here, after]) => [before, make("mark", {}, make("bdi", {}, here)), after];

export const withSymbol = (type) => [make("span", { className: "kind", ariaHidden: "true" }, SYMBOLS[type]), ` ${type}`];

const linked = (text, href) => make(href ? "a" : "span", { href }, make("bdi", {}, text));

/** The column of the sentence of a row, by its mention in context, and that of the row's document. */
export const placeColumns = (library, context) => [
  { title: "sentence", value: ({ page }) => page.number, sort: "none", className: "long", text: (row) => context(row).join(""), cell: (row) => inSentence(context(row)) },
  { title: "document", value: ({ page }) => library.ids[page.number], sort: "text", className: "wide" },
];

const mean = (values) => {
  const known = values.filter((value) => value !== null);
  return known.length ? known.reduce((sum, value) => sum + value, 0) / known.length : null;
};

/** All documents with the F1 of every response in one metric, the worst first. */
export function documentTable(app, pages, changed) {
  const { meta, library } = app;
  const metric = app.metric || meta.lead;
  const { words, mentions, entities, errors, f1 } = meta.documents;
  const several = meta.responses.length > 1;
  const rows = library.ids.map((_, number) => number);
  const score = (row, system) => f1[system][metric][row];
  const group = `${meta.titles[metric]} F1`;
  const average = (row) => mean(meta.responses.map((_, system) => score(row, system)));
  const columns = [
    { title: "document", value: (row) => library.ids[row], sort: "text", cell: (row) => linked(library.name(row), library.isShown(row) ? writeLink(library.ids[row]) : null) },
    ...meta.responses.map((name, system) => ({ title: several ? `F1, ${name}` : "F1", short: several ? name : "F1", group, value: (row) => score(row, system), sort: "percent" })),
    ...(several ? [{ title: "mean F1", short: "mean", group, value: average, sort: "percent" }] : []),
    ...meta.responses.map((name, system) => ({ title: several ? `errors, ${name}` : "errors", short: several ? name : "errors", group: "errors", value: (row) => errors[system][row], sort: "integer" })),
    { title: "words", group: "key", value: (row) => words[row], sort: "integer" },
    { title: "key mentions", short: "mentions", group: "key", value: (row) => mentions[row], sort: "integer" },
    { title: "key entities", short: "entities", group: "key", value: (row) => entities[row], sort: "integer" },
  ];
  const foot = (column, found) => {
    if (column.sort === "text") return "mean";
    const value = mean(found.map(column.value));
    return column.sort === "percent" ? percent(value) : value.toLocaleString("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  };
  return new DataTable(byId("documents-table"), "Documents", columns, rows, ["document", "documents"], {
    order: { title: several ? "mean F1" : "F1", down: false }, changed, foot,
  });
}

/** The entities of one response: those of the key, and those that have no key entity. */
export function entityTable(app, pages, changed) {
  const { meta, library, response } = app;
  const rows = pages.flatMap((page) => {
    const { scores, side, size } = page.responses[response];
    const ours = page.key.entities.map((entity) => ({ page, entity, of: (name) => scores[name][entity.number] }));
    const theirs = side.entities.filter(({ partner }) => !partner)
      .map((entity) => ({ page, entity, of: (name) => (name === "responseSize" ? size[entity.number] : null) }));
    return [...ours, ...theirs].filter(({ of }) => of("responseSize") !== null);
  });
  const sideOf = ({ entity, of }) => (!entity.side.isKey ? "response" : of("responseSize") > 0 ? "both" : "key");
  const column = (title, name, sort, more = {}) => ({ title, value: (row) => row.of(name), sort, ...more });
  const columns = [
    { title: "entity", value: (row) => row.page.nameOf(row.entity), sort: "text", cell: (row) => linked(row.page.nameOf(row.entity), app.linkTo(row.page.number, row.entity.label)) },
    column("recall lost", "lost", "points", { cell: (row) => (row.of("lost") === null ? "" : row.of("lost").toFixed(2)) }),
    column("key mentions", "keySize", "integer"),
    column("response mentions", "responseSize", "integer"),
    column("shared", "shared", "integer"),
    column("category", "category", "text", { filter: true, shown: (category) => categoryText(category, meta.categories), cell: (row) => row.of("category") }),
    { title: "side", value: sideOf, sort: "text", filter: true, hidden: true },
    { title: "document", value: (row) => library.ids[row.page.number], sort: "text", className: "wide" },
    column("information kept", "information", "percent"),
    ...meta.entityMetrics.map((metric) => column(`${meta.titles[metric]} F1`, metric, "percent", { className: "optional" })),
  ];
  return new DataTable(byId("entities-table"), "Entities", columns, rows, ["entity", "entities"], {
    order: { title: "recall lost", down: true }, changed,
  });
}

/** Distances in sentences as the breakdown counts them. */
export const distanceClass = (distance) => (distance === null ? "-"
  : distance > 10 ? "11+" : distance > 5 ? "6-10" : distance > 2 ? "3-5" : String(distance));

/** The errors of one response: five columns, and chips for what errors have in common. */
export function errorTable(app, pages, changed) {
  const { meta, library, response } = app;
  const rows = pages.flatMap((page) => {
    const reading = page.responses[response];
    return reading.errors.map((error) => ({ page, reading, error }));
  });
  const words = ({ page, reading, error }) => errorSentence(page, reading, error);
  const context = ({ page, reading, error }) =>
    (error.key.length ? page.context(page.key, error.key[0]) : page.context(reading.side, error.response[0]));
  // A hundred documents make the worth of one error small.
  const decimals = rows.some(({ error }) => error.worth >= 1) ? 2 : 3;
  const filter = (title, value) => ({ title, value, sort: "text", filter: true, hidden: true });
  const columns = [
    { title: "what happened", value: (row) => row.error.number, sort: "none", className: "long", text: (row) => plainText(words(row)),
      cell: (row) => make("a", { href: app.linkTo(row.page.number, `!${row.error.number + 1}`) }, withQuotes(words(row))) },
    { title: "worth", value: ({ error }) => error.worth, sort: "points", cell: ({ error }) => points(error.worth, decimals) },
    { title: "type", value: ({ error }) => error.type, sort: "text", filter: true, cell: ({ error }) => withSymbol(error.type) },
    ...placeColumns(library, context),
    ...(meta.buckets.includes("mention kind") ? [] : [filter("mention kind", ({ error }) => (error.kind === "unknown" ? null : error.kind))]),
    ...meta.buckets.map((title) => filter(title, ({ error }) => error[title])),
    filter("kind of the rest", ({ error }) => (error.restKind === "unknown" ? null : error.restKind)),
    filter("distance", ({ error }) => distanceClass(error.distance)),
    filter("string match", ({ error }) => error.match ?? "-"),
  ];
  return new DataTable(byId("errors-table"), "Errors", columns, rows, ["error", "errors"], {
    order: { title: "worth", down: true }, changed,
  });
}
