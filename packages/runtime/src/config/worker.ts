import { z } from 'zod';
import { listenHost, someOf, wholeNumber } from './kinds/kinds.ts';
import { mailConfig } from './settings/mail.ts';
import { confirmHasAddress } from './settings/mail-recipients.ts';
import { operatorAlertConfig } from './settings/operator-alerts.ts';
import { outboundConfig } from './settings/outbound.ts';
import { retentionConfig } from './settings/retention.ts';
import { sharedConfig } from './settings/shared.ts';

/** The keys of the worker process alone. */
export const workerOnlyConfig = z.object({
  WORKER_ROLES: someOf({
    description: 'What this worker does. Every installation needs each role in at least one worker.',
    words: ['match', 'deliver', 'notify', 'sweep'],
  }),
  WORKER_HEALTH_HOST: listenHost({
    description: 'Address of the health endpoints and of `/metrics`; they need no credentials.',
    default: '127.0.0.1',
  }),
  WORKER_HEALTH_PORT: wholeNumber({
    description: 'Port of `/healthz`, `/readyz` and `/metrics`; 0 chooses a free one.',
    default: 8081,
    min: 0,
    max: 65_535,
  }),
  CALLOUTS_IN_FLIGHT: wholeNumber({
    description: 'Callouts that one worker process sends at the same time.',
    default: 200,
    min: 1,
    max: 10_000,
  }),
  ...outboundConfig.shape,
  ...mailConfig.shape,
  ...operatorAlertConfig.shape,
  ...retentionConfig.shape,
});

/** Everything the worker process reads from its environment. */
export const workerConfig = z
  .object({ ...sharedConfig.shape, ...workerOnlyConfig.shape })
  .refine((config) => daysOf(config.RETENTION_EVENTS_DAYS) >= daysOf(config.RETENTION_CALLOUTS_DAYS), {
    path: ['RETENTION_EVENTS_DAYS'],
    error: 'must not be less than RETENTION_CALLOUTS_DAYS (30 by default): the bodies of callouts are made from events',
    when: ({ value }) => areNumbers(value, ['RETENTION_EVENTS_DAYS', 'RETENTION_CALLOUTS_DAYS']),
  })
  .refine((config) => daysOf(config.RETENTION_CHANGES_DAYS) >= daysOf(config.RETENTION_CALLOUTS_DAYS), {
    path: ['RETENTION_CHANGES_DAYS'],
    error: 'must not be less than RETENTION_CALLOUTS_DAYS (30 by default): changes say why callouts were cancelled',
    when: ({ value }) => areNumbers(value, ['RETENTION_CHANGES_DAYS', 'RETENTION_CALLOUTS_DAYS']),
  })
  .refine(...confirmHasAddress)
  .refine((config) => config.MAIL_FROM !== undefined, {
    path: ['MAIL_FROM'],
    error: 'is missing. Set it to the sender of all mail, for example Callout <callout@example.com>: SMTP_URL is set.',
    when: ({ value, issues }) => isSet(value, 'SMTP_URL') && !issues.some(({ path }) => path?.[0] === 'MAIL_FROM'),
  });
export type WorkerConfig = z.output<typeof workerConfig>;

/** Days of retention, of which 0 is for ever. */
function daysOf(days: number): number {
  return days === 0 ? Infinity : days;
}

function areNumbers(value: unknown, names: readonly string[]): boolean {
  return (
    typeof value === 'object' && value !== null && names.every((name) => typeof Reflect.get(value, name) === 'number')
  );
}

function isSet(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && Reflect.get(value, name) !== undefined;
}
