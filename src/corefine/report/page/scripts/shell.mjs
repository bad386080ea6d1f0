// What every page of corefine has: sections with addresses, sortable tables, a metric, a menu.

import { announce, byId } from "./dom.mjs";
import { Address, parseLink, sectionLink } from "./links.mjs";
import { addTools, copySignature } from "./sharing.mjs";
import { SortableTable } from "./table.mjs";

export class Shell {
  constructor() {
    this.title = document.title;
    this.sections = [...document.querySelectorAll("[data-section]")];
    this.tables = [...document.querySelectorAll("table.sortable")].map((table) =>
      new SortableTable(table, (order) => this.recordChoice([order])));
    this.address = new Address((moved) => this.route(moved));
    byId("print").addEventListener("click", () => window.print());
    byId("copy-signature").addEventListener("click", copySignature);
    this.prepareMenu();
    this.prepareCards();
    this.metric = byId("metric")?.value;
    this.firstMetric = this.metric;
    byId("metric")?.addEventListener("change", (event) => {
      this.useMetric(event.target.value);
      // What else the address says of a view stays; that of a document says nothing of metrics.
      const { section, chosen } = parseLink(this.address.hash);
      if (section !== undefined) this.recordChoice([...chosen]);
      announce(`metric ${event.target.selectedOptions[0].text}`);
    });
  }

  /** Every card has an address and tools; one without a name is called by its place in its view. */
  prepareCards() {
    for (const view of this.sections) {
      for (const [at, card] of view.querySelectorAll(".card:not(.picture)").entries()) {
        card.id ||= `${view.id}-${at + 1}`;
        if (!card.firstElementChild?.matches("details")) addTools(card, () => this.addressOf(card.id));
      }
    }
  }

  /** On a phone the header is one line, which opens. */
  prepareMenu() {
    const button = byId("open-menu");
    const header = button.closest("header");
    button.addEventListener("click", () => this.openMenu(button.ariaExpanded !== "true"));
    header.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      this.openMenu(false);
      button.focus();
    });
    // What sticks below the header must know its height.
    new ResizeObserver(() => {
      document.documentElement.style.setProperty("--header", `${header.offsetHeight}px`);
    }).observe(header);
  }

  openMenu(open) {
    byId("open-menu").ariaExpanded = String(open);
  }

  /** Show the charts of a metric, and sort the tables of scores by it. */
  useMetric(metric) {
    this.metric = metric;
    byId("metric").value = metric;
    for (const one of document.querySelectorAll("[data-metric]")) one.hidden = !one.dataset.metric.split(" ").includes(metric);
    for (const table of this.tables) table.sort(metric, true);
  }

  /** Show what the address asks for; `moved` if the reader has just gone there. @returns {Promise<any>} */
  async route(moved) {
    const link = parseLink(this.address.hash);
    const target = byId(link.section || "") || this.sections[0];
    const view = target.closest("[data-section]") || byId(this.section) || this.sections[0];
    const metrics = [...byId("metric")?.options || []].map((option) => option.value);
    const metric = link.chosen?.get("metric");
    if (metrics.length) this.useMetric(metrics.includes(metric) ? metric : this.metric);
    for (const table of this.tables) if (view.contains(table.table)) table.apply(link.chosen);
    this.openSection(view.id, moved);
    this.part = view.contains(target) ? target.id : view.id;
    if (view !== target) this.goToPart(target);
    return link;
  }

  /** Bring a part of a view into sight: a card, a table, what is folded. */
  goToPart(target) {
    for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    target.scrollIntoView({ block: "start" });
    (target.querySelector("h3, summary") || target).focus({ preventScroll: true });
  }

  /** Bring a view into sight. */
  openSection(id, moved) {
    this.section = id;
    this.part = id;
    for (const section of this.sections) section.hidden = section.id !== id;
    document.documentElement.classList.add("ready");
    for (const link of document.querySelectorAll("#sections a")) {
      link.ariaCurrent = link.getAttribute("href") === `#${id}` ? "page" : null;
    }
    const heading = byId(id).querySelector("h2");
    this.nameView(heading.textContent);
    if (moved) {
      window.scrollTo(0, 0);
      heading.focus({ preventScroll: true });
    }
    this.openMenu(false);
  }

  /** The title of the window, which bookmarks and the history show. */
  nameView(name) {
    document.title = this.section === this.sections[0].id ? this.title : `${name} · ${this.title}`;
  }

  /** The address of a part, with the metric in view and what else is chosen: pairs of a name and a value. */
  addressOf(part, pairs = []) {
    const metric = this.metric === this.firstMetric ? [] : [["metric", this.metric]];
    return sectionLink(part, [...metric, ...pairs.filter(([name]) => name !== "metric")]);
  }

  /** Record what is chosen in the part in view. */
  recordChoice(pairs) {
    this.address.record(this.addressOf(this.part, pairs));
  }
}

/** Start a page, and say what goes wrong, be it now or when a part is opened later. */
export function begin(start) {
  const fail = (error) => {
    byId("failure").hidden = false;
    byId("failure").textContent = `This part of the page could not be opened: ${error.message}`;
  };
  window.addEventListener("unhandledrejection", (event) => fail(event.reason));
  start().then((page) => page.route(false)).then(() => { document.documentElement.dataset.started = "yes"; }).catch(fail);
}
