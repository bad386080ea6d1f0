// Elements and requests that all pages of the workbench need; placed before the script of a page.

const byId = (id) => document.getElementById(id);

function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

function say(text, bad = false) {
  byId("message").textContent = text;
  byId("message").classList.toggle("bad", bad);
  byId("message").hidden = !text;
}

async function send(path, body) {
  try {
    const response = await fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return [response.status, await response.json()];
  } catch {
    return [0, { error: "The server does not answer. Start it again with the same --log: decisions that were confirmed are kept." }];
  }
}

/** Keep the name of the person who decides. */
function rememberName() {
  byId("by").value = localStorage.getItem("by") ?? "";
  byId("by").addEventListener("change", () => localStorage.setItem("by", byId("by").value));
}

/** Call a function for a key, unless a text is being written or a button pressed. */
function onKey(handle) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input[type=text]")) return;
    if (event.key === "Enter" && event.target.matches("button")) return;
    if (handle(event.key)) event.preventDefault();
  });
}
