// Links: what the part of the address after # says, and how it is written.
//
//   #errors                     a section
//   #errors?type=split%20entity a section with what is chosen in its table
//   #document/                  a document
//   #document/3/response        its entity 3, as this response has it
//   #document/!12/response      its twelfth error
//   #document/3/one/other       with another response under it
//   #document/3/one/other/errors+chains   only errors, without singletons
//
// Ids and names are percent-encoded, so that a slash in them does not count.

export function parseLink(hash) {
  const text = hash.replace(/^#/, "");
  if (!text.includes("/")) {
    const [section, query] = text.split("?");
    return { section: decoded(section), chosen: new Map(new URLSearchParams(query)) };
  }
  const [document, what = "", response = "", beside = "", layout = ""] = text.split("/").map(decoded);
  const error = /^!(\d+)$/.exec(what);
  return {
    document, response, beside,
    entity: error ? "" : what,
    error: error ? Number(error[1]) - 1 : null,
    options: new Set(layout.split("+")),
  };
}

export function writeLink(document, what = "", response = "", beside = "", layout = "") {
  const [first, ...others] = [document, what, response, beside, layout].map(encodeURIComponent);
  return `#${first}/${others.join("/").replace(/\/+$/, "")}`;
}

/** The address of a section, with pairs of a name and a value that are chosen there. */
export function sectionLink(section, pairs = []) {
  const query = pairs.map((pair) => pair.map(encodeURIComponent).join("=")).join("&");
  return query ? `#${section}?${query}` : `#${section}`;
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
