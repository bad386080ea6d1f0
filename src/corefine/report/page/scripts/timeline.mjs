// Timelines: the document from left to right, a lane for each large entity, the key above the systems.

import { hueClass } from "./document.mjs";
import { byId, draw, fill } from "./dom.mjs";
import { counted, fitted } from "./wording.mjs";

const LANES = 12; // the largest entities
const ROW = 20; // height of the key and of each system within a lane
const GAP = 14; // between lanes
const NARROW = 640; // below this width names stand above their lanes

/**
 * The marks of a system in the lane of a key entity, each {token, stop, place, entity}. `together` is in
 * the aligned response entity, `apart` in another one, `missing` in none; `foreign` mentions are in the
 * aligned entity but not of this key entity. `entity` gives the colour: that of the other key entity.
 */
export function marksOf(page, reading, entity) {
  const { key } = page;
  const aligned = reading.counterpart(entity);
  const marks = entity.mentions.map((mention) => {
    const twin = reading.keyTwin[mention];
    const found = twin < 0 ? null : reading.side.entityOf(twin);
    const place = !found ? "missing" : found === aligned ? "together" : "apart";
    return { mention, side: key, place, entity: place === "apart" ? found : entity };
  });
  for (const mention of aligned?.mentions || []) {
    const twin = reading.twin[mention];
    const owner = twin < 0 ? null : key.entityOf(twin);
    if (owner !== entity) marks.push({ mention, side: reading.side, place: "foreign", entity: owner });
  }
  return marks;
}

export class Timeline {
  /** @param open called with (document, label, response) when an entity is chosen */
  constructor(container, meta, open) {
    Object.assign(this, { container, meta, open });
    new ResizeObserver(() => {
      if (this.page && container.clientWidth && container.clientWidth !== this.width) this.show(this.page);
    }).observe(container);
    container.addEventListener("click", (event) => {
      const mark = event.target.closest("[data-label]");
      if (!mark) return;
      event.preventDefault();
      event.stopPropagation();
      this.open(this.page.number, mark.dataset.label, Number(mark.dataset.response));
    });
    byId("timeline-save").addEventListener("click", () => this.save());
  }

  /** The largest entities of the key with at least two mentions. */
  entities() {
    const several = this.page.key.entities.filter((entity) => entity.mentions.length > 1);
    return several.sort((a, b) => b.mentions.length - a.mentions.length).slice(0, LANES);
  }

  show(page) {
    this.page = page;
    this.width = this.container.clientWidth || 900;
    const entities = this.entities();
    byId("timeline-note").textContent = entities.length ? "" : "No entity of this document has two mentions.";
    const isNarrow = this.width < NARROW;
    const names = isNarrow ? 0 : 150;
    const systems = Math.min(110, Math.max(40, ...this.meta.responses.map((name) => 7 * name.length + 12)));
    const left = names + systems;
    const x = (token) => left + (token / Math.max(1, page.words.length)) * (this.width - left - 10);
    const head = isNarrow ? 20 : 0;
    const height = head + ROW * (1 + this.meta.responses.length) + GAP;
    const lanes = entities.map((entity, at) => this.lane(entity, at * height, { x, left, names, systems, head }));
    const svg = draw("svg", {
      class: "timeline", width: this.width, height: entities.length * height + 24, role: "group",
      viewBox: `0 0 ${this.width} ${entities.length * height + 24}`,
      "aria-label": `Entities of ${page.id || "the document"} from its beginning to its end`,
    }, lanes, this.axis(entities.length * height, x));
    fill(this.container, svg);
  }

  axis(y, x) {
    const words = this.page.words.length;
    const step = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 50000].find((one) => words / one <= 8) || words;
    const ticks = Array.from({ length: Math.floor(words / step) + 1 }, (_, at) => at * step);
    return ticks.map((tick) => draw("text", { x: x(tick), y: y + 14, class: "tick", "text-anchor": "middle" },
      tick.toLocaleString("en") + (tick ? "" : " words")));
  }

  lane(entity, y, { x, left, names, systems, head }) {
    const { page, meta } = this;
    const name = `${page.nameOf(entity)}`;
    const shown = fitted(name, head ? this.width - 60 : names - 34);
    // A label begins with the visible text (WCAG 2.5.3).
    const title = draw("a", { href: "#timeline", class: "lane-name", "data-label": entity.label, "data-response": 0, "aria-label": `${shown} ${counted(entity.mentions.length, "mention")}: ${name}` },
      draw("text", head ? { x: 0, y: y + 14 } : { x: 0, y: y + 15 }, shown,
        draw("tspan", { class: "tick" }, ` ${entity.mentions.length}`)));
    const row = (number) => y + head + number * ROW + ROW / 2;
    const label = (text, number) => draw("text", { x: names + systems - 8, y: row(number) + 4, class: "tick", "text-anchor": "end" }, fitted(text, systems - 10));
    const line = (number, marks) => {
      const at = marks.map(({ side, mention }) => x(side.start[mention]));
      return at.length ? draw("line", { x1: Math.min(...at), x2: Math.max(...at), y1: row(number), y2: row(number), class: `thread ${hueClass(entity)}` }) : null;
    };
    const keyMarks = entity.mentions.map((mention) => ({ mention, side: page.key, place: "together", entity }));
    return draw("g", {},
      draw("line", { x1: 0, x2: this.width, y1: y + head + ROW * (1 + meta.responses.length) + GAP / 2, y2: y + head + ROW * (1 + meta.responses.length) + GAP / 2, class: "divider" }),
      title, label("key", 0), line(0, keyMarks), keyMarks.map((mark) => this.mark(mark, row(0), x, entity, 0)),
      meta.responses.map((name, system) => {
        const marks = marksOf(page, page.responses[system], entity);
        const threaded = marks.filter(({ place }) => place === "together" || place === "foreign");
        return [label(name, system + 1), line(system + 1, threaded),
          marks.map((mark) => this.mark(mark, row(system + 1), x, entity, system))];
      }));
  }

  mark({ mention, side, place, entity }, y, x, lane, response) {
    const { page } = this;
    const from = x(side.start[mention]);
    const width = Math.max(3, x(side.stop[mention]) - from);
    const top = { together: y - 6, foreign: y - 6, apart: y + 1, missing: y - 2 }[place];
    const height = { together: 12, foreign: 12, apart: 7, missing: 4 }[place];
    const says = {
      together: "", missing: ": missing",
      apart: `: in ${entity?.partner ? `“${page.nameOf(entity.partner)}”` : `entity ${entity?.label}`}`,
      foreign: entity ? `: of “${page.nameOf(entity)}”` : ": not in the key",
    }[place];
    return draw("rect", {
      x: from, y: top, width, height, class: `mention ${place} ${entity ? hueClass(entity) : "h-none"}`,
      "data-label": lane.label, "data-response": response,
    }, draw("title", {}, `${page.textOf(side, mention)}${says}`));
  }

  /** Save the drawing as an SVG file, with the colours in view. */
  save() {
    const svg = this.container.querySelector("svg");
    const copy = svg.cloneNode(true);
    const originals = [svg, ...svg.querySelectorAll("*")];
    [copy, ...copy.querySelectorAll("*")].forEach((element, at) => {
      const style = getComputedStyle(originals[at]);
      for (const name of ["fill", "stroke", "stroke-width", "font-family", "font-size"]) element.style.setProperty(name, style.getPropertyValue(name));
    });
    const text = new XMLSerializer().serializeToString(copy);
    const link = Object.assign(document.createElement("a"), { download: "timeline.svg", href: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}` });
    link.click();
  }
}
