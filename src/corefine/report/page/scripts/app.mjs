// The report: which section, document, response, entity and error are in view.

import { announce, byId, chunk, fill, make, unpack } from "./dom.mjs";
import { contrastTable } from "./contrast.mjs";
import { Flow } from "./flow.mjs";
import { Library } from "./library.mjs";
import { parseLink, writeLink } from "./links.mjs";
import { EntityPanel, ErrorList } from "./panel.mjs";
import { prepareSearch } from "./search.mjs";
import { Shell, begin } from "./shell.mjs";
import { documentTable, entityTable, errorTable } from "./tables.mjs";
import { TextView } from "./text.mjs";
import { concernsKey, counted, errorSentence, plainText } from "./wording.mjs";

const TABLES = { compare: ["contrast"], documents: ["documents", "entities"], errors: ["errors"] }; // by view
const MADE_BY = { contrast: contrastTable, documents: documentTable, entities: entityTable, errors: errorTable };
const NOT_CHOSEN = ["metric", "response"]; // what an address says that no table is filtered by

export class App extends Shell {
  constructor(library, meta) {
    super();
    this.library = library;
    this.meta = meta;
    [this.document] = library.shown;
    this.response = 0;
    this.filled = new Map(); // tables by name; before the documents are there, what they are to show
    this.turn = 0; // how often the reader has gone somewhere: what was begun before gives way
    this.text = new TextView(byId("text"), (reading, side, mention) => this.choose(reading, side, mention));
    this.errors = new ErrorList(byId("error-list"), (error) => this.openError(error));
    this.panel = new EntityPanel(this);
    this.flow = new Flow(this);
    this.fillControls();
    prepareSearch(this);
    this.panel.clear();
  }

  fillControls() {
    const { library } = this;
    fill(byId("document"), library.shown.map((number) => make("option", { value: String(number) }, library.name(number))));
    const on = (id, event, action) => byId(id)?.addEventListener(event, action);
    on("document", "change", (event) => this.openDocument(Number(event.target.value)));
    on("previous-document", "click", () => this.openDocument(library.step(this.document, -1)));
    on("next-document", "click", () => this.openDocument(library.step(this.document, 1)));
    on("previous-error", "click", () => this.stepError(-1));
    on("next-error", "click", () => this.stepError(1));
    on("close-sheet", "click", () => this.panel.clear());
    for (const id of ["show-singletons", "errors-only", "beside"]) on(id, "change", () => this.changeView());
    on("open-help", "click", () => byId("help").showModal());
    on("metric", "change", () => this.refresh());
    on("response", "change", (event) => this.setResponse(Number(event.target.value)));
    document.addEventListener("keydown", (event) => this.keyed(event));
    window.addEventListener("beforeprint", () => {
      byId("signature").closest("details").open = true;
      if (this.page) this.text.drawRows(this.text.rows);
    });
  }

