// Keys, colour scheme, printing, and the beginning of everything.

function listenToKeys(app) {
  const actions = {
    "n": () => app.stepError(1),
    "p": () => app.stepError(-1),
    "]": () => app.stepDocument(1),
    "[": () => app.stepDocument(-1),
    "/": () => byId("search").focus(),
    "?": () => byId("help").showModal(),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !byId("shortcuts").checked) return;
    if (event.target.closest?.("input, select, textarea, dialog")) return;
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

function chooseScheme() {
  const scheme = byId("scheme");
  scheme.addEventListener("change", () => {
    document.documentElement.dataset.scheme = scheme.value;
  });
}

const PRINTED_TOKENS = 30000;

async function start() {
  const store = new Store();
  const app = new App(store, await store.chunk("meta"));
  listenToKeys(app);
  chooseScheme();
  byId("open-help").addEventListener("click", () => byId("help").showModal());
  byId("print").addEventListener("click", () => window.print());
  window.addEventListener("beforeprint", () => {
    if (app.page && app.page.words.length <= PRINTED_TOKENS) app.text.drawAll();
  });
  await app.route(false);
  document.documentElement.dataset.started = "yes";
}

start().catch((error) => {
  byId("failure").hidden = false;
  byId("failure").textContent = `This part of the report could not be opened: ${error.message}`;
});
