import { hash } from 'node:crypto';
import type { FieldValues } from '@callout/domain/values/values';
import type { IngestEvent } from '@callout/pipeline/ingest/request.rules';

/** The content of an event: its actor, also when that is the caller, but no time if none was given. */
export type EventContent = Pick<
  IngestEvent,
  'entityType' | 'action' | 'recordId' | 'personId' | 'eventTime' | 'fields' | 'udfFields' | 'changed'
>;

/**
 * SHA-256 of an event's content, which distinguishes a repeat from another event with the same eventID. It is made from
 * the content that is stored, not from its spelling: values are in wire form and keys are sorted, so `5` and `"5"`,
 * another order of keys, or the caller's own resourceID and none, are the same content.
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
