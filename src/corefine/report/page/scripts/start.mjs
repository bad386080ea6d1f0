// Keys, colour scheme, printing, and the beginning of everything.

import { App } from "./app.mjs";
import { announce, byId } from "./dom.mjs";
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

/** On a phone the header is one line, which opens. */
function openMenu() {
  const button = byId("open-menu");
  const header = button.closest("header");
  const turn = (open) => {
    header.classList.toggle("open", open);
    button.setAttribute("aria-expanded", String(open));
  };
  button.addEventListener("click", () => turn(!header.classList.contains("open")));
  header.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !header.classList.contains("open")) return;
    turn(false);
    button.focus();
  });
  document.addEventListener("menu-closed", () => turn(false));
}

/** Put the signature of the scores into the clipboard or, where that is refused, select it. */
function copySignature() {
  const text = byId("signature");
  byId("copy-signature").addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text.textContent);
      announce("The signature is copied.");
      byId("copy-signature").textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(text);
      announce("The signature is selected: copy it with the keyboard.");
    }
  });
}

const PRINTED_TOKENS = 30000;
const FILLED_DOCUMENTS = 300; // beyond that tables are filled when they are shown

async function start() {
  const store = new Store((name) => byId(`chunk-${name}`)?.textContent);
  const app = new App(store, await store.chunk("meta"));
  listenToKeys(app);
  chooseScheme();
  measureHeader();
  copySignature();
  openMenu();
  byId("open-help").addEventListener("click", () => byId("help").showModal());
  byId("print").addEventListener("click", async () => {
    await app.fillAll();
    window.print();
  });
  window.addEventListener("beforeprint", () => {
    byId("signature").closest("details").open = true;
    if (app.page && app.page.words.length <= PRINTED_TOKENS) app.text.drawAll();
  });
  await app.route(false);
  document.documentElement.dataset.started = "yes";
  // Paper gets all sections, and a browser that prints does not wait for tables.
  if (app.documents.shown.length <= FILLED_DOCUMENTS) {
    (window.requestIdleCallback || setTimeout)(() => app.fillAll().then(() => {
      document.documentElement.dataset.filled = "yes";
    }));
  }
}

/** Say what went wrong, be it at the start or when a part is opened later. */
function fail(error) {
  byId("failure").hidden = false;
  byId("failure").textContent = `This part of the report could not be opened: ${error.message}`;
}

window.addEventListener("unhandledrejection", (event) => fail(event.reason));
start().catch(fail);
