// The page as a whole: which section, document, response, entity and error are in view.

import { Page } from "./document.mjs";
import { Documents } from "./documents.mjs";
import { announce, byId, fill, make } from "./dom.mjs";
import { Contrast } from "./contrast.mjs";
import { Address, parseLink, sectionLink, writeLink } from "./links.mjs";
import { EntityPanel, ErrorList } from "./panel.mjs";
import { Search } from "./search.mjs";
import { Pages, documentTable, entityTable, errorTable } from "./tables.mjs";
import { TextView } from "./text.mjs";
import { concernsKey, counted, errorSentence, plainText } from "./wording.mjs";

const OF_ONE_RESPONSE = ["entities", "errors", "reading"]; // sections that show one response at a time

export class App {
  constructor(store, meta) {
    this.store = store;
    this.meta = meta;
    this.documents = new Documents(meta);
    [this.document] = this.documents.shown;
    this.response = 0;
    this.beside = -1;
    this.under = false; // the other response stands under the first, not beside it
    this.tables = new Map();
    this.turn = 0; // how often the reader has gone somewhere: what was begun before gives way
    this.pages = new Pages(this.documents, (number) => this.read(number));
    this.text = new TextView(byId("text"), (reading, side, mention) => this.choose(reading, side, mention));
    this.errors = new ErrorList(byId("error-list"), (error) => this.openError(error));
    this.panel = new EntityPanel(byId("entity"), (side, mention) => this.text.goTo(0, side, mention));
    this.search = new Search(this.documents, (number) => this.read(number), () => this.document,
      (number, token, length) => this.openPlace(number, token, length));
    this.address = new Address((moved) => this.route(moved));
    this.fillControls();
    this.panel.clear();
  }

