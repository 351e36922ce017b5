import type { FieldValues } from './values/values.ts';

/** What happened to a record. */
export const actions = ['Create', 'Update', 'Delete'] as const;

export type Action = (typeof actions)[number];

/** What a callout tells: an event's action, or that the webhook itself went inactive or was deleted. */
export type CalloutAction = Action | 'Deactivated';

/**
 * The names in `next` whose value differs from what is known. Values are in wire form, so equal values are equal
 * strings. Of a record never seen (`known` undefined) every given field counts as changed.
 */
export function changedFields(known: FieldValues | undefined, next: FieldValues): string[] {
  const names = Object.keys(next);
  return known === undefined ? names : names.filter((name) => known[name] !== next[name]);
}
