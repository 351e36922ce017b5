import { expect, it } from '@jest/globals';
import { emptyReceiver } from '../receiver-form/receiver-draft.ts';
import { receiverSummary, newSecretSummary, summaryOf } from './summaries.ts';
import { emptyDraft, type WebhookSettings } from './webhook-draft.ts';

const withSettings = (settings: Partial<WebhookSettings>) => ({
  ...emptyDraft,
  settings: { ...emptyDraft.settings, ...settings },
});

it('a section says in a line what it holds, and whether that is unusual', () => {
  expect(summaryOf('format', emptyDraft)).toEqual({ summary: 'Reference', isSet: false });
  expect(summaryOf('format', withSettings({ payloadFormat: 'typed', includePreviousValues: true }))).toEqual({
    summary: 'Typed, with previous values',
    isSet: true,
  });
  expect(summaryOf('excluded', { ...emptyDraft, excluded: [7] })).toEqual({ summary: '1 resource', isSet: true });
  expect(summaryOf('delivery', emptyDraft)).toEqual({ summary: 'Not merged, no limits', isSet: false });
  expect(
    summaryOf(
      'delivery',
      withSettings({
        mergeWhileWaiting: true,
        maxCallsPerSecond: 0.5,
        maxConcurrentCalls: 3,
      }),
    ),
  ).toEqual({
    summary: 'Merged while waiting, at most 0.5 calls a second and 3 at once',
    isSet: true,
  });
});

it('comparisons of a condition are counted through all its groups', () => {
  const compared = { op: 'exist', field: 'city' };
  const condition = JSON.stringify({ op: 'and', items: [compared, { op: 'or', items: [compared, compared] }] });
  expect(summaryOf('condition', withSettings({ condition }))).toEqual({ summary: '3 comparisons', isSet: true });
  expect(summaryOf('condition', withSettings({ condition: JSON.stringify(compared) })).summary).toBe('1 comparison');
  expect(summaryOf('condition', emptyDraft).isSet).toBe(false);
});

it('a deactivation URL is named where it is another than the URL', () => {
  const webhookUrl = 'https://a.example/in';
  const usual = { summary: 'Mail to the owner, deactivations to the same URL', isSet: false };
  expect(summaryOf('notices', withSettings({ webhookUrl }))).toEqual(usual);
  expect(summaryOf('notices', withSettings({ webhookUrl, deactivationUrl: webhookUrl }))).toEqual(usual);
  const other = { webhookUrl, deactivationUrl: 'https://a.example/off', notificationEmailAddress: 'ops@a.example' };
  expect(summaryOf('notices', withSettings(other))).toEqual({
    summary: 'Mail to the owner and ops@a.example, deactivations to https://a.example/off',
    isSet: true,
  });
});

it('a secret of the person is distinguished from the generated one, and never shown', () => {
  expect(newSecretSummary({ signatureKind: 'hmac' }, 'made', 'made').isSet).toBe(false);
  const own = newSecretSummary({ signatureKind: 'both' }, 'my secret', 'made');
  expect(own).toEqual({
    summary: 'A secret of your own, and callouts are signed with a key pair as well',
    isSet: true,
  });
});

it('what a receiver asks for is listed, without its values', () => {
  expect(receiverSummary(emptyReceiver)).toEqual({ summary: 'None: the signature is enough', isSet: false });
  const headers = [{ key: 'a', name: 'X-Api-Key', value: 'hidden' }];
  expect(receiverSummary({ auth: { kind: 'bearer', token: 'hidden' }, headers, caCertificate: 'PEM' })).toEqual({
    summary: 'A token, 1 header, a private certificate authority',
    isSet: true,
  });
});
