// Elements. Text from files only ever becomes a text node or an attribute that is not code.

/** Make an element: properties by name, the group of its `data`, then children. */
export function make(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (key === "data") Object.assign(element.dataset, value);
    else if (key in element && key !== "dir") element[key] = value;
    else element.setAttribute(key, value);
  }
  fill(element, ...children);
  return element;
}

/** Make an element of a drawing, with attributes and children. */
export function draw(name, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  fill(element, ...children);
  return element;
}

export const byId = (id) => document.getElementById(id);

/** Put children, or lists of them, in the place of all that an element holds; null is no child. */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat(3).filter((child) => child !== null && child !== undefined));
}

/** Say something to those who listen to the page instead of looking at it. */
export function announce(text) {
  byId("status").textContent = text;
}

/** Text from a file inside a sentence, kept apart from its direction. */
export const quoted = (text) => make("q", {}, make("bdi", {}, text));

/** A sentence whose words from the text are given as {quote}. */
export const withQuotes = (sentence) => sentence.map((part) => (part.quote === undefined ? part : quoted(part.quote)));

/** The value of a chunk: JSON, compressed with gzip, in base64. */
export async function unpack(packed) {
  const bytes = Uint8Array.from(atob(packed.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

/** The packed text of a chunk of the page, or undefined. */
export const chunk = (name) => byId(`chunk-${name}`)?.textContent;
