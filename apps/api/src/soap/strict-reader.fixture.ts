import type { XmlElement } from './xml/xml-element.ts';

/** An element, as a strict reader reads it. */
interface StrictlyRead {
  /** By name. */
  readonly values: Readonly<Record<string, string>>;
  /** Names that came too late, or that are unknown. */
  readonly dropped: readonly string[];
}

/**
 * Reads an element as programs do that .NET's XmlSerializer makes of a description (`Order = n`): it goes through the
 * members in their order, and once one was passed by, an element of that name is dropped, as is everything after an
 * unknown one.
 */
export function readStrictly(element: XmlElement, members: readonly string[]): StrictlyRead {
  const values: Record<string, string> = {};
  const dropped: string[] = [];
  let next = 0;
  for (const { name, text } of element.children) {
    const place = members.indexOf(name, next);
    if (place === -1) {
      dropped.push(name);
      next = members.length;
      continue;
    }
    values[name] = text;
    next = place + 1;
  }
  return { values, dropped };
}

/** The members of an entity in the order of a description: the common ones, then its own. */
export function membersOf(description: XmlElement, entityName: string): string[] {
  const named = (element: XmlElement, name: string): XmlElement[] => [
    ...element.children.filter((child) => child.name === name),
    ...element.children.flatMap((child) => named(child, name)),
  ];
  const nameOf = ({ attributes }: XmlElement) => attributes.find(({ name }) => name === 'name')?.value ?? '';
  const types = named(description, 'complexType');
  return ['Entity', entityName].flatMap((type) =>
    types.filter((one) => nameOf(one) === type).flatMap((one) => named(one, 'element').map(nameOf)),
  );
}
