// The three tables: documents, entities and errors.

function documentTable(meta, link) {
  const { documents } = meta;
  const columns = [
    { title: "document", values: documents.id, sort: "text", cell: (row) => linked(documents.id[row], documents.shown[row] >= 0 ? link(documents.shown[row]) : null) },
    { title: "words", values: documents.words, sort: "integer" },
    { title: "key mentions", values: documents.mentions, sort: "integer" },
    { title: "key entities", values: documents.entities, sort: "integer" },
  ];
  meta.responses.forEach((response, number) => {
    const of = meta.responses.length > 1 ? `, ${response}` : "";
    columns.push({ title: `errors${of}`, values: documents.errors[number], sort: "integer" });
    meta.metrics.forEach((metric, at) => {
      columns.push({ title: `${metric} F1${of}`, values: documents.f1[number][at], sort: "percent" });
    });
  });
  return new DataTable(byId("documents-table"), "Documents", columns, ["document", "documents"]);
}

function entityTable(meta, entities, link) {
  const columns = [
    { title: "entity", values: entities.text, sort: "text", cell: (row) => linked(entities.text[row], link(entities.document[row], entities.label[row])) },
    { title: "label", values: entities.label, sort: "text" },
    { title: "document", values: entities.document.map((number) => meta.shown[number]), sort: "text" },
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

function errorTable(meta, errors, link) {
  const columns = [
    { title: "error", values: errors.text, sort: "text", cell: (row) => linked(errors.text[row], link(errors.document[row], errors.number[row])) },
    { title: "type", values: errors.type, sort: "text", filter: true, cell: (row) => [make("span", { className: "kind", aria: { hidden: "true" } }, SYMBOLS[errors.type[row]]), ` ${errors.type[row]}`] },
    { title: "document", values: errors.document.map((number) => meta.shown[number]), sort: "text" },
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
  const content = make("bdi", {}, text === "" ? "(unnamed)" : text);
  return href ? make("a", { href }, content) : content;
};
