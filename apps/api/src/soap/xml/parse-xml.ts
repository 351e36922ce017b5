import { SaxesParser, type SaxesAttributeNS, type SaxesTagNS } from 'saxes';
import { Problem } from '@callout/domain/problem';
import { type XmlElement, type XmlName, XSI } from './xml-element.ts';

/** More than any call needs: 200 entities with all fields are a quarter of the limit. */
export const MAX_ELEMENTS = 20_000;
const MAX_DEPTH = 32;
/** Of an element, declarations of namespaces included. */
const MAX_ATTRIBUTES = 50;

/** Of all elements. Each field of a call has two at most, for the type and for an absent value. */
const MAX_ATTRIBUTES_IN_ALL = 2 * MAX_ELEMENTS;

const XMLNS = 'http://www.w3.org/2000/xmlns/';

type Mutable = { -readonly [Key in keyof XmlElement]: XmlElement[Key] } & { readonly children: XmlElement[] };

/**
 * Reads an XML document. The parser is strict and knows namespaces, and resolves only the five entities of XML and
 * references to characters. Throws an `invalid` Problem for text that is not well-formed, has a document type or a
 * processing instruction, or is larger than any call: during reading, without the rest.
 * @param what the name of the document in messages, like `The body`.
 */
export function parseXml(text: string, what: string): XmlElement {
  const parser = new SaxesParser({ xmlns: true });
  const refuse = (why: string): never => {
    throw Problem.invalid(`${what} ${why}`);
  };
  const openElements: Mutable[] = [];
  let root: XmlElement | undefined;
  let elements = 0;
  let attributes = 0;
  let attributesInAll = 0;

  // Both are reported at their end: no declaration is ever used.
  parser.on('doctype', () => refuse('must not have a document type (DOCTYPE)'));
  parser.on('processinginstruction', () => refuse('must not have processing instructions'));
  parser.on('opentagstart', () => {
    attributes = 0;
    elements += 1;
    if (elements > MAX_ELEMENTS) refuse(`has more than ${MAX_ELEMENTS} elements`);
    if (openElements.length >= MAX_DEPTH) refuse(`is nested deeper than ${MAX_DEPTH} levels`);
  });
  parser.on('attribute', () => {
    attributes += 1;
    attributesInAll += 1;
    if (attributesInAll > MAX_ATTRIBUTES_IN_ALL) refuse(`has more than ${MAX_ATTRIBUTES_IN_ALL} attributes`);
    if (attributes > MAX_ATTRIBUTES) refuse(`has an element with more than ${MAX_ATTRIBUTES} attributes`);
  });
  parser.on('opentag', (tag) => {
    const element = elementOf(
      tag,
      (prefix) => parser.resolve(prefix) ?? refuse(`uses the undeclared prefix ${prefix}`),
    );
    openElements.at(-1)?.children.push(element);
    root ??= element;
    openElements.push(element);
  });
  parser.on('closetag', () => void openElements.pop());
  const append = (more: string) => {
    const element = openElements.at(-1);
    if (element !== undefined) element.text += more;
  };
  parser.on('text', append);
  parser.on('cdata', append);
  parser.on('error', (error) => refuse(`is not well-formed XML: ${error.message}`));
  parser.write(text).close();
  return root ?? refuse('is empty');
}

function elementOf({ uri, local, attributes }: SaxesTagNS, resolve: (prefix: string) => string): Mutable {
  const all = Object.values(attributes).filter((one) => one.uri !== XMLNS);
  const ofInstance = (name: string) => all.find((one) => one.uri === XSI && one.local === name)?.value.trim();
  const type = ofInstance('type');
  const nil = ofInstance('nil');
  return {
    namespace: uri,
    name: local,
    type: type === undefined || type === '' ? undefined : qualified(type, resolve),
    isNil: nil === 'true' || nil === '1',
    attributes: all.map((one: SaxesAttributeNS) => ({ namespace: one.uri, name: one.local, value: one.value })),
    children: [],
    text: '',
  };
}

/** The name in a value like `tns:Account`. Without a prefix the name is in the default namespace. */
function qualified(text: string, resolve: (prefix: string) => string): XmlName {
  const colon = text.indexOf(':');
  if (colon === -1) return { namespace: resolve(''), name: text };
  return { namespace: resolve(text.slice(0, colon)), name: text.slice(colon + 1) };
}