  fillControls() {
    const { documents } = this;
    fill(byId("document"), documents.shown.map((number) => make("option", { value: String(number) }, documents.name(number))));
    byId("document").addEventListener("change", (event) => this.openDocument(Number(event.target.value)));
    byId("previous-document").addEventListener("click", () => this.stepDocument(-1));
    byId("next-document").addEventListener("click", () => this.stepDocument(1));
    byId("previous-error").addEventListener("click", () => this.stepError(-1));
    byId("next-error").addEventListener("click", () => this.stepError(1));
    for (const id of ["show-singletons", "errors-only"]) {
      byId(id).addEventListener("change", () => this.redraw());
    }
    for (const point of document.querySelectorAll(".cf-point[data-name]")) {
      const number = documents.find(point.dataset.name);
      if (!documents.isShown(number)) continue;
      point.classList.add("opens");
      point.addEventListener("click", () => this.openDocument(number));
    }
    const response = byId("response");
    if (!response) return;
    response.value = String(this.response);
    response.addEventListener("change", () => this.setResponse(Number(response.value)));
    byId("beside").addEventListener("change", (event) => {
      this.beside = Number(event.target.value);
      byId("under").disabled = this.beside < 0;
      this.redraw();
      this.recordPlace();
    });
    byId("under").addEventListener("change", (event) => {
      this.under = event.target.checked;
      this.redraw();
      this.recordPlace();
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

  /** Show what the address asks for; `moved` if the reader has just gone there. */
  route(moved) {
    return this.going((still) => this.follow(moved, still));
  }

  async follow(moved, still) {
    const link = parseLink(this.address.hash);
    if (link.section !== undefined) {
      const target = byId(link.section || "overview");
      const section = target?.closest("[data-section]");
      const response = this.meta.responses.indexOf(link.chosen.get("response"));
      if (response >= 0) this.useResponse(response);
      if (section || !this.section) await this.showSection(section?.id || "overview", moved, link.chosen);
      if (target && !section && still()) target.focus();
      return;
    }
    const number = this.documents.find(link.document);
    if (!this.documents.isShown(number)) {
      announce(number === undefined
        ? `There is no document ${link.document} in this report.`
        : `The text of document ${link.document} is not in this report.`);
      await this.showSection("documents", moved);
      return;
    }
    const response = this.meta.responses.indexOf(link.response);
    if (response >= 0) this.useResponse(response);
    if (link.response) this.useBeside(this.meta.responses.indexOf(link.beside), link.under);
    this.openSection("reading", false);
    if (!(await this.showDocument(number)) || !still()) return;
    const reading = this.page.responses[this.response];
    if (link.error !== null && reading.errors[link.error]) {
      this.openError(reading.errors[link.error]);
    } else if (link.entity) {
      const entity = reading.entityCalled(link.entity);
      if (entity) this.openEntity(entity);
      else announce(`There is no entity ${link.entity} in this document.`);
    } else if (moved) {
      byId("reading-title").focus();
    }
  }

  /** Bring a section into view, whatever is in it by now. */
  openSection(id, moved) {
    this.section = id;
    for (const section of document.querySelectorAll("[data-section]")) section.hidden = section.id !== id;
    document.documentElement.classList.add("ready");
    for (const link of document.querySelectorAll("#sections a")) {
      if (link.getAttribute("href") === `#${id}`) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    if (byId("response-choice")) byId("response-choice").hidden = !OF_ONE_RESPONSE.includes(id);
    if (moved) {
      window.scrollTo(0, 0);
      byId(id).querySelector("h2").focus({ preventScroll: true });
    }
    document.dispatchEvent(new Event("menu-closed"));
  }

  async showSection(id, moved, chosen = new Map()) {
    this.openSection(id, moved);
    if (id === "reading") await this.showDocument(this.document);
    else if (id === "contrast") await this.showContrast(chosen);
    else await this.fillTable(id, chosen);
  }

  /** Fill the tables of all sections, for those who print the page. */
  async fillAll() {
    if (byId("contrast") && !this.contrasted) await this.showContrast(new Map());
    for (const id of ["documents", "entities", "errors"]) if (!this.tables.has(id)) await this.fillTable(id);
  }

  async showContrast(chosen) {
    this.contrasted = chosen; // of several that wait for the data the last one counts
    this.contrasting ??= this.makeContrast();
    await this.contrasting;
    if (this.contrasted === chosen) await this.contrast.apply(chosen);
  }

  async makeContrast() {
    const data = await this.store.chunk("outcomes");
    const link = (number, label, first, second) => writeLink(this.documents.ids[number], label,
      this.meta.responses[first], this.meta.responses[second], "under");
    this.contrast = new Contrast(this.meta, this.documents, this.pages, data, link, () => {
      if (this.section === "contrast") this.address.record(sectionLink("contrast", this.contrast.state));
    });
  }

  /** The table of a section, made when the section is first shown or the response changes. */
  async fillTable(id, chosen = new Map()) {
    const { meta, documents, pages } = this;
    const changed = () => this.recordTable(id);
    const wanted = id === "documents" ? 0 : this.response;
    const linkTo = (number, what) => this.linkTo(number, what, wanted);
    const makers = {
      documents: () => documentTable(meta, documents, (number) => writeLink(documents.ids[number]), changed),
      entities: (data, names) => entityTable(meta, documents, wanted, data, names, linkTo, pages, changed),
      errors: (data) => errorTable(meta, documents, wanted, data, (number, error) => linkTo(number, `!${error + 1}`), pages, changed),
    };
    if (!makers[id]) return;
    const known = this.tables.get(id);
    if (known?.wanted === wanted) {
      if (!known.table) known.chosen = chosen; // still unpacked: the latest choice counts
      else if (chosen.size || known.table.state.length) await known.table.apply(chosen);
      return;
    }
    const entry = { wanted, table: null, chosen };
    this.tables.set(id, entry);
    const container = byId(`${id}-table`);
    container.setAttribute("aria-busy", "true");
    const data = id === "documents" ? meta.documents : await this.store.chunk(`${id}${wanted}`);
    const names = id === "entities" ? await this.store.chunk("names") : null;
    if (this.tables.get(id) !== entry) return;
    entry.table = makers[id](data, names);
    await entry.table.apply(entry.chosen);
    if (this.tables.get(id) === entry) container.removeAttribute("aria-busy");
  }

  /** What is chosen in the table of a section, or will be once the table is there. */
  chosenIn(id) {
    const known = this.tables.get(id);
    return known?.table ? new Map(known.table.state) : known?.chosen || new Map();
  }

  /** The address of a section with what is chosen in its table. */
  recordTable(id) {
    if (this.section !== id) return;
    const several = id !== "documents" && this.meta.responses.length > 1;
    const response = several ? [["response", this.meta.responses[this.response]]] : [];
    this.address.record(sectionLink(id, [...response, ...this.chosenIn(id)]));
  }

  linkTo(number, what, response) {
    const name = this.meta.responses.length > 1 ? this.meta.responses[response] : "";
    return writeLink(this.documents.ids[number], what, name);
  }

  // ── documents and responses ───────────────────────────────────────────────────────────────

  read(number) {
    return this.store.chunk(this.documents.chunk(number));
  }

  openDocument(number) {
    this.address.go(writeLink(this.documents.ids[number]));
  }

  stepDocument(by) {
    const number = this.documents.step(this.document, by);
    if (number !== undefined) this.openDocument(number);
    else announce(by > 0 ? "This is the last document." : "This is the first document.");
  }

  /** Show the text of a document; false if the reader has asked for another one meanwhile. */
  async showDocument(number) {
    const { documents } = this;
    this.document = number;
    if (this.page?.number === number) return true;
    const data = await this.read(number);
    if (this.document !== number) return false;
    if (this.page?.number === number) return true; // whoever asked at the same time was faster
    this.page = new Page(data, number, documents.ids[number]);
    byId("document").value = String(number);
    byId("reading").classList.remove("unread");
    fill(byId("reading-title"), "Text of ", make("bdi", {}, documents.name(number)));
    byId("previous-document").disabled = documents.step(number, -1) === undefined;
    byId("next-document").disabled = documents.step(number, 1) === undefined;
    this.redraw();
    return true;
  }

  async setResponse(number) {
    const chosen = this.chosenIn(this.section);
    this.useResponse(number);
    await this.fillTable(this.section, chosen);
    if (this.tables.has(this.section) && this.section !== "documents") this.recordTable(this.section);
    if (this.section === "reading") this.recordPlace();
    announce(`response ${this.meta.responses[number]}`);
  }

  useResponse(number) {
    if (this.response === number) return;
    this.response = number;
    byId("response").value = String(number);
    if (this.beside === number) {
      this.beside = -1;
      byId("beside").value = "-1";
      byId("under").disabled = true;
    }
    if (this.page) this.redraw();
  }

  /** Set another response beside or under the one in view; -1 for none. */
  useBeside(number, under) {
    if (!byId("beside") || (this.beside === number && this.under === under)) return;
    this.beside = number === this.response ? -1 : number;
    this.under = under;
    byId("beside").value = String(this.beside);
    byId("under").checked = under;
    byId("under").disabled = this.beside < 0;
    if (this.page) this.redraw();
  }

  /** The address of the document in view, with both responses. */
  recordPlace() {
    if (this.section !== "reading" || !this.page) return;
    this.address.record(this.placeOf(this.page.number, ""));
  }

  placeOf(number, what, response = this.response) {
    const { responses } = this.meta;
    const beside = this.beside >= 0 ? responses[this.beside] : "";
    return writeLink(this.documents.ids[number], what, responses.length > 1 ? responses[response] : "",
      beside, beside && this.under ? "under" : "");
  }

  redraw() {
    if (!this.page) return;
    const readings = [this.response];
    if (this.beside >= 0 && this.beside !== this.response) readings.push(this.beside);
    this.text.show(this.page, readings, this.meta.responses, {
      singletons: byId("show-singletons").checked,
      errorsOnly: byId("errors-only").checked,
      under: this.under && readings.length > 1,
    });
    this.errors.show(this.page, this.page.responses[this.response]);
    byId("error-place").textContent = counted(this.errors.errors.length, "error");
    this.panel.clear();
    byId("no-text").hidden = !this.page.plain;
  }

  // ── entities and errors ───────────────────────────────────────────────────────────────────

  choose(readingNumber, side, mention) {
    const reading = this.page.responses[readingNumber];
    this.keep(readingNumber, reading.litBy(side, mention));
    const entity = side.entities[side.entity[mention]];
    announce(this.text.kept.map((one) => `${one.side.name} entity ${one.label}, ${counted(one.mentions.length, "mention")}`).join("; "));
    this.address.record(this.placeOf(this.page.number, entity.label, readingNumber));
  }

  keep(readingNumber, entities) {
    this.text.keep(entities);
    const label = entities[0]?.label || "";
    this.panel.show(this.page, this.page.responses[readingNumber], entities, this.placeOf(this.page.number, label, readingNumber));
  }

  openEntity(entity) {
    const reading = this.page.responses[this.response];
    const under = this.under && this.beside >= 0 ? this.page.responses[this.beside].counterpart(entity) : null;
    this.keep(this.response, [entity, reading.counterpart(entity), under].filter(Boolean));
    if (entity.mentions.length) this.text.goTo(0, entity.side, entity.mentions[0]);
    else announce(`Entity ${entity.label} has its mentions in other documents.`);
  }

  openError(error) {
    const reading = this.page.responses[this.response];
    const atKey = error.key.length && (concernsKey(error) || !error.response.length);
    const side = atKey ? this.page.key : reading.side;
    this.keep(this.response, [...new Set([...error.keyEntities, ...error.responseEntities])]);
    this.errors.select(error);
    this.text.goTo(0, side, (atKey ? error.key : error.response)[0]);
    this.address.record(this.placeOf(this.page.number, `!${error.number + 1}`));
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
    let number = this.documents.step(this.document, by);
    while (counts[number] === 0) number = this.documents.step(number, by);
    if (number === undefined) {
      announce(by > 0 ? "There are no further errors." : "There are no errors before this one.");
      return;
    }
    if (!(await this.showDocument(number)) || turn !== this.turn) return;
    const next = this.errors.step(by);
    if (next) this.openError(next);
  }

  openPlace(number, token, length) {
    this.address.record(writeLink(this.documents.ids[number]), "pushState");
    return this.going(async (still) => {
      this.openSection("reading", false);
      if ((await this.showDocument(number)) && still()) this.text.goToToken(token, length);
    });
  }
}