  /** A key presses the button, or enters the field, that is marked with it. */
  keyed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !byId("shortcuts").checked) return;
    const target = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
    if (!target || event.target.closest("input, select, textarea, dialog")) return;
    event.preventDefault();
    if (target.matches("input")) target.focus();
    else target.click();
  }

  // ── sections ──────────────────────────────────────────────────────────────────────────────

  /** Go somewhere: `work` asks whether the reader has gone elsewhere since; the page says it is busy. */
  async going(work) {
    const turn = ++this.turn;
    byId("main").ariaBusy = "true";
    try {
      await work(() => turn === this.turn);
    } finally {
      if (turn === this.turn) byId("main").ariaBusy = null;
    }
  }

  route(moved) {
    if (moved) byId("search-results").togglePopover(false);
    this.notice("");
    const link = parseLink(this.address.hash);
    return this.going((still) => (link.section === undefined ? this.openText(link, moved, still) : this.openTable(moved, still)));
  }

  /** Say in sight of all that a link leads nowhere. */
  notice(text) {
    byId("notice").hidden = !text;
    byId("notice").textContent = text;
  }

  async openTable(moved, still) {
    const { chosen } = await super.route(moved);
    const target = this.part;
    this.useResponse(chosen.get("response"));
    if (this.section === "reading") await this.showDocument(this.document, still);
    await this.fillTables(target, chosen, still);
    if (!still()) return;
    // What was filled may have moved what the address leads to; filters lead to the list of errors.
    if (target !== this.section) this.goToPart(byId(target));
    else if (target === "errors" && [...chosen.keys()].some((name) => !NOT_CHOSEN.includes(name))) this.goToPart(byId("error-table"));
    if (!chosen.has("metric") && this.metric !== this.firstMetric) this.recordChoice([...chosen]);
  }

  async openText(link, moved, still) {
    const number = this.library.find(link.document);
    if (!this.library.isShown(number)) {
      this.openSection("documents", moved);
      this.notice(number < 0
        ? `There is no document ${link.document} in this report.`
        : `The text of document ${link.document} is not in this report.`);
      return this.refresh();
    }
    this.useResponse(link.response);
    if (link.response) {
      if (byId("beside")) byId("beside").value = String(this.meta.responses.indexOf(link.beside));
      byId("errors-only").checked = link.options.has("errors");
      byId("show-singletons").checked = !link.options.has("chains");
      this.redraw();
    }
    this.openSection("reading", false);
    await this.showDocument(number, still);
    if (!still()) return;
    const error = this.reading.errors[link.error];
    const entity = this.reading.entityCalled(link.entity);
    if (error) this.openError(error);
    else if (entity) this.openEntity(entity);
    else if (link.entity) this.notice(`There is no entity ${link.entity} in this document.`);
    else if (moved) byId("reading-title").focus();
  }

  /** Fill the tables of the view anew, after another metric or response was chosen. */
  refresh() {
    return this.going((still) => this.fillTables("", new Map(), still));
  }

  /** Fill the tables of the view; `chosen` is what the address says of one of them. */
  async fillTables(target, chosen, still) {
    const tables = TABLES[this.section] || [];
    const meant = target === this.section ? tables[0] : target;
    for (const id of tables) await this.fillTable(id, id === meant ? chosen : this.chosenIn(id), still);
  }

  chosenIn(id) {
    return new Map(this.filled.get(id)?.state);
  }

  async fillTable(id, chosen, still) {
    this.filled.set(id, { state: chosen });
    const pages = id === "documents" ? [] : await this.library.all();
    if (!still()) return;
    const table = MADE_BY[id](this, pages, () => this.recordTable(id));
    table.apply(chosen);
    this.filled.set(id, table);
  }

  /** The address of a table with what is chosen in it. */
  recordTable(id) {
    if (!TABLES[this.section]?.includes(id)) return;
    this.part = id;
    const { responses } = this.meta;
    const isNamed = id !== "contrast" && responses.length > 1;
    this.recordChoice([...(isNamed ? [["response", responses[this.response]]] : []), ...this.chosenIn(id)]);
  }

  /** The address of an entity or error, as a response has it. */
  linkTo(number, what, response = this.response) {
    const { responses } = this.meta;
    return writeLink(this.library.ids[number], what, responses.length > 1 ? responses[response] : "");
  }

  // ── documents and responses ───────────────────────────────────────────────────────────────

  /** Go to a document, if there is one. */
  openDocument(number) {
    if (number !== undefined) this.address.go(writeLink(this.library.ids[number]));
  }

  /** Show the text of a document, unless the reader goes elsewhere meanwhile. */
  async showDocument(number, still) {
    const { library } = this;
    this.document = number;
    const page = await library.page(number);
    if (!still()) return;
    if (this.page !== page) {
      this.page = page;
      byId("document").value = String(number);
      fill(byId("reading-title"), "Read ", make("bdi", {}, library.name(number)));
      byId("previous-document").disabled = library.step(number, -1) === undefined;
      byId("next-document").disabled = library.step(number, 1) === undefined;
      this.redraw();
      this.flow.show(page);
    }
    this.nameView(library.name(number));
  }

  /** The document as the response in view reads it. */
  get reading() {
    return this.page.responses[this.response];
  }

  /** The readings that are shown, one under the other. */
  get readings() {
    return [this.reading, this.page.responses[this.beside]].filter(Boolean);
  }

  async setResponse(number) {
    const label = this.text.kept[0]?.label;
    this.useResponse(this.meta.responses[number]);
    if (this.section === "reading") this.changeView(label);
    else await this.refresh().then(() => this.recordTable(TABLES[this.section]?.at(-1)));
    announce(`response ${this.meta.responses[number]}`);
  }

  /** Show the response with this name, if there is one. */
  useResponse(name) {
    const number = this.meta.responses.indexOf(name);
    if (number < 0 || this.response === number) return;
    this.response = number;
    byId("response").value = String(number);
    this.flow.follow(number);
    this.redraw();
  }

  /** The response that stands under the one in view; -1 if there is none. */
  get beside() {
    return Number(byId("beside")?.value ?? -1);
  }

  /** Draw the text anew, with the entity that was chosen. */
  changeView(label = this.text.kept[0]?.label) {
    this.redraw();
    const entity = this.reading.entityCalled(label);
    if (entity) this.keepPairs(entity);
    this.address.record(this.placeOf(label));
  }

  /** The address of an entity or error of the document in view, with what is marked. */
  placeOf(what, response = this.response) {
    const { responses } = this.meta;
    const marked = { errors: byId("errors-only").checked, chains: !byId("show-singletons").checked };
    const options = Object.keys(marked).filter((name) => marked[name]).join("+");
    const name = responses.length > 1 || options ? responses[response] : "";
    return writeLink(this.page.id, what, name, responses[this.beside], options);
  }

  redraw() {
    if (this.beside === this.response) byId("beside").value = "-1";
    if (!this.page) return;
    this.text.show(this.page, this.readings, this.meta.responses, {
      singletons: byId("show-singletons").checked,
      errorsOnly: byId("errors-only").checked,
    });
    this.errors.show(this.page, this.reading);
    this.panel.clear();
    byId("no-text").hidden = !this.page.plain;
  }

  // ── entities and errors ───────────────────────────────────────────────────────────────────

  choose(reading, side, mention) {
    this.keep(reading, reading.litBy(side, mention));
    announce(this.text.kept.map((one) => `${one.side.name} entity ${one.label}, ${counted(one.mentions.length, "mention")}`).join("; "));
    this.address.record(this.placeOf(side.entityOf(mention).label, reading.number));
  }

  /** Keep entities lit, and list their mentions. */
  keep(reading, entities) {
    this.text.light(entities, "kept");
    this.panel.show(this.page, reading, entities, this.placeOf(entities[0].label, reading.number));
  }

  /** A mention that was chosen in the flow. */
  openMention({ reading, side, mention }) {
    this.useResponse(this.meta.responses[reading.number]);
    this.choose(reading, side, mention);
    this.text.goTo(side, mention);
  }

  /** Keep an entity lit with those that it is aligned with in the responses shown. */
  keepPairs(entity) {
    this.keep(this.reading, [...new Set(this.readings.flatMap((reading) => reading.pairOf(entity)))]);
  }

  openEntity(entity) {
    this.keepPairs(entity);
    if (entity.mentions.length) this.text.goTo(entity.side, entity.mentions[0]);
    else this.notice(`Entity ${entity.label} has its mentions in other documents.`);
  }

  openError(error) {
    const { page, reading } = this;
    const atKey = error.key.length && (concernsKey(error) || !error.response.length);
    this.keep(reading, [...new Set([...error.keyEntities, ...error.responseEntities])]);
    this.errors.select(error);
    if (atKey) this.text.goTo(page.key, error.key[0]);
    else this.text.goTo(reading.side, error.response[0]);
    this.address.record(this.placeOf(`!${error.number + 1}`));
    const sentence = plainText(errorSentence(page, reading, error));
    announce(`error ${error.number + 1} of ${reading.errors.length}, ${error.type}: ${sentence}`);
  }

  /** The next or previous error, going on to the next document that has one. */
  stepError(by) {
    return this.going(async (still) => {
      if (this.section !== "reading") this.openSection("reading", false);
      await this.showDocument(this.document, still);
      let number = this.document;
      if (still() && !this.errors.step(by)) {
        const counts = this.meta.documents.errors[this.response];
        number = this.library.step(number, by);
        while (counts[number] === 0) number = this.library.step(number, by);
        if (number !== undefined) await this.showDocument(number, still);
      }
      if (!still()) return;
      if (number !== undefined) this.openError(this.errors.step(by));
      else announce(by > 0 ? "There are no further errors." : "There are no errors before this one.");
    });
  }

  openPlace(number, token) {
    this.address.record(writeLink(this.library.ids[number]), "pushState");
    return this.going(async (still) => {
      this.openSection("reading", false);
      await this.showDocument(number, still);
      if (still()) this.text.goToTokens(token);
    });
  }
}

begin(async () => {
  const meta = await unpack(chunk("meta"));
  return new App(new Library(meta, chunk), meta);
});
