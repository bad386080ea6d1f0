// The data of the page: compressed chunks, unpacked when they are first asked for.

const RAW_BUDGET = 64 * 2 ** 20; // bytes of unpacked documents that are kept

/** The text of a chunk: deflated without a header, in base64. */
export async function unpack(packed) {
  const bytes = Uint8Array.from(atob(packed.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).text();
}

export class Store {
  /** @param source gives the packed text of a chunk by its name, or undefined */
  constructor(source, budget = RAW_BUDGET) {
    this.source = source;
    this.budget = budget;
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
    const packed = this.source(name);
    if (packed === undefined) throw new Error(`The report has no part called ${name}.`);
    const text = await unpack(packed);
    // Whoever asked at the same time may have been faster.
    return this.kept.get(name)?.value ?? this.keep(name, JSON.parse(text), 2 * text.length);
  }

  keep(name, value, size) {
    this.kept.set(name, { value, size });
    this.bytes += size;
    for (const [oldest, { size: freed }] of this.kept) {
      if (this.bytes <= this.budget || oldest === name) break;
      if (!/^d\d+$/.test(oldest)) continue;
      this.kept.delete(oldest);
      this.bytes -= freed;
    }
    return value;
  }
}
