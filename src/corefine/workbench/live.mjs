// The page of runs: scores, the difference between two runs, and the report in a frame.

const embedded = JSON.parse(byId("data").textContent); // in an exported site
let state = null;

const reportAddress = (link = "") => (embedded ? `report.html${link}` : `report?version=${state.version}${link}`);

async function get(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(String(response.status));
  return response.json();
}

function showRuns() {
  const metrics = [...new Set(state.runs.flatMap((run) => Object.keys(run.scores)))];
  const head = make("tr", {}, make("th", { scope: "col" }, "run"), ...metrics.map((name) => make("th", { scope: "col", className: "number" }, name)));
  const rows = state.runs.map((run) => make("tr", {},
    make("th", { scope: "row" }, run.name),
    ...metrics.map((name) => make("td", { className: "number" }, name in run.scores ? (100 * run.scores[name]).toFixed(2) : "–"))));
  const problems = state.runs.filter((run) => run.problem).map((run) => make("p", { className: "note" }, `${run.name}: ${run.problem}`));
  byId("runs").replaceChildren(make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)), ...problems);
  byId("progress").textContent = `${state.runs.length} ${state.runs.length === 1 ? "run" : "runs"} against ${state.key}; version ${state.version}`;
  byId("message").textContent = state.note;
  byId("message").hidden = !state.note;
}

function showChoices() {
  const names = state.runs.filter((run) => Object.keys(run.scores).length).map((run) => run.name);
  for (const [id, at] of [["first", 0], ["second", names.length - 1]]) {
    const before = byId(id).value;
    byId(id).replaceChildren(...names.map((name) => make("option", { value: name }, name)));
    byId(id).value = names.includes(before) ? before : names[at] ?? "";
  }
}

async function showDifference() {
  const [first, second] = [byId("first").value, byId("second").value];
  byId("items").hidden = true;
  byId("difference").textContent = "";
  if (!first || first === second) return;
  const found = embedded ? embedded.comparisons[`${first}\n${second}`]
    : await get(`compare?first=${encodeURIComponent(first)}&second=${encodeURIComponent(second)}`);
  byId("difference").textContent = `fixed ${found.fixed.length} errors, introduced ${found.introduced.length}`;
  byId("items").hidden = !(found.fixed.length + found.introduced.length);
  byId("lists").replaceChildren(...["fixed", "introduced"].flatMap((name) => [
    make("h3", {}, name),
    make("ul", {}, ...found[name].map((item) => {
      const link = make("a", { href: reportAddress(item.link) }, `${item.document}: ${item.words} (${item.level})`);
      link.addEventListener("click", (event) => {
        event.preventDefault();
        byId("report").src = reportAddress(item.link);
      });
      return make("li", {}, link);
    })),
  ]));
}

async function update() {
  const before = state?.version;
  state = embedded ? embedded.state : await get("state");
  if (state.version === before) return;
  showRuns();
  showChoices();
  let hash = "";
  try {
    hash = byId("report").contentWindow.location.hash;
  } catch {
    hash = ""; // a report opened from disk is another origin
  }
  byId("report").src = reportAddress(hash);
  await showDifference();
}

for (const id of ["first", "second"]) byId(id).addEventListener("change", showDifference);
await update();
if (!embedded) {
  const events = new EventSource("events");
  events.addEventListener("message", update);
  events.addEventListener("error", () => {
    byId("message").textContent = "The server does not answer.";
    byId("message").hidden = false;
  });
}
document.documentElement.dataset.started = "true";
