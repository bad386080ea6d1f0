// Links: what the part of the address after # says, and how it is written.
//
//   #errors                     a section
//   #document/                  a document
//   #document/3/response        its entity 3, as this response has it
//   #document/!12/response      its twelfth error
//
// Ids and names are percent-encoded, so that a slash in them does not count.

export function parseLink(hash) {
  const text = hash.replace(/^#/, "");
  if (!text.includes("/")) return { section: decoded(text) };
  const [document, what = "", response = ""] = text.split("/").map(decoded);
  const error = /^!(\d+)$/.exec(what);
  return {
    document,
    entity: error ? "" : what,
    error: error ? Number(error[1]) - 1 : null,
    response,
  };
}

export function writeLink(document, what = "", response = "") {
  const parts = [document, what, response].map(encodeURIComponent);
  if (!response) parts.pop();
  return `#${parts.join("/")}`;
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The address, where the page has one: in a frame of a notebook it only remembers. */
export class Address {
  constructor(changed) {
    this.hash = location.hash;
    this.changed = changed;
    window.addEventListener("hashchange", () => {
      if (location.hash === this.hash) return;
      this.hash = location.hash;
      changed(false);
    });
    document.addEventListener("click", (event) => {
      const link = event.target.closest?.("a[href^='#']");
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.go(link.getAttribute("href"));
    });
  }

  go(hash) {
    this.record(hash, "pushState");
    this.changed(true);
  }

  record(hash, how = "replaceState") {
    this.hash = hash;
    try {
      history[how](null, "", hash);
    } catch {
      // A frame without an address of its own: links still work, they are only not in the address.
    }
  }
}
