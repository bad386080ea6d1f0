// Beside the text: the errors of the document, and the entity that is chosen.

import { hueClass } from "./document.mjs";
import { byId, fill, make, quoted } from "./dom.mjs";
import { SYMBOLS, categoryText, counted, errorCircumstances, errorSentence } from "./wording.mjs";

export class ErrorList {
  /** @param opened called with an error when it is chosen from the list */
  constructor(container, opened) {
    this.container = container;
    this.opened = opened;
    this.type = byId("error-type");
    this.type.addEventListener("change", () => {
      this.render();
      this.mark(true);
    });
  }

  show(page, reading) {
    this.page = page;
    this.reading = reading;
    this.current = null;
    const counts = new Map();
    for (const error of reading.errors) counts.set(error.type, (counts.get(error.type) || 0) + 1);
    const chosen = this.type.value;
    fill(this.type, make("option", { value: "" }, `all types (${reading.errors.length})`),
      [...counts].map(([type, count]) => make("option", { value: type }, `${type} (${count})`)));
    this.type.value = counts.has(chosen) ? chosen : "";
    this.render();
    this.container.scrollTop = 0;
  }

  /** The errors that the chosen type leaves, in the order of the text. */
  get errors() {
    const type = this.type.value;
    return type ? this.reading.errors.filter((error) => error.type === type) : this.reading.errors;
  }

  render() {
    const items = this.errors.map((error) =>
      make("li", {},
        make("button", {
          type: "button",
          className: "error",
          data: { error: error.number },
          on: { click: () => this.opened(error) },
        },
        make("span", { className: "kind", aria: { hidden: "true" } }, SYMBOLS[error.type]),
        make("span", { className: "what" }, make("b", {}, error.type), " ",
          errorSentence(this.page, this.reading, error).map((part) => (part.quote === undefined ? part : quoted(part.quote))),
          make("small", {}, errorCircumstances(error))))));
    fill(this.container, items.length ? items : make("li", { className: "absent" },
      this.reading.errors.length ? "No error of this type." : "No errors: the response agrees with the key."));
  }

  /** Mark an error as the one that is looked at, and bring it into the list's sight. */
  select(error) {
    this.mark(false);
    this.current = error;
    if (!this.errors.includes(error)) {
      this.type.value = "";
      this.render();
    }
    const at = this.errors.indexOf(error);
    this.mark(true);
    const item = this.container.children[at];
    this.container.scrollTop = item.offsetTop - this.container.clientHeight / 3;
    byId("error-place").textContent = `${at + 1} of ${this.errors.length}`;
  }

  mark(on) {
    const item = this.current && this.container.children[this.errors.indexOf(this.current)];
    const button = item && item.querySelector(".error");
    if (!button) return;
    button.classList.toggle("current", on);
    if (on) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
  }

  /** The error after or before the current one; from the top or the bottom where there is none. */
  step(by) {
    const { errors } = this;
    if (!this.current) return by > 0 ? errors[0] : errors[errors.length - 1];
    const at = errors.indexOf(this.current);
    return errors[at + by];
  }
}

export class EntityPanel {
  /** @param meanings categories in words; @param goTo called with (side, mention) of a list */
  constructor(container, meanings, goTo) {
    this.container = container;
    this.meanings = meanings;
    this.goTo = goTo;
  }

  clear() {
    byId("sheet").classList.remove("filled");
    fill(this.container, make("p", { className: "absent" },
      "Choose a mention in the text to see its entity in key and response."));
  }

  show(page, reading, entities, link) {
    const key = entities.find((entity) => entity.side.isKey);
    const response = entities.find((entity) => !entity.side.isKey);
    const parts = [];
    if (key) parts.push(this.list(page, reading, key, "Key entity"));
    if (response) parts.push(this.list(page, reading, response, "Response entity"));
    if (key && !response) parts.push(make("p", { className: "absent" }, "No response entity is aligned with it."));
    if (response && !key) parts.push(make("p", { className: "absent" }, "No key entity is aligned with it."));
    parts.push(make("p", { className: "share" },
      make("a", { href: link, className: "permalink" }, "Link to this entity")));
    fill(this.container, parts);
    byId("sheet").classList.add("filled");
  }

  list(page, reading, entity, title) {
    const { side } = entity;
    const other = side.isKey ? reading.side : page.key;
    const category = side.isKey ? reading.scores.category[entity.number] : null;
    const item = (mention) => {
      const twin = reading.twinOf(side, mention);
      const there = twin < 0
        ? side.isKey ? "not found" : "not in the key"
        : `${side.isKey ? "response" : "key"} ${other.entityOf(twin).label}`;
      const kind = side.kind?.[mention];
      return make("li", {},
        make("button", { type: "button", className: "mention", on: { click: () => this.goTo(side, mention) } },
          make("bdi", {}, page.textOf(side, mention))),
        make("small", {}, [kind, there].filter(Boolean).join(" · ")));
    };
    return make("div", { className: "entity" },
      make("h4", {}, make("span", { className: `chip ${hueClass(entity)}` }, entity.label), ` ${title}`),
      make("p", { className: "facts" },
        [entity.mentions.length ? counted(entity.mentions.length, "mention") : "in other documents",
          entity.name && entity.name !== entity.label ? `named ${entity.name} in the file` : "",
          category ? `category ${categoryText(category, this.meanings)}` : ""].filter(Boolean).join(" · ")),
      make("ol", {}, entity.mentions.map(item)));
  }
}
