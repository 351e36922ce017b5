import { hash } from 'node:crypto';
import type { FieldValues, IntakeEvent } from '@callout/core/ingest';

/** What is written of an event: who did it also when the caller is meant, but no time where none was given. */
export type EventContent = Pick<
  IntakeEvent,
  'entityType' | 'action' | 'recordId' | 'personId' | 'eventTime' | 'fields' | 'udfFields' | 'changed'
>;

/**
 * SHA-256 of an event's content, by which a repeat is told from another event under the same eventID. It is what is
 * written that counts and not how the caller put it: values are in wire form and keys are sorted, so `5` and `"5"`,
 * another order of keys, or a resourceID that is the caller's own and left out once, are the same content.
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
