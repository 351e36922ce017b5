import { readdirSync, readFileSync } from 'node:fs';
import { ownCatalogueDir } from '@callout/domain/catalogue/catalogue-dir';
import { buildCatalogue } from '@callout/domain/catalogue/catalogue';
import type { MailContext } from './mail-context.rules.ts';
import type { NotificationContent, NotificationKind, WaitingCallouts } from './notification.rules.ts';
import type { WrittenMail } from '@callout/domain/mail/mail-message';
import { writeMail } from './write-mail.rules.ts';

const files = readdirSync(ownCatalogueDir).map((file) => readFileSync(`${ownCatalogueDir}/${file}`, 'utf8'));
const catalogue = buildCatalogue(files.map((file) => JSON.parse(file) as unknown));
export const consoleUrl = 'https://portal.example.com/hooks';
export const context: MailContext = {
  catalogue,
  consoleUrl,
  hasConsole: true,
  operatorConsole: 'http://10.0.0.5:8082/console',
  publicUrl: 'https://callout.example.com',
  apiRoot: 'atservicesrest',
  confirmationKeys: [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)],
};
export const root = 'https://callout.example.com/atservicesrest/v1.0';
export const tenant = { name: 'Contoso', url: 'https://zone.example.com' };
export const calloutId = '019aa000-0000-7000-8000-000000000001';

export const webhook = {
  id: 12,
  guid: '2f6c1f2e-7f5e-4a0e-9c07-3b1f3c1f7b11',
  name: 'Billing sync',
  entityType: 'Account',
  webhookUrl: 'https://hooks.example.com/in?token=for-the-receiver-only',
  deactivationUrl: 'https://hooks.example.com/off#part',
};
const storedAt = new Date('2026-11-20T16:05:09Z');
export const since = '2026-11-20T11:42:10.5Z';
export const lastFailure =
  'hooks.example.com did not answer within 10 s. Answer with a 2xx first and do the work afterwards.';

export const examples: { [Kind in NotificationKind]: NotificationContent<Kind> } = {
  error: {
    calloutId,
    sequenceNumber: 41,
    recordId: 7,
    attempts: 9,
    lastFailure,
    failingSince: since,
    failedInRow: 3,
    deactivateAfter: 25,
    eventTime: '2026-11-20T11:40:00Z',
  },
  failing: {
    failingSince: since,
    isPaused: true,
    lastFailure,
    failedInRow: 3,
    deactivateAfter: 25,
    deactivationAt: '2026-11-22T09:30:00Z',
    firstFailsAt: '2026-11-21T16:00:00Z',
    ...{ failed: 3, failedSince: null },
  },
  recovered: { since, until: '2026-11-20T13:50:00Z', failed: 2, failedSince: null },
  deactivated: {
    cause: 'repeatedFailure',
    at: '2026-11-21T16:00:00+00:00',
    lastFailure,
    failingSince: since,
    failedInRow: 25,
    openCallouts: 1312,
  },
  thresholdExceeded: { limit: 1500, since },
  certificateExpiring: { expiresAt: '2026-12-20T16:00:00Z', isLast: false },
  caughtUp: { since, until: '2026-11-20T13:50:00Z', held: 1250 },
};
export const kinds = Object.keys(examples) as NotificationKind[];

/** A mail as read from the database, with JSON content. */
export function mailOf(kind: NotificationKind, changes: { webhook?: object; facts?: object } = {}): WrittenMail {
  const content = {
    webhook: { ...webhook, ...changes.webhook },
    tenant,
    facts: { ...examples[kind], ...changes.facts },
  };
  return write(kind, [JSON.parse(JSON.stringify(content))]);
}

export function write(
  kind: string,
  contents: readonly unknown[],
  changes: Partial<MailContext> = {},
  ageMs = 0,
  waiting: WaitingCallouts | undefined = { due: 40, behind: 0, held: 0 },
): WrittenMail {
  const notifications = contents.map((content) => ({ content, storedAt, waiting }));
  const mail = { kind, notifications, notificationCount: notifications.length, webhookCount: 0, ageMs };
  return writeMail(mail, { ...context, ...changes });
}

export function unwrapped(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').trim();
}
