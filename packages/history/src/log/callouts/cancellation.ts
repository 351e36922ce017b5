import type { RunSearch } from '../../search/search-transaction.ts';
import { SqlValues } from '../../sql-values.ts';
import type { ChangeAction, ChangeCause } from '@callout/database/changes/record-changes';
import type { LoggedCallout } from './callout-rows.ts';
import { lowestId } from '@callout/database/schema/ids';

/** Why a callout was cancelled. */
export interface Cancellation {
  /** The webhook became inactive or was deleted, or a person or a program requested the cancellation. */
  readonly reason: 'deactivated' | 'deleted' | 'request';
  /** A sentence. */
  readonly message: string;
}

const byRequest: Cancellation = {
  reason: 'request',
  message: 'It was cancelled on request: by the API, or by an operator.',
};

const deactivations: Partial<Record<ChangeCause, string>> = {
  user: 'Its webhook was set inactive.',
  ownerDeactivated: 'Its webhook was deactivated together with its owner.',
  ownerDeleted: 'Its webhook was deactivated because its owner was deleted.',
  repeatedFailure: 'Its webhook was deactivated after too many callouts in a row had failed.',
  gone: 'Its webhook was deactivated because its receiver answered 410 (Gone).',
};

const clockSlackMs = 3_600_000;

/**
 * Why a callout was cancelled, from the state of the webhook at the time: callouts of an active webhook are cancelled
 * only on request. Null: not cancelled.
 */
export async function readCancellation(
  run: RunSearch,
  { state, webhookKey, finishedAt }: Pick<LoggedCallout, 'state' | 'webhookKey' | 'finishedAt'>,
): Promise<Cancellation | null> {
  if (state !== 'cancelled' || finishedAt === null) return null;
  const values = new SqlValues();
  const last = values.add(lowestId(new Date(finishedAt.getTime() + clockSlackMs)));
  const [change] = await run<{ action: ChangeAction; cause: ChangeCause }>(
    `SELECT action, cause FROM changes
     WHERE webhook_key = ${values.add(webhookKey)} AND id < ${last}::uuid AND at <= ${values.add(finishedAt)}
       AND action IN ('created', 'activated', 'deactivated', 'deleted')
     ORDER BY id DESC LIMIT 1`,
    values,
  );
  if (change?.action === 'deleted') return { reason: 'deleted', message: 'Its webhook was deleted.' };
  if (change?.action !== 'deactivated') return byRequest;
  return { reason: 'deactivated', message: deactivations[change.cause] ?? 'Its webhook was deactivated.' };
}
