import type { EntityDefinition, FieldDefinition } from '@callout/domain/catalogue/catalogue';
import { emptyFieldValues } from '@callout/domain/values/values';
import { calloutBody } from '@callout/domain/callout/callout-body';

/** A field that fills the payload, with as many characters as it gets. */
export interface FillerField {
  readonly name: string;
  readonly characters: number;
}

/** The fields that make a callout about this entity as large as asked for, or the nearest sizes that are possible. */
export type PayloadFit =
  | { readonly kind: 'fits'; readonly fillers: readonly FillerField[] }
  | { readonly kind: 'impossible'; readonly leastBytes: number; readonly mostBytes: number };

/** The field that every event changes: the only one that is subscribed. */
export const CHANGED_FIELD = 'companyNumber';
/** Length of its values, all of them different. */
export const CHANGED_FIELD_CHARACTERS = 12;

/**
 * Finds text fields that fill a callout's body up to `payloadBytes` (missing it by less than the name of a field):
 * longest first, each as long as its entity allows.
 */
export function fitPayload(company: EntityDefinition, payloadBytes: number): PayloadFit {
  const leastBytes = emptyBodyBytes(company);
  const texts = company.fields
    .filter((field) => field.dataType === 'string' && field.isSupportedWebhookField && field.name !== CHANGED_FIELD)
    .toSorted((a, b) => b.length - a.length);
  const mostBytes = texts.reduce((sum, field) => sum + keyBytes(field) + field.length, leastBytes);
  if (payloadBytes < leastBytes || payloadBytes > mostBytes) return { kind: 'impossible', leastBytes, mostBytes };

  const fillers: FillerField[] = [];
  let bytesLeft = payloadBytes - leastBytes;
  for (const [index, field] of texts.entries()) {
    const room = bytesLeft - keyBytes(field);
    const next = texts[index + 1];
    // A rest too small for the next field could not be filled: then the next field gets one character of this one's.
    const isRestTooSmall = next !== undefined && room > field.length && room - field.length <= keyBytes(next);
    const characters = isRestTooSmall ? room - keyBytes(next) - 1 : Math.min(field.length, room);
    if (characters < 1) continue;
    fillers.push({ name: field.name, characters });
    bytesLeft -= keyBytes(field) + characters;
  }
  return { kind: 'fits', fillers };
}

/** `,"Address1":""` */
function keyBytes(field: FieldDefinition): number {
  return field.payloadKey.length + 6;
}

/** A body with nothing but the changed field, of a record and a sequence number in the thousands. */
function emptyBodyBytes(company: EntityDefinition): number {
  const key = company.fieldByName(CHANGED_FIELD)?.payloadKey;
  if (key === undefined) throw new Error(`the catalogue's ${company.entityType} has no ${CHANGED_FIELD}`);
  const body = calloutBody(
    {
      action: 'Update',
      webhookGuid: '00000000-0000-4000-8000-000000000000',
      entityType: company.entityType,
      recordId: 1000,
      eventTime: new Date(0),
      sequenceNumber: 10_000,
      personId: 1,
    },
    Object.assign(emptyFieldValues(), { [key]: '0'.repeat(CHANGED_FIELD_CHARACTERS) }),
  );
  return Buffer.byteLength(body);
}
