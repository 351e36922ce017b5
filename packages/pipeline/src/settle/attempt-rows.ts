import type { Attempt } from './settlement.rules.ts';
import { rowSet } from '@callout/database/connection/statement/row-set';

/** The attempts of callouts, with the wait until the next one, where there is one. */
export type CalloutAttempt = Attempt & {
  calloutId: string;
  tenantId: number;
  webhookKey: number;
  waitMs: number | null;
};

/** The parameters of `delivery_log_attempts`, and the last ones of `delivery_settle`. */
export const attemptSet = rowSet<CalloutAttempt>([
  { column: 'id', type: 'uuid', from: 'id' },
  { column: 'callout_id', type: 'uuid', from: 'calloutId' },
  { column: 'tenant_id', type: 'int', from: 'tenantId' },
  { column: 'webhook_key', type: 'bigint', from: 'webhookKey' },
  { column: 'number', type: 'int', from: 'number' },
  { column: 'started_at', type: 'timestamptz', from: 'startedAt' },
  { column: 'duration_ms', type: 'int', from: 'durationMs' },
  { column: 'url', type: 'text', from: 'url' },
  { column: 'request_headers', type: 'json', from: 'requestHeaders' },
  { column: 'status', type: 'int', from: 'status' },
  { column: 'response_headers', type: 'json', from: 'responseHeaders' },
  { column: 'response_body', type: 'bytea', from: 'responseBody' },
  { column: 'failure_reason', type: 'text', from: 'failureReason' },
  { column: 'failure', type: 'text', from: 'failure' },
  { column: 'wait_ms', type: 'bigint', from: 'waitMs' },
]);
