import { columns } from '../connection/statement.ts';

/** Both sides of one exchange. */
export interface AttemptRow {
  id: string;
  /** 1 for the first. */
  number: number;
  startedAt: Date;
  durationMs: number;
  url: string;
  /** JSON, secrets redacted. */
  requestHeaders: string;
  /** Null when no answer came. */
  status: number | null;
  responseHeaders: string | null;
  responseBody: Buffer | null;
  failureReason: string | null;
  failure: string | null;
}

/** The attempts of callouts, each with the wait until the next one, where there is one. */
export type CalloutAttempt = AttemptRow & {
  calloutId: string;
  tenantId: number;
  webhookKey: number;
  waitMs: number | null;
};

const types = ['uuid', 'uuid', 'int', 'bigint', 'int', 'timestamptz', 'int', 'text', 'json', 'int', 'json', 'bytea']
  .concat(['text', 'text', 'bigint'])
  .map((type) => `${type}[]`);

/** The SQL that stores attempts from the values of `attemptColumns`, of which `first` is the number of the first. */
export function insertAttempts(first: number): string {
  const values = types.map((type, nth) => `$${first + nth}::${type}`).join(', ');
  return `INSERT INTO attempts (id, callout_id, tenant_id, webhook_key, number, started_at, duration_ms, url, request_headers,
       status, response_headers, response_body, failure_reason, failure, next_attempt_at)
     SELECT id, callout_id, tenant_id, webhook_key, number, started_at, duration_ms, url, request_headers, status,
       response_headers, response_body, failure_reason, failure, now() + wait_ms * interval '1 millisecond'
     FROM unnest(${values})
       AS a (id, callout_id, tenant_id, webhook_key, number, started_at, duration_ms, url, request_headers, status,
         response_headers, response_body, failure_reason, failure, wait_ms)`;
}

/** The values that `insertAttempts` reads. */
export function attemptColumns(attempts: readonly CalloutAttempt[]): unknown[][] {
  return columns(attempts, [
    'id',
    'calloutId',
    'tenantId',
    'webhookKey',
    'number',
    'startedAt',
    'durationMs',
    'url',
    'requestHeaders',
    'status',
    'responseHeaders',
    'responseBody',
    'failureReason',
    'failure',
    'waitMs',
  ]);
}
