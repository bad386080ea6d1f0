// The flow of a document: key entities above, response entities below, a thread from mention to mention.

import { hueClass } from "./document.mjs";
import { byId, draw, fill, make } from "./dom.mjs";
import { saveDrawing } from "./sharing.mjs";
import { fitted } from "./wording.mjs";

const LANE = 17; // height of a lane
const GAP = 34; // between key and response, where what is missed ends, and the name of the response
const HEAD = 18; // above the lanes of the key
const AXIS = 34;
const MOST_SYSTEMS = 3;

const drawLine = (x1, y1, x2, y2, more) => draw("line", { x1, y1, x2, y2, ...more });
const drawText = (x, y, name, anchor, words) => draw("text", { x, y, class: name, "text-anchor": anchor }, words);

/**
 * What is drawn of one response: `keys` and `lanes`, each {entity, dots} with dots {mention, token, key}.
 * `key` is the lane among `keys` that a dot hangs from: the last one for those not shown, -1 if spurious.
 */
export function flowOf(page, reading, shown) {
  const { key } = page;
  const { side, twin, keyTwin } = reading;
  const keys = shown.map((entity, at) => ({
    entity, dots: entity.mentions.map((mention) => ({ mention, token: key.start[mention], key: at })),
  }));
  const ours = keys.flatMap(({ dots }) => dots);
  const missed = ours.filter(({ mention }) => keyTwin[mention] < 0);
  const found = ours.filter(({ mention }) => keyTwin[mention] >= 0).map((dot) => ({ ...dot, mention: keyTwin[dot.mention] }));
  const held = new Map(); // by response entity, how many mentions of shown key entities it has
  for (const entity of found.map(({ mention }) => side.entityOf(mention))) held.set(entity, (held.get(entity) || 0) + 1);
  const chains = [...held.keys()].filter((entity) => entity.mentions.length > 1)
    .sort((a, b) => held.get(b) - held.get(a) || a.number - b.number).slice(0, 2 * shown.length);
  const lanes = inOrder(chains.map((entity) => ({ entity, dots: entity.mentions.map((mention) => {
    const mine = twin[mention];
    if (mine < 0) return { mention, token: side.start[mention], key: -1 };
    const at = shown.indexOf(key.entityOf(mine));
    return { mention, token: key.start[mine], key: at < 0 ? shown.length : at };
  }) })));
  const rest = lanes.flatMap(({ dots }) => dots).filter((dot) => dot.key === shown.length)
    .map((dot) => ({ ...dot, mention: twin[dot.mention] })); // of key entities that are not shown
  const alone = found.filter(({ mention }) => !chains.includes(side.entityOf(mention)));
  for (const [list, dots] of [[keys, rest], [lanes, alone]]) {
    if (dots.length) list.push({ entity: null, dots: dots.sort((a, b) => a.token - b.token) });
  }
  return { keys, lanes, missed };
}

/** How many threads to the second lane pass through the first, if it is drawn above. */
function crossings(above, below) {
  const ends = above.dots.map(({ token }) => token);
  const [from, to] = [Math.min(...ends), Math.max(...ends)];
  return below.dots.filter(({ token, key }) => key >= 0 && token >= from && token <= to).length;
}

/** Lanes by the key entity that they hold most of, then moved until no move saves a crossing. */
export function inOrder(lanes) {
  const home = (lane) => {
    const counts = new Map();
    for (const { key } of lane.dots) if (key >= 0) counts.set(key, (counts.get(key) || 0) + 1);
    return [...counts].sort(([a, one], [b, other]) => other - one || a - b)[0][0];
  };
  const order = [...lanes].sort((a, b) => home(a) - home(b));
  for (let moved = true; moved;) {
    moved = false;
    for (let at = 0; at + 1 < order.length; at++) {
      const [one, other] = [order[at], order[at + 1]];
      if (crossings(one, other) <= crossings(other, one)) continue;
      [order[at], order[at + 1]] = [other, one];
      moved = true;
    }
  }
  return order;
}

export class Flow {
  /** @param app what is opened of it: an entity, a mention, a stretch of the text */
  constructor(app) {
    this.app = app;
    this.responses = app.meta.responses;
    this.container = byId("flow-drawing");
    this.tip = make("div", { className: "flow-tip", hidden: true, role: "status" });
    this.boxes = this.responses.map((_, number) => make("input", { type: "checkbox", checked: !number }));
    const label = (box, at) => make("label", { className: "check" }, box, make("bdi", {}, this.responses[at]));
    if (this.boxes.length > 1) fill(byId("flow-systems"), this.boxes.map(label));
    byId("flow").addEventListener("change", () => this.show(this.page));
    new ResizeObserver(() => {
      if (this.page && this.container.clientWidth && this.container.clientWidth !== this.width) this.show(this.page);
    }).observe(this.container);
    const on = (event, action) => this.container.addEventListener(event, action);
    on("pointerover", (event) => this.point(event.target.closest("[data-key]")));
    on("pointerleave", () => this.point(null));
    on("click", (event) => this.clicked(event));
    on("pointerdown", (event) => this.brush(event));
    for (const format of ["svg", "png"]) {
      byId(`flow-${format}`).addEventListener("click", () => saveDrawing(this.svg, format, this.caption, `flow-${this.page.id || "document"}`));
    }
  }

