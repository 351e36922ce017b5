import { Problem } from '@callout/domain/problem';
import { ATWS, type XmlElement } from '../xml/xml-element.ts';
import type { SoapEntities } from './soap-entities.ts';
import type { SoapEntity, SoapField } from './soap-entity.ts';

/** An entity in a call. */
export interface GivenEntity {
  readonly entity: SoapEntity;
  /** As text; empty without an id. */
  readonly id: string;
  /** The body of the write by REST, without the id. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Members of every entity that no write reads. */
const notRead: ReadonlySet<string> = new Set(['fields', 'userdefinedfields']);

/** Reads an entity of a call. Throws an `invalid` Problem for an entity without a type or with a duplicate field. */
export function readEntity(element: XmlElement, entities: SoapEntities): GivenEntity {
  const { type } = element;
  if (type === undefined || element.isNil) {
    throw Problem.invalid('An Entity must say by xsi:type which it is, such as AccountWebhook.');
  }
  const isOwn = type.namespace === ATWS || type.namespace === '';
  const entity = isOwn ? entities.byName(type.name) : undefined;
  if (entity === undefined) throw Problem.invalid(`${type.name.slice(0, 100)} is no entity of this API.`);
  const body = Object.create(null) as Record<string, unknown>;
  for (const child of element.children) {
    if (notRead.has(child.name.toLowerCase())) continue;
    if (child.children.length > 0) throw Problem.invalid(`${child.name.slice(0, 100)} must be a value.`);
    const field = entity.fieldBySoapName(child.name);
    // An unknown name is passed to REST, which ignores and reports it.
    const key = field?.restName ?? child.name;
    if (key in body) throw Problem.invalid(`${child.name.slice(0, 100)} is given twice.`);
    body[key] = valueOf(child, field);
  }
  const { id, ...otherValues } = body;
  return { entity, id: typeof id === 'string' ? id : '', body: otherValues };
}

/** Text stays unchanged; blanks around further values mean nothing, and come from clients that indent. */
function valueOf({ isNil, text }: XmlElement, field: SoapField | undefined): string | null {
  if (isNil) return null;
  return field === undefined || field.dataType === 'string' ? text : text.trim();
}
