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
