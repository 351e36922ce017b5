/** Which of several texts a longer one contains. */
export type TextSearch = (text: string) => ReadonlySet<string>;

/**
 * Finds many texts in one pass (Aho and Corasick): a webhook with fifty expressions on one long text must not read it
 * fifty times, since others wait for the same match. The time grows with the length of the text alone, whatever both
 * consist of. Made of numbers in typed arrays: with objects and a Map, fifty texts of 250 characters took ten times as
 * long to prepare, which a match waits for as well, and three times the memory.
 * @param wanted none of them empty, all together at most 65,535 UTF-16 units.
 */
export function createTextSearch(wanted: readonly string[]): TextSearch {
  const { children, fallbacks, ends } = treeOf(wanted);
  return (text) => {
    const found = new Set<string>();
    const isSeen = new Uint8Array(fallbacks.length);
    let node = 0;
    for (let at = 0; at < text.length && found.size < wanted.length; at += 1) {
      const unit = text.charCodeAt(at);
      node = nextNode(children, fallbacks, node, unit);
      // What ends here are this node and its fallbacks. Those of a node that was seen have been seen as well.
      for (let one = node; one !== 0 && isSeen[one] === 0; one = fallbacks[one] ?? 0) {
        isSeen[one] = 1;
        const end = ends.get(one);
        if (end !== undefined) found.add(end);
      }
    }
    return found;
  };
}

/** The beginnings of all texts. A node is one of them, 0 is the empty one; shorter ones have lower numbers. */
interface Tree {
  readonly children: Edges;
  /** For each node the longest other node that it ends with. */
  readonly fallbacks: Uint16Array;
  /** The texts that nodes are, where they are whole ones. */
  readonly ends: ReadonlyMap<number, string>;
}

function treeOf(texts: readonly string[]): Tree {
  const most = texts.reduce((sum, { length }) => sum + length, 0);
  if (most > mostNodes) throw new RangeError(`texts to look for have ${most} characters: at most ${mostNodes}`);
  const children = new Edges(most);
  const fallbacks = new Uint16Array(most + 1);
  const ends = new Map<number, string>();
  let nodes = 0;
  // All texts by one unit at a time: a fallback is shorter than its node, so it is there already.
  let growing = texts.map((text) => ({ text, node: 0 }));
  for (let at = 0; growing.length > 0; at += 1) {
    for (const one of growing) {
      const { text, node: parent } = one;
      const unit = text.charCodeAt(at);
      one.node = children.get(parent, unit);
      if (one.node === 0) {
        nodes += 1;
        one.node = nodes;
        children.set(parent, unit, nodes);
        if (parent !== 0) fallbacks[nodes] = nextNode(children, fallbacks, fallbacks[parent] ?? 0, unit);
      }
      if (at + 1 === text.length) ends.set(one.node, text);
    }
    growing = growing.filter(({ text }) => text.length > at + 1);
  }
  return { children, fallbacks: fallbacks.slice(0, nodes + 1), ends };
}

/** The longest node that the text ends with after one unit more. */
function nextNode(children: Edges, fallbacks: Uint16Array, from: number, unit: number): number {
  for (let node = from; ; node = fallbacks[node] ?? 0) {
    const next = children.get(node, unit);
    if (next !== 0 || node === 0) return next;
  }
}

const mostNodes = 65_535;
const units = 65_536;

/** From a node and a UTF-16 unit to the node that is that unit longer: a table with open addresses, half of it empty. */
class Edges {
  readonly #keys: Uint32Array;
  /** 0: the place is empty, since no edge leads to the empty text. */
  readonly #nodes: Uint16Array;
  readonly #shift: number;

  constructor(most: number) {
    const bits = Math.max(1, Math.ceil(Math.log2(2 * most + 1)));
    this.#keys = new Uint32Array(2 ** bits);
    this.#nodes = new Uint16Array(2 ** bits);
    this.#shift = 32 - bits;
  }

  /** 0: there is none. */
  get(node: number, unit: number): number {
    return this.#nodes[this.#placeOf(node * units + unit)] ?? 0;
  }

  set(node: number, unit: number, longer: number): void {
    const key = node * units + unit;
    const place = this.#placeOf(key);
    this.#keys[place] = key;
    this.#nodes[place] = longer;
  }

  /** The place of a key, or the empty one where it belongs. */
  #placeOf(key: number): number {
    const last = this.#keys.length - 1;
    // The first bits of the product with the golden ratio: keys that follow each other are spread (Knuth).
    let place = Math.imul(key, 0x9e37_79b1) >>> this.#shift;
    while (this.#nodes[place] !== 0 && this.#keys[place] !== key) place = (place + 1) & last;
    return place;
  }
}
