// Searching the words of all documents, the one in view first.

const FOUND_SHOWN = 300;
const CONTEXT = 6;

class Search {
  /** @param open called with (document, token, length) when a place is chosen */
  constructor(store, meta, current, open) {
    Object.assign(this, { store, meta, current, open });
    this.turn = 0;
    this.list = byId("found");
    this.box = byId("search");
    byId("search-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.run(this.box.value);
    });
    byId("search-close").addEventListener("click", () => this.close());
    byId("search-results").addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.close();
    });
  }

  close() {
    this.turn++;
    byId("search-results").hidden = true;
    if (window.CSS && CSS.highlights) CSS.highlights.delete("found");
    this.box.focus();
  }

  async run(text) {
    const words = text.trim().toLocaleLowerCase().split(/\s+/u).filter(Boolean);
    if (!words.length) return;
    const turn = ++this.turn;
    const count = byId("search-count");
    byId("search-results").hidden = false;
    fill(this.list);
    let found = 0;
    const total = this.meta.shown.length;
    const here = this.current();
    const order = [here, ...Array.from({ length: total }, (_, at) => at).filter((at) => at !== here)];
    for (const [done, number] of order.entries()) {
      const data = await this.store.document(number);
      if (turn !== this.turn) return;
      for (const [token, length] of occurrences(data.words, words)) {
        if (found < FOUND_SHOWN) this.list.append(this.item(data, number, token, length));
        found++;
      }
      if (done % 8 === 7) count.textContent = `${counted(found, "place")} in ${done + 1} of ${total} documents …`;
    }
    const more = found > FOUND_SHOWN ? `, the first ${FOUND_SHOWN} shown` : "";
    count.textContent = `${counted(found, "place")} in ${counted(total, "document")}${more}`;
    const first = this.list.querySelector("button");
    if (first) first.focus();
  }

  item(data, number, token, length) {
    const before = data.words.slice(Math.max(0, token - CONTEXT), token).join(" ");
    const after = data.words.slice(token + length, token + length + CONTEXT).join(" ");
    return make("li", {}, make("button", {
      type: "button",
      on: { click: () => this.open(number, token, length) },
    },
    make("span", { className: "context", dir: "auto" }, before, " ",
      make("mark", {}, data.words.slice(token, token + length).join(" ")), " ", after),
    make("small", {}, make("bdi", {}, this.meta.shown[number]))));
  }
}

/** Places where the words follow each other; the first may be the end, the last the start of one. */
function* occurrences(text, words) {
  const last = words.length - 1;
  for (let token = 0; token + last < text.length; token++) {
    const fits = words.every((word, at) => {
      const here = text[token + at].toLocaleLowerCase();
      if (last === 0) return here.includes(word);
      return at === 0 ? here.endsWith(word) : at === last ? here.startsWith(word) : here === word;
    });
    if (fits) yield [token, words.length];
  }
}
