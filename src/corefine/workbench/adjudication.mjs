// The adjudication page: contested groups of entities, decided one by one.

const COLOURS = 8;
let state = null;
let current = null; // the group that is shown
let gold = []; // its entities: lists of mentions, a mention being a list of [start, stop]
let chosen = new Set(); // written forms of the chosen mentions
let action = "edit";

const written = (mention) => mention.map(([a, b]) => (b === a + 1 ? `${a}` : `${a}-${b - 1}`)).join("+");

function readSpan(text) {
  const parts = text.trim().split("+").map((part) => /^\s*(\d+)\s*(?:-\s*(\d+)\s*)?$/.exec(part));
  if (!parts.length || parts.includes(null)) return null;
  return parts.map(([, first, last]) => [Number(first), Number(last ?? first) + 1]);
}

function words(group, mention) {
  const { tokens } = state.documents[group.document];
  return mention.map(([a, b]) => tokens.slice(a, b).join(" ")).join(" … ");
}

function showProgress() {
  const done = state.groups.filter((group) => group.decision).length;
  byId("progress").textContent = `${done} of ${state.groups.length} contested groups decided; ${state.agreed} agreed`;
}

function showList() {
  byId("groups").replaceChildren(...state.groups.map((group) => {
    const mentions = Object.values(group.versions).flat(2);
    const button = make("button", { type: "button", className: group.decision ? "done" : "" },
      `${group.document}: ${words(group, mentions[0] ? first(group) : [])}`);
    button.setAttribute("aria-current", String(group === current));
    button.addEventListener("click", () => open(group));
    return make("li", {}, button);
  }));
}

const mentionsOf = (group) => {
  const found = new Map(Object.values(group.versions).flat(2).map((mention) => [written(mention), mention]));
  return [...found.values()].sort((one, other) => one[0][0] - other[0][0] || one.at(-1)[1] - other.at(-1)[1]);
};
const first = (group) => mentionsOf(group)[0];

function open(group) {
  current = group;
  const start = group.decision?.entities ?? Object.values(group.versions)[0];
  gold = start.map((entity) => [...entity]);
  action = group.decision?.action ?? `accept ${state.annotators[0]}`;
  chosen = new Set();
  byId("work").hidden = false;
  byId("reason").value = group.decision?.reason ?? "";
  showList();
  show();
  byId("title").focus();
}

function show() {
  const group = current;
  byId("title").textContent = `${group.document}: ${words(group, first(group))}`;
  byId("legend").replaceChildren(...state.annotators.map((name, lane) => make("span", {}, `line ${lane + 1}: ${name}`)));
  byId("accept").replaceChildren(...state.annotators.map((name, number) => {
    const button = make("button", { type: "button" }, make("kbd", {}, String(number + 1)), ` Accept ${name}`);
    button.addEventListener("click", () => accept(number));
    return button;
  }));
  showText();
  showGold();
  const decision = group.decision;
  byId("decided").textContent = decision
    ? `Decided: ${decision.action}${decision.by ? ` by ${decision.by}` : ""}, ${decision.time}` : "Not decided.";
}

function showText() {
  const { tokens, sentences } = state.documents[current.document];
  const mentions = mentionsOf(current);
  const blocks = [];
  let skipped = false;
  sentences.forEach((start, number) => {
    const stop = sentences[number + 1] ?? tokens.length;
    if (!mentions.some((mention) => mention.some(([a, b]) => a < stop && b > start))) {
      if (!skipped) blocks.push(make("p", { className: "gap" }, "…"));
      skipped = true;
      return;
    }
    skipped = false;
    const line = make("p", { className: "sentence" });
    for (let token = start; token < stop; token += 1) line.append(tokenElement(tokens[token], token));
    blocks.push(line);
  });
  byId("text").replaceChildren(...blocks);
}

function tokenElement(word, token) {
  const element = make("span", { className: "token", title: `token ${token}` }, word);
  for (const name of state.annotators) {
    const covering = current.versions[name].flatMap((entity, number) =>
      entity.filter((mention) => mention.some(([a, b]) => a <= token && token < b)).map((mention) => ({ mention, number })));
    const lane = make("span", { className: "lane" });
    if (covering.length) {
      // The shortest mention is shown; the labels of all that begin here are written.
      covering.sort((one, other) => size(one.mention) - size(other.mention));
      const { mention, number } = covering[0];
      lane.classList.add(`c${number % COLOURS}`);
      if (mention.some(([a]) => a === token)) lane.classList.add("start");
      if (mention.some(([, b]) => b === token + 1)) lane.classList.add("stop");
      lane.textContent = covering.filter((one) => one.mention[0][0] === token).map((one) => one.number + 1).join(",") || "\u00a0";
    } else {
      lane.classList.add("empty");
      lane.textContent = "\u00a0";
    }
    element.append(lane);
  }
  return element;
}

const size = (mention) => mention.reduce((sum, [a, b]) => sum + b - a, 0);

