/**
 * The beginnings of all texts. A node is a beginning, 0 is the empty beginning; shorter beginnings have lower numbers.
 * The nodes that are longer than a node by a unit follow each other in order of the unit, and are found by halving: a
 * hash could be made to collide by the choice of the texts. Numbers in typed arrays: objects need ten times the time
 * and memory.
 */
export interface TextTree {
  /** For each node its last unit. */
  readonly units: Uint16Array;
  /** For each node the first node that is longer by a unit, and the node behind the last. */
  readonly begins: Uint16Array;
  readonly ends: Uint16Array;
  /** For each node the longest other node at its end. */
  readonly fallbacks: Uint16Array;
  /** The texts of nodes that are whole texts. */
  readonly texts: ReadonlyMap<number, string>;
}

/**
 * Prepares to find many texts in one pass (Aho and Corasick): a webhook with fifty expressions on a long text must not
 * read the text fifty times, since other webhooks wait for the same match. The time grows with the length of the text
 * alone. The result is data and no function, for a cache that counts bytes.
 * @param wanted without empty texts, all together at most 65,534 UTF-16 units.
 */
export function createTextTree(wanted: readonly string[]): TextTree {
  const most = wanted.reduce((sum, { length }) => sum + length, 0);
  if (most > mostNodes) throw new RangeError(`texts to look for have ${most} characters: at most ${mostNodes}`);
  const emptyArray = () => new Uint16Array(most + 1);
  const [units, begins, ends, fallbacks, texts] = [
    emptyArray(),
    emptyArray(),
    emptyArray(),
    emptyArray(),
    new Map<number, string>(),
  ];
  const tree: TextTree = { units, begins, ends, fallbacks, texts };
  let last = 0;
  // All texts by a unit at a time: a fallback is shorter than its node, and therefore there already. In order of the
  // units: texts with the same beginning follow each other.
  let growing = [...new Set(wanted)].toSorted(byUnits).map((text) => ({ text, node: 0 }));
  for (let at = 0; growing.length > 0; at += 1) {
    let parentOfLast = -1;
    for (const one of growing) {
      const { text, node: parent } = one;
      const unit = text.charCodeAt(at);
      if (parent !== parentOfLast || units[last] !== unit) {
        last += 1;
        if (parent !== parentOfLast) begins[parent] = last;
        ends[parent] = last + 1;
        units[last] = unit;
        if (parent !== 0) fallbacks[last] = nextNode(tree, fallbacks[parent] ?? 0, unit);
        parentOfLast = parent;
      }
      one.node = last;
      if (at + 1 === text.length) texts.set(last, text);
    }
    growing = growing.filter(({ text }) => text.length > at + 1);
  }
  const used = (all: Uint16Array) => all.slice(0, last + 1);
  return { units: used(units), begins: used(begins), ends: used(ends), fallbacks: used(fallbacks), texts };
}

/** Which texts of a tree a text contains. */
export function textsIn(tree: TextTree, text: string): ReadonlySet<string> {
  const { fallbacks, texts } = tree;
  const foundTexts = new Set<string>();
  const isSeen = new Uint8Array(fallbacks.length);
  let node = 0;
  for (let at = 0; at < text.length && foundTexts.size < texts.size; at += 1) {
    node = nextNode(tree, node, text.charCodeAt(at));
    // The node and all fallbacks end here. Fallbacks of a seen node have been seen as well.
    for (let one = node; one !== 0 && isSeen[one] === 0; one = fallbacks[one] ?? 0) {
      isSeen[one] = 1;
      const whole = texts.get(one);
      if (whole !== undefined) foundTexts.add(whole);
    }
  }
  return foundTexts;
}

/** Nodes have 16 bits, and `ends` is one more than the last of them. */
const mostNodes = 65_534;

/** The longest node at the end of the text after a further unit. */
function nextNode(tree: TextTree, from: number, unit: number): number {
  for (let node = from; ; node = tree.fallbacks[node] ?? 0) {
    const next = longerNode(tree, node, unit);
    if (next !== 0 || node === 0) return next;
  }
}

/** The node that is longer by the unit; 0: no node. */
function longerNode({ units, begins, ends }: TextTree, node: number, unit: number): number {
  let low = begins[node] ?? 0;
  let high = (ends[node] ?? 0) - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const middleUnit = units[middle] ?? 0;
    if (middleUnit === unit) return middle;
    if (middleUnit < unit) low = middle + 1;
    else high = middle - 1;
  }
  return 0;
}

function byUnits(one: string, other: string): number {
  return one < other ? -1 : 1;
}
