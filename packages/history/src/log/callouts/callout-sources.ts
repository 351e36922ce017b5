import { openCalloutStates, type CalloutFilter, type CalloutState } from '@callout/domain/callout/callout-filter';

/** The columns by which callouts of a webhook `w` are found, in the table that is the shortest way to them. */
export interface CalloutSource {
  readonly from: string;
  readonly id: string;
  readonly callout: string;
  readonly always: readonly string[];
  /** Each callout may come more than once. */
  readonly isRepeating?: boolean;
  /** Each of these actions is looked for by itself, as `w.action`. */
  readonly actions?: readonly string[];
}

const throughHistory: CalloutSource = { from: 'callouts c', id: 'c.id', callout: 'c', always: [] };

/** Few rows, as long as receivers are well; the history may be a million times longer. */
export const throughOpen: CalloutSource = { from: 'open_callouts c', id: 'c.callout_id', callout: 'c', always: [] };

/** The last attempts `a` of failed callouts, in the words of their index. */
export const failedAttempts = 'a.next_attempt_at IS NULL AND (a.status IS NULL OR a.status NOT BETWEEN 200 AND 299)';

/**
 * The last attempts of failed callouts have an index of their own, with hardly a row beside them. Each callout is then
 * looked up by its id, and never joined: to join them, the whole history of the webhook would be read.
 */
export const throughFailures: CalloutSource = {
  from: 'attempts a, LATERAL (SELECT * FROM callouts WHERE id = a.callout_id OFFSET 0) AS c',
  id: 'a.callout_id',
  callout: 'c',
  always: [failedAttempts, 'a.webhook_key = w.key', "c.state = 'failed'"],
  isRepeating: true,
};

/** All actions but updates have an index with the callouts of each action in their order. */
const throughActions = (actions: readonly string[]): CalloutSource => ({
  ...throughHistory,
  always: ["c.action <> 'Update'", 'c.action = w.action'],
  actions,
});

/** Finds the shortest way to the callouts that a filter means. */
export function wayTo(filter: CalloutFilter): CalloutSource {
  const { states, recordId, isFailing, ids = null } = filter;
  if (isFailing === true || states?.every(isOpen) === true) return throughOpen;
  // Named callouts and those of a record have an index too, and are few.
  if (recordId !== null || ids !== null) return throughHistory;
  if (states?.length === 1 && states[0] === 'failed') return throughFailures;
  const actions = actionsOf(filter);
  return actions === null || actions.includes('Update') ? throughHistory : throughActions(actions);
}

const actionOfKind: Readonly<Record<string, string>> = { deactivation: 'Deactivated' };

/** Calls of these kinds have actions of their own, by which there is an index. */
function actionsOf({ actions, kinds }: CalloutFilter): readonly string[] | null {
  const action = kinds?.length === 1 ? actionOfKind[kinds[0] ?? ''] : undefined;
  return actions ?? (action === undefined ? null : [action]);
}

/** Whether callouts in this state are still open. */
export function isOpen(state: CalloutState): boolean {
  return (openCalloutStates as readonly string[]).includes(state);
}