function showGold() {
  byId("gold").replaceChildren(...gold.map((entity, number) => make("div", { className: `entity e${number % COLOURS}` },
    ...entity.map((mention) => {
      const key = written(mention);
      const button = make("button", { type: "button", className: "mention", title: `tokens ${key}` }, words(current, mention));
      button.setAttribute("aria-pressed", String(chosen.has(key)));
      button.addEventListener("click", () => {
        if (!chosen.delete(key)) chosen.add(key);
        byId("span").value = chosen.size === 1 ? [...chosen][0] : "";
        showGold();
        [...document.querySelectorAll(".mention")].find((one) => one.title === `tokens ${key}`)?.focus();
      });
      return button;
    }))));
  showEntailed();
}

/** Links of the gold that no annotator has, and mentions that only some have. */
function showEntailed() {
  const owners = state.annotators.map((name) => new Map(current.versions[name].flatMap((entity, number) =>
    entity.map((mention) => [written(mention), number]))));
  const linked = (one, other) => owners.some((owner) => owner.has(one) && owner.get(one) === owner.get(other));
  const pairs = [];
  for (const entity of gold) {
    entity.forEach((one, at) => entity.slice(at + 1).forEach((other) => {
      if (!linked(written(one), written(other))) pairs.push(`${words(current, one)} – ${words(current, other)}`);
    }));
  }
  const taken = new Set(gold.flat().map(written));
  const dropped = mentionsOf(current).filter((mention) => !taken.has(written(mention)));
  const parts = [];
  if (pairs.length) parts.push(`links that no annotator has: ${pairs.length} (${pairs.slice(0, 3).join("; ")}${pairs.length > 3 ? "; …" : ""})`);
  if (dropped.length) parts.push(`mentions left out: ${dropped.slice(0, 5).map((m) => words(current, m)).join(", ")}${dropped.length > 5 ? ", …" : ""}`);
  byId("entailed").textContent = parts.length ? `This decision entails ${parts.join("; ")}.` : "";
}

function change(name, entities) {
  gold = entities.filter((entity) => entity.length);
  action = name;
  chosen = new Set();
  byId("span").value = "";
  showGold();
}

const isChosen = (mention) => chosen.has(written(mention));
const without = () => gold.map((entity) => entity.filter((mention) => !isChosen(mention)));
const picked = () => gold.flat().filter(isChosen);

function accept(number) {
  const name = state.annotators[number];
  if (name !== undefined) change(`accept ${name}`, current.versions[name].map((entity) => [...entity]));
}

function merge() {
  change("merge", chosen.size ? [...without(), picked()] : [mentionsOf(current)]);
}

function split() {
  if (chosen.size) change("split", [...without(), picked()]);
}

function drop() {
  if (chosen.size) change("drop", without());
}

function edit() {
  const span = readSpan(byId("span").value);
  if (chosen.size !== 1 || !span) {
    say("Choose one mention and write its tokens, such as 12-14.", true);
    return;
  }
  say("");
  change("edit", gold.map((entity) => entity.map((mention) => (isChosen(mention) ? span : mention))));
}

async function confirm() {
  const group = current;
  const [status, answer] = await send("decide", {
    group: group.id, revision: group.revision, entities: gold, action,
    by: byId("by").value, reason: byId("reason").value,
  });
  if (status === 409) {
    Object.assign(group, answer.group);
    open(group);
    say(`Not saved: this group was decided elsewhere in the meantime (${group.decision.action}). It is shown now; confirm again to replace it.`, true);
    showProgress();
  } else if (status !== 200) {
    say(`Not saved: ${answer.error}`, true);
  } else {
    Object.assign(group, answer.group);
    say("");
    showProgress();
    const next = state.groups.find((one) => !one.decision);
    if (next) open(next);
    else {
      open(group);
      say("All contested groups are decided.");
    }
  }
}

function step(by) {
  const at = state.groups.indexOf(current);
  open(state.groups[(at + by + state.groups.length) % state.groups.length]);
}

async function write() {
  const [status, answer] = await send("write", {});
  if (status === 200) say(`Gold written: ${answer.entities} entities with ${answer.mentions} mentions; ${answer.undecided} groups undecided and left out.`);
  else say(`Not written: ${answer.error}`, true);
}

const KEYS = { m: merge, s: split, d: drop, e: edit, n: () => step(1), p: () => step(-1), Enter: confirm };

onKey((key) => {
  if (!current) return false;
  if (/^[1-9]$/.test(key)) accept(Number(key) - 1);
  else if (KEYS[key]) KEYS[key]();
  else return false;
  return true;
});
for (const [id, function_] of Object.entries({ merge, split, drop, edit, confirm, write, next: KEYS.n, previous: KEYS.p })) {
  byId(id).addEventListener("click", function_);
}
rememberName();
state = await (await fetch("state")).json();
byId("write").hidden = !state.writes;
showProgress();
showList();
const start = state.groups.find((group) => !group.decision) ?? state.groups[0];
if (start) open(start);
else say("The annotators agree on everything.");
document.documentElement.dataset.started = "true";
