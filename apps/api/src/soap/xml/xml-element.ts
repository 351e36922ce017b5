/** The namespace of version 1.6, of every element of the API. */
export const ATWS = 'http://autotask.net/ATWS/v1_6/';

/** The name of an element, attribute or type: the namespace of its prefix, and the local name. */
export interface XmlName {
  /** Empty: in no namespace. */
  readonly namespace: string;
  readonly name: string;
}

/** A parsed element; comments are left out, CDATA is text. */
export interface XmlElement extends XmlName {
  /** The value of `xsi:type`, with the prefix resolved. */
  readonly type: XmlName | undefined;
  /** Whether `xsi:nil` marks the value as absent. */
  readonly isNil: boolean;
  /** Without declarations of namespaces. */
  readonly attributes: readonly (XmlName & { readonly value: string })[];
  readonly children: readonly XmlElement[];
  /** All text directly within the element. */
  readonly text: string;
}

export const XSI = 'http://www.w3.org/2001/XMLSchema-instance';
export const XSD = 'http://www.w3.org/2001/XMLSchema';

/** Whether an element has a name. */
export function isNamed(element: XmlName, { namespace, name }: XmlName): boolean {
  return element.name === name && element.namespace === namespace;
}

/** The children with a local name, in any case and namespace. */
export function childrenNamed({ children }: XmlElement, name: string): XmlElement[] {
  const folded = name.toLowerCase();
  return children.filter((child) => child.name.toLowerCase() === folded);
}

/** The text of the first child with a local name, without blanks around; undefined without such a child. */
export function childText(element: XmlElement, name: string): string | undefined {
  return childrenNamed(element, name)[0]?.text.trim();
}
