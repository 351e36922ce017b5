import { describe, expect, it } from '@jest/globals';
import { attentionOf, type WatchedThreshold, type WatchedWebhook } from './attention.rules.ts';
import type { WebhookStatus } from './webhook-status.rules.ts';

const now = new Date('2026-03-01T12:00:00Z');
const earlier = new Date('2026-03-01T11:00:00Z');
const well: WebhookStatus = {
  condition: null,
  id: 7,
  guid: '6f1c2f7e-0000-4000-8000-000000000000',
  entityType: 'Account',
  isActive: true,
  isOwnerActive: true,
  onCreate: true,
  onUpdate: true,
  onDelete: false,
  fieldRecords: 1,
  subscribedFields: 1,
  secretKeyIds: ['k1'],
  certificateExpiresAt: null,
  deactivation: null,
  failing: null,
  held: 0,
  now: new Date('2026-01-01T00:00:00Z'),
};
const failing = {
  since: earlier,
  failed: 1,
  last: 'The receiver answered 500',
  pausedUntil: null,
  firstDueAt: null,
  isProbed: false,
  isUnfetched: false,
};

function kindsOf(status: Partial<WebhookStatus>, webhook: Partial<WatchedWebhook> = {}) {
  const one = { entityType: 'Account', name: 'crm', previousSecretUntil: null, status: { ...well, ...status } };
  return attentionOf({ webhooks: [{ ...one, ...webhook }], thresholds: [], ring: ['k1'], now });
}

function ofThreshold(threshold: Partial<WatchedThreshold>) {
  const one = { entityType: 'Ticket', limit: 100, used: 0, held: 0, heldSince: null, ...threshold };
  return attentionOf({ webhooks: [], thresholds: [one], ring: [], now });
}

describe('what needs attention', () => {
  it('is nothing while all is well, nor what a person has switched off', () => {
    expect(kindsOf({})).toEqual([]);
    const off = { at: earlier, cause: 'user', detail: null };
    expect(kindsOf({ isActive: false, deactivation: off })).toEqual([]);
    expect(ofThreshold({ used: 74 })).toEqual([]);
    expect(ofThreshold({ limit: 0, used: 900 })).toEqual([]);
  });

  it.each([
    ['receiverPaused', 'test', { failing: { ...failing, pausedUntil: now } }, earlier],
    ['receiverFailing', 'test', { failing }, earlier],
    ['notFetched', 'wait', { failing: { ...failing, isUnfetched: true } }, earlier],
    ['notReady', 'edit', { fieldRecords: 0, subscribedFields: 0 }, null],
    ['secretKeyMissing', 'askOperator', { secretKeyIds: ['k0'] }, null],
    [
      'deactivated',
      'activate',
      { isActive: false, deactivation: { at: earlier, cause: 'repeatedFailure', detail: 'timeout' } },
      earlier,
    ],
  ] as const)('is a webhook that is %s, with what to do: %s', (kind, remedy, status, since) => {
    expect(kindsOf(status)).toEqual([
      {
        kind,
        webhookID: 7,
        entityType: 'Account',
        name: 'crm',
        since,
        sentence: expect.stringMatching(/\w+ .+\./),
        remedy: { kind: remedy, label: expect.any(String) },
      },
    ]);
  });

  it('is a secret that soon signs no more', () => {
    const inHours = (hours: number) => new Date(now.getTime() + hours * 3_600_000);
    expect(kindsOf({}, { previousSecretUntil: inHours(23) })).toMatchObject([{ kind: 'rotationEnding' }]);
    expect(kindsOf({}, { previousSecretUntil: inHours(25) })).toEqual([]);
  });

  it('is an entity near its threshold, or above it', () => {
    expect(ofThreshold({ used: 75 })).toMatchObject([{ kind: 'nearThreshold', webhookID: null, entityType: 'Ticket' }]);
    expect(ofThreshold({ used: 100, held: 1, heldSince: earlier })).toMatchObject([
      { kind: 'held', since: earlier, sentence: expect.stringContaining('holds 1 callout.') },
    ]);
  });

  it('has the most urgent first', () => {
    const one = { entityType: 'Account', name: 'crm', previousSecretUntil: null };
    const items = attentionOf({
      webhooks: [
        { ...one, status: { ...well, fieldRecords: 0, subscribedFields: 0 } },
        { ...one, status: { ...well, failing: { ...failing, pausedUntil: now } } },
      ],
      thresholds: [{ entityType: 'Ticket', limit: 10, used: 10, held: 4, heldSince: earlier }],
      ring: ['k1'],
      now,
    });
    expect(items.map(({ kind }) => kind)).toEqual(['receiverPaused', 'held', 'notReady']);
  });
});
