// The data of the page: compressed chunks, unpacked when they are first asked for.

const RAW_BUDGET = 64 * 2 ** 20; // bytes of unpacked documents that are kept

class Store {
  constructor() {
    this.kept = new Map();
    this.bytes = 0;
  }

  /** The value of a chunk. Documents are dropped again, oldest first, when they are too many. */
  async chunk(name) {
    const known = this.kept.get(name);
    if (known) {
      this.kept.delete(name);
      this.kept.set(name, known);
      return known.value;
    }
    const source = byId(`chunk-${name}`);
    if (!source) throw new Error(`The report has no part called ${name}.`);
    const packed = Uint8Array.from(atob(source.textContent.trim()), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    const text = await new Response(stream).text();
    const value = JSON.parse(text);
    this.kept.set(name, { value, size: 2 * text.length });
    this.bytes += 2 * text.length;
    for (const [oldest, { size }] of this.kept) {
      if (this.bytes <= RAW_BUDGET || oldest === name) break;
      if (!oldest.startsWith("d")) continue;
      this.kept.delete(oldest);
      this.bytes -= size;
    }
    return value;
  }

  document(number) {
    return this.chunk(`d${number}`);
  }
}
