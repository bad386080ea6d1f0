// The page as a whole: which section, document, response, entity and error are in view.

import { Page } from "./document.mjs";
import { Documents } from "./documents.mjs";
import { announce, byId, fill, make } from "./dom.mjs";
import { Address, parseLink, writeLink } from "./links.mjs";
import { EntityPanel, ErrorList } from "./panel.mjs";
import { Search } from "./search.mjs";
import { documentTable, entityTable, errorTable } from "./tables.mjs";
import { TextView } from "./text.mjs";
import { concernsKey, counted, errorSentence, plainText } from "./wording.mjs";

export class App {
  constructor(store, meta) {
    this.store = store;
    this.meta = meta;
    this.documents = new Documents(meta);
    [this.document] = this.documents.shown;
    this.response = 0;
    this.beside = -1;
    this.tables = new Map();
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
    response.addEventListener("change", () => this.setResponse(Number(response.value)));
    byId("beside").addEventListener("change", (event) => {
      this.beside = Number(event.target.value);
      this.redraw();
    });
  }

  // ── sections ──────────────────────────────────────────────────────────────────────────────

  /** Show what the address asks for; `moved` if the reader has just gone there. */
  async route(moved) {
    const link = parseLink(this.address.hash);
    if (link.section !== undefined) {
      const target = byId(link.section || "overview");
      const section = target?.closest("[data-section]");
      if (section || !this.section) await this.showSection(section?.id || "overview", moved);
      if (target && !section) target.focus();
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
    this.document = number;
    await this.showSection("reading", false);
    if (!(await this.showDocument(number))) return;
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

  async showSection(id, moved) {
    this.section = id;
    for (const section of document.querySelectorAll("[data-section]")) section.hidden = section.id !== id;
    document.documentElement.classList.add("ready");
    for (const link of document.querySelectorAll("#sections a")) {
      if (link.getAttribute("href") === `#${id}`) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    const heading = byId(id).querySelector("h2");
    if (moved) {
      window.scrollTo(0, 0);
      heading.focus({ preventScroll: true });
    }
    if (id === "reading" && !this.page) await this.showDocument(this.document);
    await this.fillTable(id);
  }

  /** The table of a section, made when the section is first shown or the response changes. */
  async fillTable(id) {
    const { meta, documents } = this;
    const makers = {
      documents: () => documentTable(meta, documents, (number) => writeLink(documents.ids[number])),
      entities: (data) => entityTable(meta, documents, data, (number, label) => this.linkTo(number, label)),
      errors: (data) => errorTable(documents, data, (number, error) => this.linkTo(number, `!${error + 1}`)),
    };
    const wanted = id === "documents" ? 0 : this.response;
    if (!makers[id] || this.tables.get(id) === wanted) return;
    this.tables.set(id, wanted);
    const data = id === "documents" ? meta.documents : await this.store.chunk(`${id}${wanted}`);
    if (this.tables.get(id) === wanted) makers[id](data);
  }

  linkTo(number, what) {
    const response = this.meta.responses.length > 1 ? this.meta.responses[this.response] : "";
    return writeLink(this.documents.ids[number], what, response);
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
    this.page = new Page(data, number, documents.ids[number]);
    byId("document").value = String(number);
    fill(byId("reading-title"), "Text of ", make("bdi", {}, documents.name(number)));
    byId("previous-document").disabled = documents.step(number, -1) === undefined;
    byId("next-document").disabled = documents.step(number, 1) === undefined;
    this.redraw();
    return true;
  }

  setResponse(number) {
    this.useResponse(number);
    this.fillTable(this.section);
    announce(`response ${this.meta.responses[number]}`);
  }

  useResponse(number) {
    if (this.response === number) return;
    this.response = number;
    byId("response").value = String(number);
    if (this.beside === number) {
      this.beside = -1;
      byId("beside").value = "-1";
    }
    if (this.page) this.redraw();
  }

  redraw() {
    if (!this.page) return;
    const readings = [this.response];
    if (this.beside >= 0 && this.beside !== this.response) readings.push(this.beside);
    this.text.show(this.page, readings, this.meta.responses, {
      singletons: byId("show-singletons").checked,
      errorsOnly: byId("errors-only").checked,
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
    const name = this.meta.responses.length > 1 ? this.meta.responses[readingNumber] : "";
    this.address.record(writeLink(this.page.id, entity.label, name));
  }

  keep(readingNumber, entities) {
    this.text.keep(entities);
    const label = entities[0]?.label || "";
    const name = this.meta.responses.length > 1 ? this.meta.responses[readingNumber] : "";
    this.panel.show(this.page, this.page.responses[readingNumber], entities, writeLink(this.page.id, label, name));
  }

  openEntity(entity) {
    const reading = this.page.responses[this.response];
    this.keep(this.response, [entity, reading.counterpart(entity)].filter(Boolean));
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
    this.address.record(this.linkTo(this.page.number, `!${error.number + 1}`));
    const sentence = plainText(errorSentence(this.page, reading, error));
    announce(`error ${error.number + 1} of ${reading.errors.length}, ${error.type}: ${sentence}`);
  }

  /** The next or previous error, going on to the next document that has one. */
  async stepError(by) {
    if (this.section !== "reading") {
      await this.showSection("reading", false);
    }
    if (!(await this.showDocument(this.document))) return;
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
    if (!(await this.showDocument(number))) return;
    const next = this.errors.step(by);
    if (next) this.openError(next);
  }

  async openPlace(number, token, length) {
    this.address.record(writeLink(this.documents.ids[number]), "pushState");
    this.document = number;
    await this.showSection("reading", false);
    if (await this.showDocument(number)) this.text.goToToken(token, length);
  }
}
