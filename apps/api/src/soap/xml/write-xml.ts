/** An element to write. Null and undefined children are left out. */
export interface XmlNode {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlChild[];
}

type XmlChild = XmlNode | string;

const NAME = /^[A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?$/u;

/** An element. Names are written unchanged and must be valid; values are escaped. */
export function xml(
  name: string,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (XmlChild | null | undefined)[]
): XmlNode {
  for (const one of [name, ...Object.keys(attributes)]) {
    if (!NAME.test(one)) throw new Error(`${JSON.stringify(one)} is no name of XML`);
  }
  return { name, attributes, children: children.filter((child) => child !== null && child !== undefined) };
}

/** A document in UTF-8, in consecutive parts. */
export function* xmlDocument(root: XmlNode): Generator<string> {
  yield '<?xml version="1.0" encoding="utf-8"?>\n';
  yield* partsOf(root);
}

/** The text of a document. */
export function writeXml(root: XmlNode): string {
  return [...xmlDocument(root)].join('');
}

function* partsOf({ name, attributes, children }: XmlNode): Generator<string> {
  const attributeTexts = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeAttribute(value)}"`);
  const start = `<${name}${attributeTexts.join('')}`;
  if (children.length === 0) {
    yield `${start}/>`;
    return;
  }
  yield `${start}>`;
  for (const child of children) {
    if (typeof child === 'string') yield escapeText(child);
    else yield* partsOf(child);
  }
  yield `</${name}>`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A line end that XML would read as a different line end is a reference. */
function escapeText(text: string): string {
  return sound(text).replaceAll(/[&<>\r]/gu, reference);
}

function escapeAttribute(text: string): string {
  return sound(text).replaceAll(/[&<>"\r\n\t]/gu, reference);
}

function reference(character: string): string {
  return entities[character] ?? `&#${character.charCodeAt(0)};`;
}

/** XML has no place for most control characters, not even as references, nor for half a pair: they become U+FFFD. */
function sound(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF\p{Surrogate}]/gu, '\uFFFD');
}
