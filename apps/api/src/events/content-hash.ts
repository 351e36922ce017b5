import { hash } from 'node:crypto';
import type { FieldValues } from '@callout/core';
import type { IntakeEvent } from '@callout/db';

/** What a caller says of an event. What the service fills in (who and when, where left out) is no part of it. */
export interface EventContent extends Pick<
  IntakeEvent,
  'entityType' | 'action' | 'recordId' | 'fields' | 'udfFields' | 'changed'
> {
  readonly givenPersonId: number | null;
  readonly eventTime: Date | null;
}

/**
 * SHA-256 of an event's content, by which a repeat is told from another event under the same eventID. Values are in wire
 * form and keys are sorted, so `5` and `"5"`, or another order of keys, are the same content.
 */
export function contentHash(content: EventContent): Buffer {
  const { changed } = content;
  const canonical = JSON.stringify([
    content.entityType,
    content.action,
    content.recordId,
    content.givenPersonId,
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
