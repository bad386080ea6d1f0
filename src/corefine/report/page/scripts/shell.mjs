// What every page of corefine has: sections with addresses, sortable tables, a metric, a menu, colours.

import { announce, byId } from "./dom.mjs";
import { Address, parseLink, sectionLink } from "./links.mjs";
import { addTools, copySignature } from "./sharing.mjs";
import { SortableTable } from "./table.mjs";

export class Shell {
  constructor() {
    this.title = document.title;
    this.tables = [...document.querySelectorAll("table.sortable")].map((table) =>
      new SortableTable(table, (order) => this.recordChoice([order])));
    this.address = new Address((moved) => this.route(moved));
    byId("scheme").addEventListener("change", (event) => {
      document.documentElement.dataset.scheme = event.target.value;
    });
    byId("print").addEventListener("click", () => window.print());
    byId("copy-signature").addEventListener("click", (event) => copySignature(event.target));
    this.prepareMenu();
    this.prepareCards();
    this.metric = byId("metric")?.value;
    this.firstMetric = this.metric;
    byId("metric")?.addEventListener("change", (event) => {
      this.useMetric(event.target.value);
      // What else the address says of a view stays; that of a document says nothing of metrics.
      const { section, chosen } = parseLink(this.address.hash);
      if (section !== undefined) this.recordChoice([...chosen].filter(([name]) => name !== "metric"));
      announce(`metric ${event.target.selectedOptions[0].text}`);
    });
  }

  /** Every card has an address and tools; one without a name is called by its place in its view. */
  prepareCards() {
    for (const view of document.querySelectorAll("[data-section]")) {
      for (const [at, card] of [...view.querySelectorAll(".card:not(.picture)")].entries()) {
        card.id ||= `${view.id}-${at + 1}`;
        if (!card.firstElementChild?.matches("details")) addTools(card, () => this.linkOfCard(card));
      }
    }
  }

  /** The address of a card, with the metric in view. */
  linkOfCard(card) {
    return sectionLink(card.id, this.metric === this.firstMetric ? [] : [["metric", this.metric]]);
  }

  /** On a phone the header is one line, which opens. */
  prepareMenu() {
    const button = byId("open-menu");
    const header = button.closest("header");
    this.openMenu = (open) => {
      header.classList.toggle("open", open);
      button.setAttribute("aria-expanded", String(open));
    };
    button.addEventListener("click", () => this.openMenu(!header.classList.contains("open")));
    header.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !header.classList.contains("open")) return;
      this.openMenu(false);
      button.focus();
    });
    // What sticks below the header must know its height.
    new ResizeObserver(() => {
      document.documentElement.style.setProperty("--header", `${header.offsetHeight}px`);
    }).observe(header);
  }

  /** Show the charts of a metric, and sort the tables of scores by it. */
  useMetric(metric) {
    this.metric = metric;
    byId("metric").value = metric;
    for (const element of document.querySelectorAll("[data-metric]")) element.hidden = !element.dataset.metric.split(" ").includes(metric);
    for (const table of this.tables) {
      const head = table.heads.find((one) => one.dataset.name === metric);
      if (head) table.sort(head, true);
    }
  }

  /** Show what the address asks for; `moved` if the reader has just gone there. @returns {Promise<any>} */
  async route(moved) {
    const link = parseLink(this.address.hash);
    const first = document.querySelector("[data-section]");
    const target = byId(link.section || "") || first;
    const section = target.closest("[data-section]");
    const metric = link.chosen?.get("metric");
    if (byId("metric")) this.useMetric([...byId("metric").options].some((one) => one.value === metric) ? metric : this.metric);
    for (const table of this.tables) if (section?.contains(table.table)) table.apply(link.chosen);
    if (section || !this.section) this.openSection((section || first).id, moved);
    this.part = section ? target.id : this.section;
    if (section !== target) this.goToPart(target);
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
    for (const section of document.querySelectorAll("[data-section]")) section.hidden = section.id !== id;
    document.documentElement.classList.add("ready");
    for (const link of document.querySelectorAll("#sections a")) {
      if (link.getAttribute("href") === `#${id}`) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    this.nameView(byId(id).querySelector("h2").textContent);
    if (moved) {
      window.scrollTo(0, 0);
      byId(id).querySelector("h2").focus({ preventScroll: true });
    }
    this.openMenu(false);
  }

  /** The title of the window, which bookmarks and the history show. */
  nameView(name) {
    document.title = this.section === document.querySelector("[data-section]").id ? this.title : `${name} · ${this.title}`;
  }

  /** Record what is chosen in the part in view: pairs of a name and a value. */
  recordChoice(pairs) {
    const metric = this.metric === this.firstMetric ? [] : [["metric", this.metric]];
    this.address.record(sectionLink(this.part, [...metric, ...pairs]));
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
