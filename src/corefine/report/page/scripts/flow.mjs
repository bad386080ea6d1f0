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

/**
 * What is drawn of one response: `keys` and `lanes`, each {entity, dots} with dots {mention, token, key}.
 * `key` is the lane among `keys` that a dot hangs from: the last one for those not shown, -1 if spurious.
 */
export function flowOf(page, reading, shown) {
  const { key } = page;
  const place = new Map(shown.map((entity, at) => [entity, at]));
  const keys = shown.map((entity) => ({ entity, dots: entity.mentions.map((mention) => ({ mention, token: key.start[mention] })) }));
  const missed = [];
  const held = new Map(); // by response entity, the mentions of shown key entities that it has
  for (const [at, { dots }] of keys.entries()) {
    for (const { mention, token } of dots) {
      const twin = reading.keyTwin[mention];
      if (twin < 0) {
        missed.push({ mention, token, key: at });
        continue;
      }
      const entity = reading.side.entityOf(twin);
      if (!held.has(entity)) held.set(entity, []);
      held.get(entity).push({ mention: twin, token, key: at });
    }
  }
  const chains = [...held].filter(([entity]) => entity.mentions.length > 1)
    .sort(([a, one], [b, other]) => other.length - one.length || a.number - b.number);
  const rest = { entity: null, dots: [] }; // key entities that are not shown
  const lanes = chains.slice(0, 2 * shown.length).map(([entity]) => ({ entity, dots: entity.mentions.map((mention) => {
    const twin = reading.twin[mention];
    const token = reading.side.start[mention];
    if (twin < 0) return { mention, token, key: -1 };
    const at = place.get(key.entityOf(twin));
    if (at === undefined) rest.dots.push({ mention: twin, token: key.start[twin] });
    return { mention, token: key.start[twin], key: at ?? keys.length };
  }) }));
  const ordered = inOrder(lanes);
  const left = [...held].filter(([entity]) => !lanes.some((lane) => lane.entity === entity)).flatMap(([, dots]) => dots);
  if (left.length) ordered.push({ entity: null, dots: left.sort((a, b) => a.token - b.token) });
  if (rest.dots.length) keys.push({ ...rest, dots: rest.dots.sort((a, b) => a.token - b.token) });
  return { keys, lanes: ordered, missed };
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
  /**
   * @param open what is called when something is chosen: `entity` with (response, label) of a lane,
   *   `mention` with (response, side, mention) of a dot, `tokens` with the first and last word of a stretch
   */
  constructor(meta, open) {
    this.meta = meta;
    this.open = open;
    this.container = byId("flow-drawing");
    this.most = byId("flow-entities");
    this.most.addEventListener("change", () => this.show(this.page));
    this.tip = make("div", { className: "flow-tip", hidden: true, role: "status" });
    this.boxes = meta.responses.map((name, number) => make("input", { type: "checkbox", checked: !number,
      on: { change: () => this.show(this.page) } }));
    if (meta.responses.length > 1) {
      fill(byId("flow-systems"), meta.responses.map((name, number) => make("label", { className: "check" }, this.boxes[number], make("bdi", {}, name))));
    }
    new ResizeObserver(() => {
      if (this.page && this.container.clientWidth && this.container.clientWidth !== this.width) this.show(this.page);
    }).observe(this.container);
    const on = (event, action) => this.container.addEventListener(event, action);
    on("pointerover", (event) => this.point(event.target.closest("[data-key]")));
    on("pointerleave", () => this.point(null));
    on("click", (event) => this.clicked(event));
    on("pointerdown", (event) => this.brush(event));
    for (const format of ["svg", "png"]) {
      byId(`flow-${format}`).addEventListener("click", () => saveDrawing(this.container.querySelector("svg"), format, this.caption, `flow-${this.page.id || "document"}`));
    }
  }

  /** The responses that are drawn. */
  get systems() {
    return this.boxes.flatMap((box, number) => (box.checked ? [number] : [])).slice(0, MOST_SYSTEMS);
  }

  /** A system that is drawn alone gives way to the one in view. */
  follow(response) {
    if (this.systems.length > 1) return;
    for (const [number, box] of this.boxes.entries()) box.checked = number === response;
    if (this.page) this.show(this.page);
  }

  get caption() {
    const names = this.systems.map((number) => this.meta.responses[number]);
    return `${this.page.id || "The document"}: key entities above, those of ${names.join(", ")} below.`;
  }

  show(page) {
    this.page = page;
    this.width = this.container.clientWidth || 900;
    const { systems } = this;
    for (const box of this.boxes) box.disabled = !box.checked && systems.length === MOST_SYSTEMS;
    const shown = page.costly.slice(0, Number(this.most.value));
    const flows = systems.map((number) => flowOf(page, page.responses[number], shown));
    const has = flows.some(({ keys }) => keys.length);
    byId("flow-note").textContent = has
      ? `The key entities that cost ${this.boxes.length > 1 ? "all systems together" : "the response"} most LEA recall come first. Point at a dot to read its sentence; choose it, or draw over a stretch, to go there in the text.`
      : "No entity of this document has two mentions.";
    this.left = Math.max(128, Math.min(0.2 * this.width, 260));
    const words = Math.max(1, page.words.length);
    this.x = (token) => this.left + 6 + (token / words) * (this.width - this.left - 16);
    const legend = this.legend();
    let y = this.legendHeight;
    const rows = flows.map((flow, at) => {
      const row = this.row(flow, systems[at], y);
      y = row.bottom;
      return row.marks;
    });
    this.bottom = y;
    fill(this.container, !has ? null : draw("svg", {
      class: "flow", width: this.width, height: y + AXIS, viewBox: `0 0 ${this.width} ${y + AXIS}`,
      role: "group", "aria-label": this.caption,
    }, legend, this.axis(y), rows), this.tip);
  }

  /** What the marks mean. */
  legend() {
    const dot = (x, y, name) => draw("circle", { cx: x, cy: y, r: 4, class: name });
    const thread = (x, name) => draw("line", { x1: x, x2: x, y1: 3, y2: 21, class: `flow-thread ${name}` });
    const line = (x1, x2, y) => draw("line", { x1, x2, y1: y, y2: y, class: "flow-join h-none" });
    /** @type {[string, Element[], number][]} */
    const kinds = [
      ["found", [thread(8, "h0"), dot(8, 5, "h0"), dot(8, 20, "h0")], 20],
      ["split: one colour on two lanes", [thread(6, "h0"), thread(18, "h0"), dot(6, 4, "h0"), dot(18, 4, "h0"), dot(6, 13, "h0"), dot(18, 21, "h0")], 28],
      ["merged: two colours on one lane", [line(6, 18, 20), thread(6, "h0"), thread(18, "h1"), dot(6, 5, "h0"), dot(18, 5, "h1"), dot(6, 20, "h0"), dot(18, 20, "h1")], 28],
      ["missed", [thread(8, "h0"), dot(8, 5, "h0"), dot(8, 20, "h0 hollow")], 20],
      ["not in the key", [dot(8, 13, "h-none")], 20],
    ];
    let [x, y] = [0, 0];
    const drawn = kinds.map(([words, marks, room]) => {
      const wide = room + 5.8 * words.length + 18;
      if (x && x + wide > this.width) [x, y] = [0, y + 28];
      const group = draw("g", { transform: `translate(${x} ${y})` }, marks, draw("text", { x: room, y: 17, class: "tick" }, words));
      x += wide;
      return group;
    });
    this.legendHeight = y + 30;
    return draw("g", {}, drawn);
  }

  /** Sentences along the bottom; its numbers are those of the text. */
  axis(y) {
    const { page } = this;
    const starts = page.rows.slice(0, -1).filter((_, row) => row === 0 || page.sentence[row] !== page.sentence[row - 1]);
    const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((one) => starts.length / one <= (this.width - this.left) / 60) || 5000;
    const title = page.plain ? "entity" : "sentence";
    return draw("g", {}, starts.map((token, at) => {
      const numbered = at === 0 || (at + 1) % step === 0;
      return [draw("line", { x1: this.x(token), x2: this.x(token), y1: y + 4, y2: y + (numbered ? 10 : 7), class: "flow-tick" }),
        numbered ? draw("text", { x: this.x(token), y: y + 22, class: "tick", "text-anchor": "middle" }, at + 1) : null];
    }), draw("text", { x: this.left - 8, y: y + 22, class: "tick", "text-anchor": "end" }, title));
  }

  row({ keys, lanes, missed }, number, top) {
    const { page, x } = this;
    const reading = page.responses[number];
    const from = top + HEAD;
    const keyY = (at) => from + at * LANE + LANE / 2;
    const missedY = from + keys.length * LANE + 8;
    const laneY = (at) => from + keys.length * LANE + GAP + at * LANE + LANE / 2;
    const bottom = from + (keys.length + lanes.length) * LANE + GAP;
    const hue = (at) => (at < 0 || !keys[at].entity ? (at < 0 ? "h-none" : "h-other") : hueClass(keys[at].entity));
    const dot = ({ token, key, mention }, y, side, more = "") => draw("circle", {
      cx: x(token), cy: y, r: 4, class: `${hue(key)} ${more}`, "data-key": key, "data-side": side, "data-mention": mention, "data-response": number,
    });
    const joins = (dots, y) => dots.slice(1).map((one, at) => draw("line", {
      x1: x(dots[at].token), x2: x(one.token), y1: y, y2: y, class: `flow-join ${one.key === dots[at].key ? hue(one.key) : "h-none"}`, "data-key": one.key === dots[at].key ? one.key : -1,
    }));
    const thread = ({ token, key }, to) => draw("line", { x1: x(token), x2: x(token), y1: keyY(key), y2: to, class: `flow-thread ${hue(key)}`, "data-key": key });
    const keyed = keys.map(({ entity, dots }, key) => ({ entity, dots: dots.map((one) => ({ ...one, key })) }));
    return { bottom, marks: draw("g", { class: "flow-row" },
      draw("rect", { x: 0, y: from + keys.length * LANE + GAP - 5, width: this.width, height: lanes.length * LANE + 8, class: "flow-ground" }),
      draw("text", { x: 0, y: from - 4, class: "flow-title" }, "key"),
      draw("text", { x: 0, y: laneY(0) - LANE / 2 - 8, class: "flow-title" }, fitted(this.meta.responses[number], this.left - 76)),
      lanes.flatMap(({ dots }, at) => dots.filter(({ key }) => key >= 0).map((one) => thread(one, laneY(at)))),
      missed.map((one) => thread(one, missedY)),
      keyed.map(({ entity, dots }, at) => (entity ? joins(dots, keyY(at)) : null)), lanes.map(({ dots }, at) => (lanes[at].entity ? joins(dots, laneY(at)) : null)),
      keyed.map(({ dots }, at) => dots.map((one) => dot(one, keyY(at), "key"))),
      missed.map((one) => dot(one, missedY, "key", "hollow")),
      lanes.map(({ dots }, at) => dots.map((one) => dot(one, laneY(at), "response"))),
      keys.map(({ entity, dots }, at) => this.name(entity ? page.nameOf(entity) : "other entities", dots.length, keyY(at), hue(at), entity?.label, at, number)),
      missed.length ? draw("text", { x: this.left - 8, y: missedY + 4, class: "tick", "text-anchor": "end" }, `missed ${missed.length}`) : null,
      lanes.map(({ entity, dots }, at) => this.name(entity ? responseName(page, reading, entity) : "on their own", dots.length, laneY(at), entity?.partner ? hueClass(entity) : "h-none", entity?.label, -2, number)),
    ) };
  }

  name(words, size, y, hue, label, key, response) {
    const shown = fitted(words, this.left - 44);
    const text = [draw("text", { x: this.left - 34, y: y + 4, class: `flow-name ${hue}`, "text-anchor": "end" }, shown),
      draw("text", { x: this.left - 8, y: y + 4, class: "tick", "text-anchor": "end" }, size)];
    const marked = { "data-key": key, "data-label": label ?? "", "data-response": response };
    return label ? draw("a", { href: "#reading", ...marked }, text) : draw("g", marked, text);
  }

  /** Keep what hangs from the same key entity in sight, and show the sentence of a mention. */
  point(mark) {
    const svg = this.container.querySelector("svg");
    if (!svg) return;
    const key = mark?.dataset.key;
    svg.classList.toggle("pointed", key !== undefined && Number(key) >= 0);
    for (const one of svg.querySelectorAll("[data-key]")) one.classList.toggle("same", one.dataset.key === key);
    this.tip.hidden = !mark?.dataset.mention;
    if (this.tip.hidden) return;
    const { side, mention, label } = this.mentionOf(mark);
    const [before, here, after] = this.page.context(side, mention);
    fill(this.tip, make("small", {}, label), make("p", { dir: "auto" }, before, make("mark", {}, make("bdi", {}, here)), after));
    const at = mark.getBoundingClientRect();
    const box = this.container.getBoundingClientRect();
    const style = this.tip.style;
    style.setProperty("left", `${Math.max(0, Math.min(at.x - box.x - 120, box.width - 330))}px`);
    style.setProperty("top", `${at.y - box.y + 16}px`);
  }

  mentionOf({ dataset }) {
    const reading = this.page.responses[Number(dataset.response)];
    const side = dataset.side === "key" ? this.page.key : reading.side;
    const mention = Number(dataset.mention);
    const twin = reading.twinOf(side, mention);
    const other = side.isKey ? reading.side : this.page.key;
    const there = twin < 0 ? (side.isKey ? "missed" : "not in the key") : `${other.isKey ? "key" : "response"} entity ${other.entityOf(twin).label}`;
    return { side, mention, label: `${side.isKey ? "key" : "response"} entity ${side.entityOf(mention).label} · ${there}` };
  }

  clicked(event) {
    const mark = event.target.closest("[data-response]");
    if (!mark) return;
    event.preventDefault();
    event.stopPropagation();
    const response = Number(mark.dataset.response);
    if (mark.dataset.mention) this.open.mention(response, mark.dataset.side === "key" ? null : response, Number(mark.dataset.mention));
    else if (mark.dataset.label) this.open.entity(response, mark.dataset.label);
  }

  /** Draw over a stretch of the document to read it. */
  brush(event) {
    const svg = this.container.querySelector("svg");
    if (!svg || event.target.closest("[data-response]") || event.pointerType === "touch") return;
    const origin = svg.getBoundingClientRect().x;
    const within = (one) => Math.max(this.left + 6, Math.min(one.clientX - origin, this.width - 10));
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
      const word = (at) => Math.floor(((at - this.left - 6) / (this.width - this.left - 16)) * this.page.words.length);
      const [first, last] = [start, within(one)].sort((a, b) => a - b);
      if (last - first < 4) box.remove();
      else this.open.tokens(word(first), Math.min(word(last), this.page.words.length - 1));
    }, { once: true });
  }
}

/** A response entity by its label and the name of the key entity that it is aligned with, or its own. */
const responseName = (page, reading, entity) => `${entity.label} ${page.nameOf(entity.partner || entity)}`;
