import type { CalloutAction } from '../event/event.ts';
import { toWireInstant } from '../values/instant.ts';
import type { FieldValues } from '../values/values.ts';
import { digestPayload, type DigestContent } from './digest.ts';

/** The content of a callout's body. */
export interface CalloutContent {
  readonly action: CalloutAction;
  readonly webhookGuid: string;
  readonly entityType: string;
  /** The record's id; the webhook's id in a deactivation call and a digest, 0 in a test. */
  readonly recordId: number;
  readonly eventTime: Date;
  readonly sequenceNumber: number;
  /** The acting resource; null when a webhook was deactivated automatically. */
  readonly personId: number | null;
  /** From payloadFields; an object without prototype. */
  readonly fields: FieldValues;
  /** Only of a digest. */
  readonly digest?: DigestContent;
}

/**
 * The body of a callout: compact JSON in the documented order of keys, no trailing newline. These bytes, as UTF-8, are
 * stored, signed and sent; nothing serializes them again.
 */
export function calloutBody(content: CalloutContent): string {
  return JSON.stringify({
    Action: content.action,
    Guid: content.webhookGuid,
    EntityType: content.entityType,
    Id: content.recordId,
    Fields: content.fields,
    EventTime: toWireInstant(content.eventTime),
    SequenceNumber: content.sequenceNumber,
    PersonID: content.personId,
    Digest: content.digest && digestPayload(content.digest),
  });
}
