/** Which of several texts a longer one contains. */
export type TextSearch = (text: string) => ReadonlySet<string>;

/**
 * Finds many texts in one pass (Aho and Corasick): a webhook with fifty expressions on one long text must not read it
 * fifty times, since others wait for the same match. The time grows with the length of the text alone, whatever both
 * consist of.
 * @param wanted none of them empty.
 */
export function createTextSearch(wanted: readonly string[]): TextSearch {
  const tree = treeOf(wanted);
  const fallbacks = fallbacksOf(tree);
  const { children, ends } = tree;
  return (text) => {
    const found = new Set<string>();
    const isSeen = new Uint8Array(ends.length);
    let node = 0;
    for (let at = 0; at < text.length && found.size < wanted.length; at += 1) {
      const unit = text.charCodeAt(at);
      node = nextNode(children, fallbacks, node, unit);
      // What ends here are this node and its fallbacks. Those of a node that was seen have been seen as well.
      for (let one = node; one !== 0 && isSeen[one] === 0; one = fallbacks[one] ?? 0) {
        isSeen[one] = 1;
        const end = ends[one];
        if (end !== undefined) found.add(end);
      }
    }
    return found;
  };
}

/** The beginnings of all texts. A node is one of them, 0 is the empty one; those of a text follow each other. */
interface Tree {
  /** By `edgeOf`. */
  readonly children: Map<number, number>;
  readonly nodes: { readonly parent: number; readonly unit: number; readonly depth: number }[];
  /** The text that a node is, where it is a whole one. */
  readonly ends: (string | undefined)[];
}

const units = 65_536;

/** The edge from a node to the one that is a UTF-16 unit longer. One map of numbers takes a tenth of a map per node. */
function edgeOf(node: number, unit: number): number {
  return node * units + unit;
}

function treeOf(texts: readonly string[]): Tree {
  const tree: Tree = { children: new Map(), nodes: [{ parent: 0, unit: 0, depth: 0 }], ends: [undefined] };
  for (const text of texts) {
    let node = 0;
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      let child = tree.children.get(edgeOf(node, unit));
      if (child === undefined) {
        child = tree.nodes.push({ parent: node, unit, depth: at + 1 }) - 1;
        tree.ends.push(undefined);
        tree.children.set(edgeOf(node, unit), child);
      }
      node = child;
    }
    tree.ends[node] = text;
  }
  return tree;
}

/** For each node the longest other node that it ends with. */
function fallbacksOf({ children, nodes }: Tree): Int32Array {
  const fallbacks = new Int32Array(nodes.length);
  const byDepth = nodes.map((node, id) => ({ ...node, id })).toSorted((one, other) => one.depth - other.depth);
  for (const { id, parent, unit, depth } of byDepth) {
    if (depth > 1) fallbacks[id] = nextNode(children, fallbacks, fallbacks[parent] ?? 0, unit);
  }
  return fallbacks;
}

/** The longest node that the text ends with after one unit more. */
function nextNode(children: ReadonlyMap<number, number>, fallbacks: Int32Array, from: number, unit: number): number {
  for (let node = from; ; node = fallbacks[node] ?? 0) {
    const next = children.get(edgeOf(node, unit));
    if (next !== undefined) return next;
    if (node === 0) return 0;
  }
}
