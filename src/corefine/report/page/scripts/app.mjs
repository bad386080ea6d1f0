// The report: which section, document, response, entity and error are in view.

import { announce, byId, chunk, fill, make, unpack } from "./dom.mjs";
import { Contrast } from "./contrast.mjs";
import { Flow } from "./flow.mjs";
import { Library } from "./library.mjs";
import { parseLink, writeLink } from "./links.mjs";
import { EntityPanel, ErrorList } from "./panel.mjs";
import { Search } from "./search.mjs";
import { Shell, begin } from "./shell.mjs";
import { documentTable, entityTable, errorTable } from "./tables.mjs";
import { TextView } from "./text.mjs";
import { concernsKey, counted, errorSentence, plainText } from "./wording.mjs";

const OF_ONE_RESPONSE = ["documents", "errors", "reading"]; // views that show one response at a time
const TABLES = { compare: ["contrast"], documents: ["documents", "entities"], errors: ["errors"] }; // by view
const MADE_FOR = { documents: "metric", entities: "response", errors: "response" }; // by table, what makes it anew if it changes
const NOT_CHOSEN = ["metric", "response"]; // what an address says that no table is filtered by
const PRINTED_TOKENS = 30000;

export class App extends Shell {
  constructor(library, meta) {
    super();
    this.library = library;
    this.meta = meta;
    [this.document] = library.shown;
    this.response = 0;
    this.filled = new Map(); // tables by name
    this.wanted = new Map(); // by name, what a table shows once the documents are there
    this.turn = 0; // how often the reader has gone somewhere: what was begun before gives way
    this.text = new TextView(byId("text"), (reading, side, mention) => this.choose(reading, side, mention));
    this.errors = new ErrorList(byId("error-list"), (error) => this.openError(error));
    this.panel = new EntityPanel(byId("entity"), meta.categories, (side, mention) => this.text.goTo(side, mention));
    this.search = new Search(library, () => this.document, (number, token) => this.openPlace(number, token));
    this.flow = new Flow(meta, {
      entity: (response, label) => this.address.go(this.linkTo(this.document, label, response)),
      mention: (response, side, mention) => this.openMention(response, side, mention),
      tokens: (first, last) => this.text.goToTokens(first, last, true),
    });
    this.fillControls();
    this.panel.clear();
  }

  fillControls() {
    const { library } = this;
    fill(byId("document"), library.shown.map((number) => make("option", { value: String(number) }, library.name(number))));
    const on = (id, event, action) => byId(id)?.addEventListener(event, action);
    on("document", "change", (event) => this.openDocument(Number(event.target.value)));
    on("previous-document", "click", () => this.stepDocument(-1));
    on("next-document", "click", () => this.stepDocument(1));
    on("previous-error", "click", () => this.stepError(-1));
    on("next-error", "click", () => this.stepError(1));
    on("close-sheet", "click", () => this.panel.clear());
    for (const id of ["show-singletons", "errors-only", "beside"]) on(id, "change", () => this.changeView());
    on("open-help", "click", () => byId("help").showModal());
    on("response", "change", (event) => this.setResponse(Number(event.target.value)));
    this.listenToKeys();
    window.addEventListener("beforeprint", () => {
      byId("signature").closest("details").open = true;
      if (this.page && this.page.words.length <= PRINTED_TOKENS) this.text.drawAll();
    });
  }