  /** The responses that are drawn. */
  get systems() {
    return [...this.boxes.keys()].filter((number) => this.boxes[number].checked).slice(0, MOST_SYSTEMS);
  }

  /** A system that is drawn alone gives way to the one in view. */
  follow(response) {
    if (this.systems.length > 1) return;
    for (const [number, box] of this.boxes.entries()) box.checked = number === response;
    if (this.page) this.show(this.page);
  }

  get caption() {
    const names = this.systems.map((number) => this.responses[number]);
    return `${this.page.id || "The document"}: key entities above, those of ${names.join(", ")} below.`;
  }

  show(page) {
    this.page = page;
    this.width = this.container.clientWidth || 900;
    this.left = Math.max(128, Math.min(0.2 * this.width, 260)); // where names end and the text begins
    this.x = (token) => this.left + 6 + (token / Math.max(1, page.words.length)) * (this.width - this.left - 16);
    const { systems } = this;
    for (const box of this.boxes) box.disabled = !box.checked && systems.length === MOST_SYSTEMS;
    const shown = page.costly.slice(0, Number(byId("flow-entities").value));
    byId("flow-note").textContent = shown.length
      ? `The key entities that cost ${this.boxes.length > 1 ? "all systems together" : "the response"} most LEA recall come first. Point at a dot to read its sentence; choose it, or draw over a stretch, to go there in the text.`
      : "No entity of this document has two mentions.";
    const legend = this.legend();
    this.bottom = this.legendHeight;
    const rows = systems.map((number) => this.row(page.responses[number], shown));
    const height = this.bottom + AXIS;
    this.svg = draw("svg", {
      class: "flow", width: this.width, height, viewBox: `0 0 ${this.width} ${height}`, role: "group", "aria-label": this.caption,
    }, legend, this.axis(this.bottom), rows);
    fill(this.container, shown.length ? this.svg : null, this.tip);
  }

  /** What the marks mean, in as many lines as the width needs. */
  legend() {
    let [x, y] = [0, 0];
    const parts = [...byId("flow-legend").children].map((part) => {
      const width = Number(part.dataset.width);
      if (x && x + width > this.width) [x, y] = [0, y + 28];
      const placed = draw("g", { transform: `translate(${x} ${y})` }, part.cloneNode(true));
      x += width;
      return placed;
    });
    this.legendHeight = y + 30;
    return draw("g", {}, parts);
  }

  /** Sentences along the bottom; its numbers are those of the text. */
  axis(y) {
    const { page } = this;
    const starts = page.rows.slice(0, -1).filter((_, row) => page.sentence[row] !== page.sentence[row - 1]);
    const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((one) => starts.length / one <= (this.width - this.left) / 60) || 5000;
    const ticks = starts.map((token, at) => {
      const isNumbered = at === 0 || (at + 1) % step === 0;
      return [drawLine(this.x(token), y + 4, this.x(token), y + (isNumbered ? 10 : 7), { class: "flow-tick" }),
        isNumbered ? drawText(this.x(token), y + 22, "tick", "middle", at + 1) : null];
    });
    return draw("g", {}, ticks, drawText(this.left - 8, y + 22, "tick", "end", page.plain ? "entity" : "sentence"));
  }

