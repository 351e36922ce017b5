import type { Attempt } from '@callout/core';
import { columns } from '../connection/statement.ts';

/** The attempts of callouts, each with the wait until the next one, where there is one. */
export type CalloutAttempt = Attempt & {
  calloutId: string;
  tenantId: number;
  webhookKey: number;
  waitMs: number | null;
};

/** The values of `delivery_log_attempts`, and the last ones of `delivery_settle`. */
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