  /** A key presses the button, or enters the field, that is marked with it. */
  listenToKeys() {
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !byId("shortcuts").checked) return;
      const target = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
      if (!target || event.target.closest?.("input, select, textarea, dialog")) return;
      event.preventDefault();
      if (target.matches("input")) target.focus();
      else target.click();
    });
  }

  // ── sections ──────────────────────────────────────────────────────────────────────────────

  /** Go somewhere: `work` asks whether the reader has gone elsewhere since; the page says it is busy. */
  async going(work) {
    const turn = ++this.turn;
    byId("main").setAttribute("aria-busy", "true");
    try {
      await work(() => turn === this.turn);
    } finally {
      if (turn === this.turn) byId("main").removeAttribute("aria-busy");
    }
  }

  route(moved) {
    if (moved) this.search.close(false);
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
    const response = this.meta.responses.indexOf(chosen.get("response"));
    if (response >= 0) this.useResponse(response);
    if (this.section === "reading") {
      if (!(await this.showDocument(this.document))) return;
    }
    await this.fillTables(target, chosen, still);
    if (!still()) return;
    // What was filled may have moved what the address leads to; filters lead to the list of errors.
    const isFiltered = this.section === "errors" && [...chosen.keys()].some((name) => !NOT_CHOSEN.includes(name));
    if (target !== this.section) this.goToPart(byId(target));
    else if (isFiltered) this.goToPart(byId("error-table"));
    if (chosen.get("metric") === undefined && this.metric !== this.firstMetric) this.recordChoice([...chosen]);
  }

  async openText(link, moved, still) {
    const number = this.library.find(link.document);
    if (!this.library.isShown(number)) {
      this.openSection("documents", moved);
      this.notice(number === undefined
        ? `There is no document ${link.document} in this report.`
        : `The text of document ${link.document} is not in this report.`);
      await this.fillTables("", new Map(), still);
      return;
    }
    const response = this.meta.responses.indexOf(link.response);
    if (response >= 0) this.useResponse(response);
    if (link.response) this.useView(this.meta.responses.indexOf(link.beside), link.options);
    this.openSection("reading", false);
    if (!(await this.showDocument(number)) || !still()) return;
    const reading = this.page.responses[this.response];
    if (link.error !== null && reading.errors[link.error]) {
      this.openError(reading.errors[link.error]);
    } else if (link.entity) {
      const entity = reading.entityCalled(link.entity);
      if (entity) this.openEntity(entity);
      else this.notice(`There is no entity ${link.entity} in this document.`);
    } else if (moved) {
      byId("reading-title").focus();
    }
  }

  openSection(id, moved) {
    super.openSection(id, moved);
    if (byId("response-choice")) byId("response-choice").hidden = !OF_ONE_RESPONSE.includes(id);
  }

  useMetric(metric) {
    const changed = metric !== this.metric;
    super.useMetric(metric);
    if (changed) this.refresh();
  }

  /** Fill the tables of the view anew, after another metric or response was chosen. */
  refresh() {
    const { metric, response } = this;
    return this.fillTables("", new Map(), () => this.metric === metric && this.response === response);
  }

  /** Fill the tables of the view; `chosen` is what the address says of one of them. */
  async fillTables(target, chosen, still) {
    for (const id of TABLES[this.section] || []) {
      const isMeant = id === target || (this.section === target && TABLES[target].length === 1);
      await this.fillTable(id, isMeant ? chosen : this.chosenIn(id), still);
    }
  }

  chosenIn(id) {
    return new Map(this.filled.get(id)?.table.state || this.wanted.get(id) || []);
  }

  /** Show a table, made when it is first shown or what it is made for has changed. */
  async fillTable(id, chosen, still) {
    const { library } = this;
    this.wanted.set(id, chosen);
    const pages = id === "documents" ? [] : await library.all();
    if (!still()) return;
    const madeFor = this[MADE_FOR[id]];
    let known = this.filled.get(id);
    if (!known || known.madeFor !== madeFor) {
      known = { madeFor, table: this.makeTable(id, pages) };
      this.filled.set(id, known);
    }
    known.table.apply(chosen);
  }

  makeTable(id, pages) {
    const { meta, library, response } = this;
    const record = () => this.recordTable(id);
    const link = (number, what) => this.linkTo(number, what, response);
    if (id === "documents") return documentTable(meta, library, this.metric || meta.lead, record);
    if (id === "entities") return entityTable(meta, library, response, pages, link, record);
    if (id === "errors") return errorTable(meta, library, response, pages, link, record);
    return new Contrast(meta, library, pages, record);
  }

  /** The address of a table with what is chosen in it. */
  recordTable(id) {
    if (!TABLES[this.section]?.includes(id)) return;
    this.part = id;
    const several = MADE_FOR[id] === "response" && this.meta.responses.length > 1;
    this.recordChoice([...(several ? [["response", this.meta.responses[this.response]]] : []), ...this.chosenIn(id)]);
  }

  linkTo(number, what, response) {
    const name = this.meta.responses.length > 1 ? this.meta.responses[response] : "";
    return writeLink(this.library.ids[number], what, name);
  }

  // ── documents and responses ───────────────────────────────────────────────────────────────

  openDocument(number) {
    this.address.go(writeLink(this.library.ids[number]));
  }

  stepDocument(by) {
    const number = this.library.step(this.document, by);
    if (number !== undefined) this.openDocument(number);
  }

  /** Show the text of a document; false if the reader has asked for another one meanwhile. */
  async showDocument(number) {
    const { library } = this;
    this.document = number;
    const page = await library.page(number);
    if (this.document !== number) return false;
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
    return true;
  }

  async setResponse(number) {
    const label = this.text.kept[0]?.label;
    this.useResponse(number);
    if (this.section === "reading") this.changeView(label);
    else await this.refresh().then(() => this.recordTable(TABLES[this.section]?.at(-1)));
    announce(`response ${this.meta.responses[number]}`);
  }

  useResponse(number) {
    if (this.response === number) return;
    this.response = number;
    byId("response").value = String(number);
    if (this.beside === number) byId("beside").value = "-1";
    this.flow.follow(number);
    this.redraw();
  }

  /** The response that stands under the one in view; -1 if there is none. */
  get beside() {
    return Number(byId("beside")?.value ?? -1);
  }

  /** Set another response under the one in view (-1: none), and choose what is marked. */
  useView(beside, options) {
    if (byId("beside")) byId("beside").value = String(beside === this.response ? -1 : beside);
    byId("errors-only").checked = options.has("errors");
    byId("show-singletons").checked = !options.has("chains");
    this.redraw();
  }

  /** Draw the text anew, with the entity that was chosen. */
  changeView(label = this.text.kept[0]?.label) {
    if (this.beside === this.response) byId("beside").value = "-1";
    this.redraw();
    const reading = this.page.responses[this.response];
    const entity = label && reading.entityCalled(label);
    if (entity) this.keep(this.response, [entity, reading.counterpart(entity)].filter(Boolean));
    this.address.record(this.placeOf(label || ""));
  }

  placeOf(what, response = this.response) {
    const { responses } = this.meta;
    const beside = this.beside >= 0 ? responses[this.beside] : "";
    const options = [
      byId("errors-only").checked ? "errors" : "",
      byId("show-singletons").checked ? "" : "chains",
    ].filter(Boolean).join("+");
    const named = responses.length > 1 || options ? responses[response] : "";
    return writeLink(this.page.id, what, named, beside, options);
  }

  redraw() {
    if (!this.page) return;
    this.text.show(this.page, [this.response, this.beside].filter((number) => number >= 0), this.meta.responses, {
      singletons: byId("show-singletons").checked,
      errorsOnly: byId("errors-only").checked,
    });
    this.errors.show(this.page, this.page.responses[this.response]);
    this.panel.clear();
    byId("no-text").hidden = !this.page.plain;
  }

  // ── entities and errors ───────────────────────────────────────────────────────────────────

  choose(readingNumber, side, mention) {
    const reading = this.page.responses[readingNumber];
    this.keep(readingNumber, reading.litBy(side, mention));
    announce(this.text.kept.map((one) => `${one.side.name} entity ${one.label}, ${counted(one.mentions.length, "mention")}`).join("; "));
    this.address.record(this.placeOf(side.entityOf(mention).label, readingNumber));
  }

  keep(readingNumber, entities) {
    this.text.keep(entities);
    const label = entities[0]?.label || "";
    this.panel.show(this.page, this.page.responses[readingNumber], entities, this.placeOf(label, readingNumber));
  }

  /** A mention that was chosen in the flow; `system` is null for one of the key. */
  openMention(response, system, mention) {
    this.useResponse(response);
    const reading = this.page.responses[response];
    const side = system === null ? this.page.key : reading.side;
    this.choose(response, side, mention);
    this.text.goTo(side, mention);
  }

  openEntity(entity) {
    const reading = this.page.responses[this.response];
    const under = this.beside >= 0 ? this.page.responses[this.beside].counterpart(entity) : null;
    this.keep(this.response, [entity, reading.counterpart(entity), under].filter(Boolean));
    if (entity.mentions.length) this.text.goTo(entity.side, entity.mentions[0]);
    else this.notice(`Entity ${entity.label} has its mentions in other documents.`);
  }

  openError(error) {
    const reading = this.page.responses[this.response];
    const atKey = error.key.length && (concernsKey(error) || !error.response.length);
    const side = atKey ? this.page.key : reading.side;
    this.keep(this.response, [...new Set([...error.keyEntities, ...error.responseEntities])]);
    this.errors.select(error);
    this.text.goTo(side, (atKey ? error.key : error.response)[0]);
    this.address.record(this.placeOf(`!${error.number + 1}`));
    const sentence = plainText(errorSentence(this.page, reading, error));
    announce(`error ${error.number + 1} of ${reading.errors.length}, ${error.type}: ${sentence}`);
  }

  /** The next or previous error, going on to the next document that has one. */
  async stepError(by) {
    const turn = this.turn;
    if (this.section !== "reading") this.openSection("reading", false);
    if (!(await this.showDocument(this.document)) || turn !== this.turn) return;
    const error = this.errors.step(by);
    if (error) {
      this.openError(error);
      return;
    }
    const counts = this.meta.documents.errors[this.response];
    let number = this.library.step(this.document, by);
    while (counts[number] === 0) number = this.library.step(number, by);
    if (number === undefined) {
      announce(by > 0 ? "There are no further errors." : "There are no errors before this one.");
      return;
    }
    if (!(await this.showDocument(number)) || turn !== this.turn) return;
    const next = this.errors.step(by);
    if (next) this.openError(next);
  }

  openPlace(number, token) {
    this.address.record(writeLink(this.library.ids[number]), "pushState");
    return this.going(async (still) => {
      this.openSection("reading", false);
      if ((await this.showDocument(number)) && still()) this.text.goToTokens(token, token, true);
    });
  }
}

begin(async () => {
  const meta = await unpack(chunk("meta"));
  return new App(new Library(meta, chunk), meta);
});
