import { hash } from 'node:crypto';
import type { FieldValues } from '@callout/domain/values/values';
import type { IngestEvent } from '@callout/pipeline/ingest/request.rules';

/** The content of an event: the actor, also when the caller acts, but no time unless the request has a time. */
export type EventContent = Pick<
  IngestEvent,
  'entityType' | 'action' | 'recordId' | 'personId' | 'eventTime' | 'fields' | 'udfFields' | 'changed'
>;

/**
 * SHA-256 of an event's content, which distinguishes a repeat from a second event with an equal eventID. The hash is
 * made from the stored content, not from the spelling: values are in wire form and keys are sorted. Therefore `5` and
 * `"5"`, two orders of keys, or the caller's resourceID and an absent one, are equal content.
 */
export function contentHash(content: EventContent): Buffer {
  const { changed } = content;
  const canonical = JSON.stringify([
    content.entityType,
    content.action,
    content.recordId,
    content.personId,
    content.eventTime?.getTime() ?? null,
    sortedEntries(content.fields),
    sortedEntries(content.udfFields),
    changed && [changed.fields.toSorted(), changed.udfs.toSorted((a, b) => a - b)],
  ]);
  return hash('sha256', canonical, 'buffer');
}

function sortedEntries(values: FieldValues): (string | null | undefined)[][] {
  return Object.keys(values)
    .toSorted()
    .map((name) => [name, values[name]]);
}
