// Beside the text: the errors of the document, and the entity that is chosen.

import { hueClass } from "./document.mjs";
import { byId, fill, make, withQuotes } from "./dom.mjs";
import { SYMBOLS, categoryText, counted, errorCircumstances, errorSentence } from "./wording.mjs";

export class ErrorList {
  /** @param opened called with an error when it is chosen from the list */
  constructor(container, opened) {
    this.container = container;
    this.opened = opened;
  }

  show(page, reading) {
    this.errors = reading.errors;
    this.current = -1;
    const item = (error) => make("li", {}, make("button", { type: "button", onclick: () => this.opened(error) },
      make("span", { className: "kind", ariaHidden: "true" }, SYMBOLS[error.type]),
      make("span", { className: "what" }, make("b", {}, error.type), " ", withQuotes(errorSentence(page, reading, error)),
        make("small", {}, errorCircumstances(error)))));
    fill(this.container, this.errors.length ? this.errors.map(item)
      : make("li", { className: "absent" }, "No errors: the response agrees with the key."));
    this.container.scrollTop = 0;
    byId("error-place").textContent = counted(this.errors.length, "error");
  }

  /** Mark an error as the one that is looked at, and bring it into the list's sight. */
  select({ number }) {
    this.current = number;
    const buttons = this.container.querySelectorAll("button");
    for (const [at, button] of buttons.entries()) button.ariaCurrent = String(at === number);
    this.container.scrollTop = buttons[number].offsetTop - this.container.clientHeight / 3;
    byId("error-place").textContent = `${number + 1} of ${buttons.length}`;
  }

  /** The error after or before the current one; from the top or the bottom where there is none. */
  step(by) {
    return this.current < 0 && by < 0 ? this.errors.at(-1) : this.errors[this.current + by];
  }
}

export class EntityPanel {
  /** @param app in whose text the mentions of a list are gone to */
  constructor(app) {
    this.app = app;
    this.container = byId("entity");
  }

  clear() {
    byId("sheet").classList.remove("filled");
    fill(this.container, make("p", { className: "absent" },
      "Choose a mention in the text to see its entity in key and response."));
  }

  show(page, reading, entities, link) {
    const key = entities.find((entity) => entity.side.isKey);
    const response = entities.find((entity) => !entity.side.isKey);
    fill(this.container, key && this.list(page, reading, key), response && this.list(page, reading, response),
      key && response ? null : make("p", { className: "absent" }, `No ${key ? "response" : "key"} entity is aligned with it.`),
      make("p", { className: "share" }, make("a", { href: link, className: "permalink" }, "Link to this entity")));
    byId("sheet").classList.add("filled");
  }

  list(page, reading, entity) {
    const { side, label, name, mentions } = entity;
    const category = side.isKey ? reading.scores.category[entity.number] : null;
    const facts = [
      mentions.length ? counted(mentions.length, "mention") : "in other documents",
      name && name !== label ? `named ${name} in the file` : "",
      category ? `category ${categoryText(category, this.app.meta.categories)}` : "",
    ];
    const item = (mention) => make("li", {},
      make("button", { type: "button", className: "mention", onclick: () => this.app.text.goTo(side, mention) },
        make("bdi", {}, page.textOf(side, mention))),
      make("small", {}, [side.kind?.[mention], reading.twinText(side, mention)].filter(Boolean).join(" · ")));
    return make("div", { className: "entity" },
      make("h4", {}, make("span", { className: `chip ${hueClass(entity)}` }, label), side.isKey ? " Key entity" : " Response entity"),
      make("p", { className: "facts" }, facts.filter(Boolean).join(" · ")),
      make("ol", {}, mentions.map(item)));
  }
}
