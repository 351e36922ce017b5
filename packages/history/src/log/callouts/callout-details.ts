import { bodiesOf, bodyParameters, readBodiesSql, type BodyRow } from '@callout/pipeline/payload/callout-bodies';
import { loggedHeaders } from '@callout/pipeline/deliver/sign.rules';
import type { AttemptFailureReason } from '@callout/domain/outcome/outcome';
import type { RunSearch } from '../../search/search-transaction.ts';
import { SqlValues } from '../../sql-values.ts';
import { readCancellation, type Cancellation } from './cancellation.ts';
import { readCallouts, type LoggedCallout } from './callout-rows.ts';
import { idNear, timeOfId } from '@callout/database/schema/ids';
import type { ChangeCause } from '@callout/database/changes/record-changes';

/** One HTTP request for a callout, both sides of the exchange. */
export interface LoggedAttempt {
  readonly number: number;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly url: string;
  /** Signatures are not in it. */
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** Null when no response came. */
  readonly status: number | null;
  readonly responseHeaders: Readonly<Record<string, string>> | null;
  /** The first 64 KiB; null when there was none. */
  readonly responseBody: Buffer | null;
  readonly failureReason: AttemptFailureReason | null;
  /** Why no response came, as a sentence. */
  readonly failure: string | null;
  readonly nextAttemptAt: Date | null;
}

/** The webhook was paused, or resumed. */
export interface LoggedPause {
  readonly at: Date;
  readonly change: 'paused' | 'resumed';
  readonly cause: ChangeCause;
  /** More about the cause, as text. */
  readonly detail: string | null;
}

export interface CalloutDetails extends LoggedCallout {
  /** Null: it was not cancelled. */
  readonly cancellation: Cancellation | null;
  /** The exact text that is signed and sent. */
  readonly body: string;
  /** The newest 100, in order of their numbers. */
  readonly attempts: readonly LoggedAttempt[];
  /** Pauses of the receiver while the callout was open, oldest first; the first pause may have begun before. */
  readonly pauses: readonly LoggedPause[];
}

const clockSlackMs = 3_600_000;
/** Each brings up to 64 KiB. Only a callout that was redelivered many times has more; the newest are shown. */
const mostAttempts = 100;
/** More pauses than anyone reads; the newest are shown. */
const mostPauses = 100;

/** One callout of a tenant, or of a webhook of the tenant, with all details. */
export async function readCalloutDetails(
  run: RunSearch,
  tenantId: number,
  webhookKey: number | null,
  id: string,
): Promise<CalloutDetails | undefined> {
  const values = new SqlValues();
  const ofCallout = `id = ${values.add(id)}::uuid AND tenant_id = ${values.add(tenantId)}`;
  const ofWebhook = webhookKey === null ? '' : ` AND webhook_key = ${values.add(webhookKey)}`;
  const [row] = await run(`SELECT id FROM callouts WHERE ${ofCallout}${ofWebhook}`, values);
  const [callout] = row === undefined ? [] : await readCallouts(run, [id]);
  if (callout === undefined) return undefined;
  return {
    ...callout,
    cancellation: await readCancellation(run, callout),
    body: await readBody(run, id),
    attempts: await readAttempts(run, callout),
    pauses: callout.kind === 'event' ? await readPauses(run, callout) : [],
  };
}

async function readBody(run: RunSearch, id: string): Promise<string> {
  const rows = await run<BodyRow>(readBodiesSql, new SqlValues(bodyParameters([id])));
  return bodiesOf(rows).get(id) ?? '';
}

const columnsOfAttempt = `number, started_at AS "startedAt", duration_ms AS "durationMs", url,
  request_headers AS "requestHeaders", status, response_headers AS "responseHeaders", response_body AS "responseBody",
  failure_reason AS "failureReason", failure, next_attempt_at AS "nextAttemptAt"`;

async function readAttempts(run: RunSearch, callout: LoggedCallout): Promise<LoggedAttempt[]> {
  const { id } = callout;
  const values = new SqlValues();
  // Failed probes, of which there may be many, leave room for the attempts that count.
  const attempts = await run<LoggedAttempt>(
    `SELECT ${columnsOfAttempt} FROM (SELECT *
     FROM attempts WHERE callout_id = ${values.add(id)}::uuid AND id >= ${values.add(idNear(id, -clockSlackMs))}::uuid
     ORDER BY number = 0, id DESC LIMIT ${mostAttempts}) AS newest ORDER BY id`,
    values,
  );
  return attempts.map((attempt) => logged(callout, attempt));
}

/** The last attempts of callouts, by the ids of the callouts. */
export async function readLastAttempts(
  run: RunSearch,
  callouts: readonly LoggedCallout[],
): Promise<Map<string, LoggedAttempt>> {
  const ids = callouts.map(({ id }) => id).toSorted();
  const [oldest] = ids;
  if (oldest === undefined) return new Map();
  const values = new SqlValues();
  const rows = await run<LoggedAttempt & { id: string }>(
    `SELECT n.id, a.* FROM unnest(${values.add(ids)}::uuid[]) AS n (id), LATERAL (
       SELECT ${columnsOfAttempt} FROM attempts
       WHERE callout_id = n.id AND id >= ${values.add(idNear(oldest, -clockSlackMs))}::uuid
       ORDER BY number DESC LIMIT 1
     ) AS a`,
    values,
  );
  const byId = new Map(callouts.map((callout) => [callout.id, callout]));
  return new Map(
    rows.flatMap(({ id, ...attempt }) => {
      const callout = byId.get(id);
      return callout === undefined ? [] : [[id, logged(callout, attempt)] as const];
    }),
  );
}

function logged(callout: LoggedCallout, attempt: LoggedAttempt): LoggedAttempt {
  return { ...attempt, requestHeaders: loggedHeaders(callout, attempt, attempt.requestHeaders) };
}

/** The spans of the attempts, and the span of the creation, if traced. */
async function readPauses(run: RunSearch, { id, webhookKey, finishedAt }: LoggedCallout): Promise<LoggedPause[]> {
  const values = new SqlValues();
  const key = values.add(webhookKey);
  const [begun, ended] = [values.add(timeOfId(id)), values.add(finishedAt)];
  const columns = 'id, at, action AS change, cause, detail';
  const ofPauses = `webhook_key = ${key} AND action IN ('paused', 'resumed')`;
  const rows = await run<LoggedPause & { id: string }>(
    `(SELECT ${columns} FROM changes
      WHERE ${ofPauses} AND id >= ${values.add(idNear(id, -clockSlackMs))}::uuid AND at >= ${begun}
        AND at <= coalesce(${ended}::timestamptz, now())
      ORDER BY id DESC LIMIT ${mostPauses})
     UNION ALL
     (SELECT * FROM (
        SELECT ${columns} FROM changes WHERE ${ofPauses} AND at < ${begun} ORDER BY id DESC LIMIT 1
      ) AS before WHERE change = 'paused')`,
    values,
  );
  return rows.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map(({ id: _id, ...pause }) => pause);
}
