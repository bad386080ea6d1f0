// The page of suspects: places where systems agree against the key, marked one by one.

const MARKS = ["key wrong", "systems wrong", "debatable"];
let suspects = [];
let current = null;

function showList() {
  const done = suspects.filter((one) => one.mark).length;
  byId("progress").textContent = `${done} of ${suspects.length} suspects marked`;
  byId("list").replaceChildren(...suspects.map((one) => {
    const button = make("button", { type: "button", className: one.mark ? "done" : "" }, `${one.type}: ${one.text}`);
    button.setAttribute("aria-current", String(one === current));
    button.addEventListener("click", () => open(one));
    return make("li", {}, button);
  }));
}

function open(suspect) {
  current = suspect;
  byId("work").hidden = false;
  byId("title").textContent = `${suspect.document}: ${suspect.type}`;
  byId("text").textContent = suspect.text;
  byId("sentence").textContent = suspect.sentence;
  byId("systems").textContent = `${suspect.systems.join(", ")} agree; they would gain ${(100 * suspect.gain).toFixed(2)} LEA points on average; log odds ${suspect.odds.toFixed(2)}.`;
  const mark = suspect.mark;
  byId("reason").value = mark?.reason ?? "";
  byId("marked").textContent = mark ? `Marked: ${mark.mark}${mark.by ? ` by ${mark.by}` : ""}, ${mark.time}` : "Not marked.";
  byId("marks").replaceChildren(...MARKS.map((name, number) => {
    const button = make("button", { type: "button" }, make("kbd", {}, String(number + 1)), ` ${name}`);
    button.setAttribute("aria-pressed", String(mark?.mark === name));
    button.addEventListener("click", () => give(name));
    return button;
  }));
  showList();
  byId("title").focus();
}

async function give(name) {
  const suspect = current;
  const [status, answer] = await send("mark", {
    suspect: suspect.id, revision: suspect.revision, mark: name, by: byId("by").value, reason: byId("reason").value,
  });
  if (answer.suspect) Object.assign(suspect, answer.suspect);
  if (status === 200) {
    say("");
    const after = suspects.slice(suspects.indexOf(suspect));
    open([...after, ...suspects].find((one) => !one.mark) ?? suspect);
  } else {
    if (status === 409) open(suspect);
    say(`Not saved: ${answer.error}`, true);
  }
}

function step(by) {
  open(suspects[(suspects.indexOf(current) + by + suspects.length) % suspects.length]);
}

onKey((key) => {
  if (!current) return false;
  if (/^[1-3]$/.test(key)) give(MARKS[Number(key) - 1]);
  else if (key === "n" || key === "p") step(key === "n" ? 1 : -1);
  else return false;
  return true;
});
byId("next").addEventListener("click", () => step(1));
byId("previous").addEventListener("click", () => step(-1));
rememberName();
suspects = await (await fetch("state")).json();
if (suspects.length) open(suspects.find((one) => !one.mark) ?? suspects[0]);
else say("No two systems agree against the key.");
document.documentElement.dataset.started = "true";
