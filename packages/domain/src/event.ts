import type { FieldValues } from './values/values.ts';

/** The kinds of changes of a record. */
export const actions = ['Create', 'Update', 'Delete'] as const;

export type Action = (typeof actions)[number];

/** Actions of callouts without an event: the webhook was deactivated or deleted. */
export const actionsWithoutEvent = ['Deactivated'] as const;

/** The action in a callout: the action of the event, or an action without event. */
export type CalloutAction = Action | (typeof actionsWithoutEvent)[number];

/**
 * The names in `next` whose value differs from the known one. Values are in wire form, so equal values are equal
 * strings. Of a record never seen (`known` undefined) every given field counts as changed.
 */
export function changedFields(before: FieldValues | undefined, next: FieldValues): string[] {
  const names = Object.keys(next);
  return before === undefined ? names : names.filter((name) => before[name] !== next[name]);
}
