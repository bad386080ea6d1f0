// The page of curation: a queue of questions, their versions, and the text with the gold above it.

import { Page, printed } from "./document.mjs";
import { announce, byId, fill, make, quoted } from "./dom.mjs";
import { TextView } from "./text.mjs";
import { counted } from "./wording.mjs";

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
const isTyping = (target) => target.matches("input[type=text], select");

function say(text, bad = true) {
  byId("message").textContent = text;
  byId("message").classList.toggle("plain", !bad);
  byId("message").hidden = !text;
}

async function request(path, body) {
  const options = body && { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  try {
    const response = await fetch(path, options);
    return [response.status, await response.json()];
  } catch {
    return [0, { error: "The server does not answer. Start it again with the same --log: what was confirmed is kept." }];
  }
}

/** The columns of one side as the text view reads them: entities with a number, mentions by spans. */
function columnsOf(entities) {
  const mentions = entities.flatMap((entity, number) => entity.map((spans) => ({ spans, number })));
  return {
    start: mentions.map(({ spans }) => spans[0][0]),
    stop: mentions.map(({ spans }) => spans[spans.length - 1][1]),
    pieces: Object.fromEntries(mentions.flatMap(({ spans }, at) => (spans.length > 1 ? [[at, spans]] : []))),
    entity: mentions.map(({ number }) => number),
    entities: entities.length,
    spans: mentions.map(({ spans }) => spans),
  };
}

/** A version beside the gold: the twin of each mention, and the gold entity that each entity shares most with. */
function versionOf(gold, entities) {
  const columns = columnsOf(entities);
  const place = new Map(gold.spans.map((spans, at) => [JSON.stringify(spans), at]));
  const twin = columns.spans.map((spans) => place.get(JSON.stringify(spans)) ?? -1);
  const shared = new Map();
  twin.forEach((mine, at) => {
    if (mine < 0) return;
    const pair = `${columns.entity[at]} ${gold.entity[mine]}`;
    shared.set(pair, (shared.get(pair) || 0) + 1);
  });
  const partner = new Array(entities.length).fill(-1);
  const taken = new Set();
  for (const [pair] of [...shared].sort((a, b) => b[1] - a[1])) {
    const [mine, other] = pair.split(" ").map(Number);
    if (partner[mine] < 0 && !taken.has(other)) {
      partner[mine] = other;
      taken.add(other);
    }
  }
  const none = entities.map(() => null);
  return { ...columns, twin, partner, size: none, scores: {}, right: {}, errors: { key: [], response: [] } };
}

class Curation {
  constructor() {
    this.view = new TextView(byId("text"), (reading, side, mention) => this.chooseMention(side, mention));
    this.question = null;
    this.span = null; // the span that is being edited: [start, stop]
    this.purpose = null; // what the edited span is for: "answer", "respan" or "add"
    this.mention = null; // spans of the chosen mention
    this.moving = null; // what the next chosen mention is the target of
  }

  async start() {
    byId("by").value = localStorage.getItem("by") ?? "";
    byId("by").addEventListener("change", () => localStorage.setItem("by", byId("by").value));
    const [status, summary] = await request("state");
    if (status !== 200) return say(summary.error);
    this.summary = summary;
    byId("title").textContent = summary.title;
    byId("write").hidden = !summary.writes;
    fill(byId("document"), summary.documents.map(({ name }) => make("option", { value: name }, name || "(unnamed)")));
    byId("voice").append(...summary.voices.map((name) => make("option", { value: name }, name)));
    for (const id of ["show", "kind", "voice", "order"]) byId(id).addEventListener("change", () => this.showQueue());
    byId("document").addEventListener("change", () => this.openDocument(byId("document").value));
    const clicks = { undo: () => this.reverse("undo"), redo: () => this.reverse("redo"), write: () => this.write(),
      skip: () => this.note("skip"), flag: () => this.note("flag"), comment: () => this.note("comment") };
    for (const [id, action] of Object.entries(clicks)) byId(id).addEventListener("click", action);
    document.addEventListener("keydown", (event) => this.keyed(event));
    const first = summary.documents.find(({ open }) => open) ?? summary.documents[0];
    if (first) await this.openDocument(first.name);
    document.documentElement.dataset.started = "true";
  }

  async openDocument(name) {
    const [status, data] = await request(`document?name=${encodeURIComponent(name)}`);
    if (status !== 200) return say(data.error);
    this.data = data;
    byId("document").value = name;
    const kinds = [...new Set(data.questions.map(({ kind }) => kind))];
    fill(byId("kind"), make("option", { value: "" }, "any"), kinds.map((kind) => make("option", { value: kind }, kind)));
    this.showQueue();
    this.open(this.queue.find((one) => !one.decision) ?? this.queue[0] ?? null);
  }

  /** The questions that are listed, in the chosen order. */
  get queue() {
    const [show, kind, voice, order] = ["show", "kind", "voice", "order"].map((id) => byId(id).value);
    const wanted = this.data.questions.filter((one) =>
      (show === "all" || (show === "open" ? !one.decision || one === this.question : one.flagged || one.skipped))
      && (!kind || one.kind === kind)
      && (!voice || one.options.some(({ by }, at) => by.includes(voice) && at > 0)));
    if (order === "stake") wanted.sort((a, b) => b.stake - a.stake);
    if (order === "size") wanted.sort((a, b) => b.mentions.length - a.mentions.length);
    return wanted;
  }

  showQueue() {
    fill(byId("queue"), this.queue.map((one) => make("li", {}, make("button", {
      type: "button",
      className: one.flagged ? "flagged" : one.decision ? "done" : "",
      ariaCurrent: String(one === this.question),
      onclick: () => this.open(one),
    }, make("span", { className: "lines" }, make("span", { className: "kind" }, `${one.kind} · `), make("bdi", {}, one.text))))));
    const all = this.summary.documents;
    const open = all.reduce((sum, document) => sum + document.open, 0);
    const total = all.reduce((sum, document) => sum + document.questions, 0);
    const here = all.find(({ name }) => name === this.data.name);
    byId("progress").textContent = `${total - open} of ${total} decided; here ${here.questions - here.open} of ${here.questions}`;
    byId("undo").disabled = !this.summary.undo;
    byId("redo").disabled = !this.summary.redo;
  }

  open(question) {
    this.question = question;
    this.closeEditor();
    if (question) this.showQuestion();
    else fill(byId("question-title"), this.data.questions.length ? "All questions of this document are decided." : "There is nothing to decide in this document.");
    if (!question) for (const id of ["options", "comments", "question-note"]) fill(byId(id));
    this.showQueue();
    this.showText();
  }

  showQuestion() {
    const one = this.question;
    fill(byId("question-title"), make("bdi", {}, one.text));
    const state = one.decision === null
      ? (one.proposal !== null ? "The majority is proposed, not decided." : one.kind === "suspect" ? "Nothing is proposed." : "No majority: nothing is proposed.")
      : `Decided${one.how === "accept" ? " as proposed" : one.how === "rule" ? " by a rule" : ""}${one.by ? ` by ${one.by}` : ""}: ${one.decision}.`;
    fill(byId("question-note"), `${state} ${counted(one.stake, "link")} at stake.`);
    const options = one.options.map((option, at) => this.optionButton(option, at));
    if (one.kind === "span") {
      const all = one.options.flatMap(({ choice }) => choice.spans);
      options.push(this.otherButton("b", "Both, as separate mentions", { spans: all }));
      options.push(this.otherButton("0", "Not a mention", { spans: [] }));
    } else if (one.kind === "link") {
      options.push(this.otherButton("o", "An entity of its own", { with: [] }), this.otherButton("0", "Not a mention", { drop: true }));
    }
    fill(byId("options"), options);
    if (one.kind === "span") byId("options").append(make("button", { type: "button", className: "option", onclick: () => this.editSpan("answer") }, make("span", {}, make("kbd", {}, "e"), " Another span")));
    fill(byId("comments"), one.comments.map((text) => make("p", { className: "note" }, quoted(text))));
    byId("question").focus({ preventScroll: true });
    announce(one.text);
  }

  optionButton({ text, by, choice }, at) {
    const proposed = this.question.decision === null && at === this.question.proposal;
    const chosen = this.question.decision === text;
    return make("button", {
      type: "button",
      className: `option${proposed ? " proposed" : ""}${chosen ? " chosen" : ""}`,
      onclick: () => this.answer(choice),
    }, make("span", {}, make("kbd", {}, String(at + 1)), " ", make("bdi", {}, text)),
    make("span", { className: "by" }, by.join(", ")),
    proposed ? make("span", { className: "mark" }, "proposed (Enter)") : chosen ? make("span", { className: "mark" }, "decided") : null);
  }

  otherButton(key, text, choice) {
    if (this.question.options.some((option) => same(option.choice, choice))) return null;
    return make("button", { type: "button", className: "option", onclick: () => this.answer(choice) },
      make("span", {}, make("kbd", {}, key), ` ${text}`));
  }

  showText() {
    const gold = columnsOf(this.data.gold);
    const voices = this.summary.voices;
    const responses = voices.map((name) => versionOf(gold, this.data.versions[name]));
    this.page = new Page({ ...this.data, plain: false, key: gold, responses }, 0, this.data.name);
    this.spans = { gold: gold.spans, voices: responses.map(({ spans }) => spans) };
    this.view.show(this.page, this.page.responses, voices, { singletons: true });
    if (!this.question) return;
    this.scrollTo(this.question.mentions[0][0][0]);
    const asked = new Set(this.question.mentions.map((spans) => JSON.stringify(spans)));
    const kept = [];
    [this.page.key, ...this.page.responses.map(({ side }) => side)].forEach((side, number) => {
      const spans = number ? this.spans.voices[number - 1] : this.spans.gold;
      spans.forEach((one, mention) => {
        if (!asked.has(JSON.stringify(one))) return;
        this.view.drawNear(this.page.rowOf(side.start[mention]));
        const tag = this.view.drawer.tagOf(side, mention);
        tag?.closest(".seg").classList.add("asked");
        let cell = tag?.closest(".t");
        for (let token = side.start[mention]; cell && token < side.stop[mention]; token++, cell = cell.nextElementSibling) cell.classList.add("asked");
        if (side.isKey) kept.push(side.entityOf(mention));
      });
    });
    this.view.light(kept, "kept");
  }

  /** Scroll the text, and nothing else, to a word. */
  scrollTo(token) {
    const row = this.page.rowOf(token);
    this.view.drawNear(row);
    const [box, line] = [byId("text"), byId(`row-${row}`)];
    box.scrollTop += line.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 4;
  }

  async send(entry) {
    const [status, answer] = await request("do", { revision: this.data.revision, document: this.data.name, by: byId("by").value, ...entry });
    if (answer.document) this.take(answer);
    if (status === 409) say("Not saved: this document was changed elsewhere in the meantime. It is shown now; decide again.");
    else if (status !== 200) say(`Not saved: ${answer.error}`);
    else say("");
    return status === 200;
  }

  /** Show the document as the server has it now. */
  take({ summary, document: data }) {
    this.summary = summary;
    const name = this.question?.id;
    this.data = { ...this.data, ...data };
    this.question = this.data.questions.find(({ id }) => id === name) ?? null;
  }

  async answer(choice, how = "answer") {
    const reason = byId("reason").value;
    const before = this.queue.indexOf(this.question);
    if (!(await this.send({ do: how, question: this.question.id, choice, reason }))) return this.open(this.question);
    byId("reason").value = "";
    this.question = null;
    const rest = this.queue;
    const open = rest.filter((one) => !one.decision);
    this.open(rest.slice(before).find((one) => !one.decision) ?? open[0] ?? null);
    if (!open.length) await this.nextDocument();
  }

  /** Go on to a document with open questions, if this one has none. */
  async nextDocument() {
    if (this.data.questions.some((one) => !one.decision)) return;
    const next = this.summary.documents.find(({ open }) => open);
    if (next) await this.openDocument(next.name);
    else say("All questions are decided.", false);
  }

  acceptProposal() {
    const { proposal, options } = this.question;
    if (proposal === null) say("Nothing is proposed here: choose a version.");
    else this.answer(options[proposal].choice, "accept");
  }

  async note(kind) {
    if (!this.question) return;
    const reason = byId("reason").value;
    if (kind === "comment" && !reason) return byId("reason").focus();
    const here = this.question.id;
    if (!(await this.send({ do: kind, question: here, reason }))) return;
    byId("reason").value = "";
    this.open(this.question);
    if (kind === "skip") this.step(1);
  }

  async reverse(how) {
    const [status, answer] = await request("do", { do: how, revision: 0, document: this.data.name, by: byId("by").value });
    if (status !== 200) return say(answer.error);
    say("");
    if (answer.document.name === this.data.name) this.take(answer);
    else {
      this.summary = answer.summary;
      await this.openDocument(answer.document.name);
    }
    const reversed = this.data.questions.find(({ id }) => id === answer.question);
    this.open(reversed ?? this.question ?? this.queue[0] ?? null);
  }

  step(by) {
    const queue = this.queue;
    if (!queue.length) return;
    const at = queue.indexOf(this.question);
    this.open(queue[(at + by + queue.length) % queue.length]);
  }

  nextOpen() {
    const queue = this.queue;
    const at = queue.indexOf(this.question);
    const next = [...queue.slice(at + 1), ...queue.slice(0, Math.max(at, 0))].find((one) => !one.decision);
    if (next) this.open(next);
    else this.nextDocument();
  }

  // Spans are edited on the words of their sentence, by mouse or by Shift and arrows.

  editSpan(purpose, spans = this.question?.mentions[0]) {
    if (!spans) return;
    this.purpose = purpose;
    this.span = [spans[0][0], spans[spans.length - 1][1]];
    this.showEditor();
  }

  closeEditor() {
    this.span = null;
    byId("editor").hidden = true;
  }

  showEditor() {
    const { words, rows } = this.data;
    const [start, stop] = this.span;
    const from = rows[this.page.rowOf(start)];
    const to = rows[this.page.rowOf(Math.max(start, stop - 1)) + 1];
    const buttons = words.slice(from, to).map((word, at) => make("button", {
      type: "button",
      className: from + at >= start && from + at < stop ? "inside" : "",
      onclick: (event) => this.clickWord(from + at, event.shiftKey),
    }, word));
    fill(byId("editor"), make("p", { className: "note" }, "Click the first word, then Shift-click the last; or Shift+→ ← moves the end, Shift+↑ ↓ the start. Enter takes the span."),
      make("p", { dir: "auto" }, buttons),
      make("div", { className: "tools" }, make("button", { type: "button", onclick: () => this.takeSpan() }, make("kbd", {}, "Enter"), " Take “", make("bdi", {}, printed(words.slice(start, stop))), "”"),
        make("button", { type: "button", onclick: () => this.closeEditor() }, make("kbd", {}, "Esc"), " Leave")));
    byId("editor").hidden = false;
  }

  clickWord(token, extend) {
    const [start, stop] = this.span;
    this.span = extend ? [Math.min(start, token), Math.max(token + 1, start + 1, token < start ? stop : 0)] : [token, token + 1];
    this.showEditor();
  }

  moveSpan(key) {
    let [start, stop] = this.span;
    if (key === "ArrowRight") stop++;
    else if (key === "ArrowLeft") stop--;
    else if (key === "ArrowUp") start--;
    else start++;
    if (start < 0 || start >= stop || stop > this.data.words.length) return;
    this.span = [start, stop];
    this.showEditor();
  }

  async takeSpan() {
    const spans = [this.span];
    if (this.purpose === "answer") return this.answer({ spans: [spans] });
    const entry = this.purpose === "add" ? { do: "add", spans, to: this.mention } : { do: "respan", mention: this.mention, spans };
    if (await this.send(entry)) {
      this.clearMention();
      this.open(this.question);
    }
  }

  // Mentions are changed beside the questions: moved, merged, dropped, added.

  chooseMention(side, mention) {
    const number = this.page.responses.findIndex((reading) => reading.side === side);
    const spans = side.isKey ? this.spans.gold[mention] : this.spans.voices[number][mention];
    if (this.moving) return this.finishMove(spans);
    this.mention = spans;
    const inGold = this.spans.gold.some((one) => same(one, spans));
    const action = (label, run) => make("button", { type: "button", onclick: run }, label);
    fill(byId("mention-title"), quoted(this.page.textOf(side, mention)), inGold ? ` is in the gold` : " is not in the gold");
    fill(byId("mention-actions"), inGold
      ? [action("Move to the entity of …", () => this.startMove("move")), action("Merge its entity with …", () => this.startMove("merge")),
        action("Entity of its own", () => this.edit({ do: "move", mention: spans })), action("Drop", () => this.edit({ do: "drop", mention: spans })),
        action("Change its span", () => this.editSpan("respan", spans)), action("Add a mention to its entity", () => this.editSpan("add", spans))]
      : [action("Add as an entity of its own", () => this.edit({ do: "add", spans })), action("Add to the entity of …", () => this.startMove("add"))],
    action("Close", () => this.clearMention()));
    byId("mention").hidden = false;
    announce(byId("mention-title").textContent);
  }

  startMove(kind) {
    this.moving = kind;
    say("Now choose a mention of the other entity in the text, in the row above the words.", false);
  }

  finishMove(target) {
    const kind = this.moving;
    this.moving = null;
    return this.edit(kind === "add" ? { do: "add", spans: this.mention, to: target } : { do: kind, mention: this.mention, to: target });
  }

  async edit(entry) {
    if (await this.send(entry)) {
      this.clearMention();
      this.open(this.question);
    }
  }

  clearMention() {
    this.mention = null;
    this.moving = null;
    byId("mention").hidden = true;
  }

  /** Add a mention that nobody has, as an entity of its own, beginning at the question or the text. */
  addMention() {
    this.mention = null;
    this.editSpan("add", this.question?.mentions[0] ?? [[0, 1]]);
  }

  async write() {
    const [status, answer] = await request("write", {});
    if (status === 200) say(`Gold written: ${counted(answer.entities, "entity", "entities")} with ${counted(answer.mentions, "mention")}; ${counted(answer.undecided, "question")} undecided and left out.`, false);
    else say(`Not written: ${answer.error}`);
  }

  keyed(event) {
    const { key, target } = event;
    if ((event.ctrlKey || event.metaKey) && !isTyping(target) && ["z", "y"].includes(key)) {
      event.preventDefault();
      return this.reverse(key === "z" ? "undo" : "redo");
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(target)) return;
    if (key === "Enter" && target.matches("button, summary, a")) return;
    if (this.handle(key, event.shiftKey)) event.preventDefault();
  }

  handle(key, shift) {
    if (key === "Escape") {
      this.closeEditor();
      this.clearMention();
      say("");
    } else if (this.span && shift && key.startsWith("Arrow")) this.moveSpan(key);
    else if (this.span && key === "Enter") this.takeSpan();
    else if (key === "u") this.reverse("undo");
    else if (key === "r") this.reverse("redo");
    else if (key === "n") this.step(1);
    else if (key === "p") this.step(-1);
    else if (key === "g") this.nextOpen();
    else if (key === "a") this.addMention();
    else if (this.question) return this.decide(key);
    else return false;
    return true;
  }

  /** Keys that decide the question that is open. */
  decide(key) {
    const { kind, options } = this.question;
    if (/^[1-9]$/.test(key)) {
      if (options[key - 1]) this.answer(options[key - 1].choice);
    } else if (key === "Enter") this.acceptProposal();
    else if (key === "b" && kind === "span") this.answer({ spans: options.flatMap(({ choice }) => choice.spans) });
    else if (key === "0" && kind === "span") this.answer({ spans: [] });
    else if (key === "0" && kind === "link") this.answer({ drop: true });
    else if (key === "o" && kind === "link") this.answer({ with: [] });
    else if (key === "e" && kind === "span") this.editSpan("answer");
    else if (key === "s") this.note("skip");
    else if (key === "f") this.note("flag");
    else if (key === "c") this.note("comment");
    else return false;
    return true;
  }
}

new Curation().start();
