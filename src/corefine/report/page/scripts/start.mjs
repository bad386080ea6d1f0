// Keys, colour scheme, printing, and the beginning of everything.

import { App } from "./app.mjs";
import { byId } from "./dom.mjs";
import { Store } from "./store.mjs";

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

/** Tell the style how high the header is: what sticks below it must know. */
function measureHeader() {
  const header = document.querySelector("header.top");
  new ResizeObserver(() => {
    document.documentElement.style.setProperty("--header", `${header.offsetHeight}px`);
  }).observe(header);
}

const PRINTED_TOKENS = 30000;

async function start() {
  const store = new Store((name) => byId(`chunk-${name}`)?.textContent);
  const app = new App(store, await store.chunk("meta"));
  listenToKeys(app);
  chooseScheme();
  measureHeader();
  byId("open-help").addEventListener("click", () => byId("help").showModal());
  byId("print").addEventListener("click", () => window.print());
  window.addEventListener("beforeprint", () => {
    if (app.page && app.page.words.length <= PRINTED_TOKENS) app.text.drawAll();
  });
  await app.route(false);
  document.documentElement.dataset.started = "yes";
}

/** Say what went wrong, be it at the start or when a part is opened later. */
function fail(error) {
  byId("failure").hidden = false;
  byId("failure").textContent = `This part of the report could not be opened: ${error.message}`;
}

window.addEventListener("unhandledrejection", (event) => fail(event.reason));
start().catch(fail);