  /** Draw a response below what is drawn: lanes of the key, threads, lanes of the response. */
  row(reading, shown) {
    const { page, x, left } = this;
    const { keys, lanes, missed } = flowOf(page, reading, shown);
    const top = this.bottom + HEAD;
    const middle = top + keys.length * LANE;
    const missedY = middle + 8;
    this.bottom = middle + GAP + lanes.length * LANE;
    const keyY = (at) => top + (at + 0.5) * LANE;
    const laneY = (at) => middle + GAP + (at + 0.5) * LANE;
    const hue = (key) => (key < 0 ? "h-none" : keys[key].entity ? hueClass(keys[key].entity) : "h-other");
    const thread = ({ token, key }, to) =>
      drawLine(x(token), keyY(key), x(token), to, { class: `flow-thread ${hue(key)}`, "data-key": key });
    const join = (one, other, y) => {
      const key = one.key === other.key ? one.key : -1;
      return drawLine(x(one.token), y, x(other.token), y, { class: `flow-join ${hue(key)}`, "data-key": key });
    };
    const joins = ({ entity, dots }, y) => (entity ? dots.slice(1).map((one, at) => join(dots[at], one, y)) : []);
    const dot = ({ token, key, mention }, y, side, more = "") => draw("circle", {
      cx: x(token), cy: y, r: 4, class: `${hue(key)} ${more}`,
      "data-key": key, "data-side": side, "data-mention": mention, "data-reading": reading.number,
    });
    const name = ({ entity, dots }, words, y, hueOf, key) => {
      const parts = [drawText(left - 34, y + 4, `flow-name ${hueOf}`, "end", fitted(words, left - 44)),
        drawText(left - 8, y + 4, "tick", "end", dots.length)];
      const marked = { "data-key": key, "data-label": entity?.label ?? "", "data-reading": reading.number };
      return entity ? draw("a", { href: "#reading", ...marked }, parts) : draw("g", marked, parts);
    };
    const nameOf = ({ entity }) => (entity ? `${entity.label} ${page.nameOf(entity.partner || entity)}` : "on their own");
    return draw("g", { class: "flow-row" },
      draw("rect", { x: 0, y: middle + GAP - 5, width: this.width, height: lanes.length * LANE + 8, class: "flow-ground" }),
      drawText(0, top - 4, "flow-title", "start", "key"),
      drawText(0, middle + GAP - 8, "flow-title", "start", fitted(this.responses[reading.number], left - 76)),
      lanes.map(({ dots }, at) => dots.filter(({ key }) => key >= 0).map((one) => thread(one, laneY(at)))),
      missed.map((one) => thread(one, missedY)),
      keys.map((lane, at) => joins(lane, keyY(at))),
      lanes.map((lane, at) => joins(lane, laneY(at))),
      keys.map(({ dots }, at) => dots.map((one) => dot(one, keyY(at), "key"))),
      missed.map((one) => dot(one, missedY, "key", "hollow")),
      lanes.map(({ dots }, at) => dots.map((one) => dot(one, laneY(at), "response"))),
      keys.map((lane, at) => name(lane, lane.entity ? page.nameOf(lane.entity) : "other entities", keyY(at), hue(at), at)),
      missed.length ? drawText(left - 8, missedY + 4, "tick", "end", `missed ${missed.length}`) : null,
      lanes.map((lane, at) => name(lane, nameOf(lane), laneY(at), lane.entity?.partner ? hueClass(lane.entity) : "h-none", -2)));
  }

  /** Keep what hangs from the same key entity in sight, and show the sentence of a mention. */
  point(mark) {
    const key = mark?.dataset.key;
    this.svg.classList.toggle("pointed", Number(key) >= 0);
    for (const one of this.svg.querySelectorAll("[data-key]")) one.classList.toggle("same", one.dataset.key === key);
    this.tip.hidden = !mark?.dataset.mention;
    if (this.tip.hidden) return;
    const { reading, side, mention } = this.page.mentionOn(mark);
    const [before, here, after] = this.page.context(side, mention);
    fill(this.tip,
      make("small", {}, `${side.name} entity ${side.entityOf(mention).label} · ${reading.twinText(side, mention)}`),
      make("p", { dir: "auto" }, before, make("mark", {}, make("bdi", {}, here)), after));
    const at = mark.getBoundingClientRect();
    const box = this.container.getBoundingClientRect();
    this.tip.style.left = `${Math.max(0, Math.min(at.x - box.x - 120, box.width - 330))}px`;
    this.tip.style.top = `${at.y - box.y + 16}px`;
  }

  clicked(event) {
    const mark = event.target.closest("[data-reading]");
    if (!mark) return;
    event.preventDefault();
    event.stopPropagation();
    const { mention, label, reading } = mark.dataset;
    if (mention) this.app.openMention(this.page.mentionOn(mark));
    else if (label) this.app.address.go(this.app.linkTo(this.page.number, label, reading));
  }

  /** Draw over a stretch of the document to read it. */
  brush(event) {
    const { svg, page, left, width } = this;
    if (event.target.closest("[data-reading]") || event.pointerType === "touch") return;
    const origin = svg.getBoundingClientRect().x;
    const within = ({ clientX }) => Math.max(left + 6, Math.min(clientX - origin, width - 10));
    const start = within(event);
    svg.querySelector(".flow-brush")?.remove();
    const box = draw("rect", { class: "flow-brush", x: start, y: this.legendHeight, width: 0, height: this.bottom - this.legendHeight });
    svg.append(box);
    const move = (one) => {
      box.setAttribute("x", Math.min(start, within(one)));
      box.setAttribute("width", Math.abs(within(one) - start));
    };
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", (one) => {
      window.removeEventListener("pointermove", move);
      const word = (at) => Math.floor(((at - left - 6) / (width - left - 16)) * page.words.length);
      const [first, last] = [start, within(one)].sort((a, b) => a - b);
      if (last - first < 4) box.remove();
      else this.app.text.goToTokens(word(first), Math.min(word(last), page.words.length - 1));
    }, { once: true });
  }
}
