import { expect, it } from '@jest/globals';
import { emptyReceiver } from '../receiver-form/receiver-draft.ts';
import { initialSettings, type WebhookSettings } from '../settings-form/form-settings.ts';
import { conditionSummary, excludedSummary, newSecretSummary, receiverSummary, summaryOf } from './summaries.ts';

const initial = initialSettings('Account');
const sectionOf = (section: Parameters<typeof summaryOf>[0], settings: Partial<WebhookSettings> = {}) =>
  summaryOf(section, 'Account', { ...initial, ...settings });

it('a section says in a line what it holds, and whether that is unusual', () => {
  expect(sectionOf('format')).toEqual({ summary: 'Reference', isSet: false });
  expect(sectionOf('format', { payloadFormat: 'typed', includePreviousValues: true })).toEqual({
    summary: 'Typed, with previous values',
    isSet: true,
  });
  expect(excludedSummary([])).toEqual({ summary: 'None', isSet: false });
  expect(excludedSummary([7])).toEqual({ summary: '1 resource', isSet: true });
  expect(sectionOf('delivery')).toEqual({ summary: 'Not merged, no limits', isSet: false });
  expect(sectionOf('delivery', { mergeWhileWaiting: true, maxCallsPerSecond: 0.5, maxConcurrentCalls: 3 })).toEqual({
    summary: 'Merged while waiting, at most 0.5 calls a second and 3 at once',
    isSet: true,
  });
});

it('comparisons of a condition are counted through all its groups', () => {
  const compared = { op: 'exist', field: 'city' };
  const condition = JSON.stringify({ op: 'and', items: [compared, { op: 'or', items: [compared, compared] }] });
  expect(conditionSummary({ condition })).toEqual({ summary: '3 comparisons', isSet: true });
  expect(conditionSummary({ condition: JSON.stringify(compared) }).summary).toBe('1 comparison');
  expect(conditionSummary({ condition: null }).isSet).toBe(false);
});

it('a deactivation URL is named where it is another than the URL', () => {
  const webhookUrl = 'https://a.example/in';
  const usual = { summary: 'Mail to the owner, deactivations to the same URL', isSet: false };
  expect(sectionOf('notices', { webhookUrl })).toEqual(usual);
  expect(sectionOf('notices', { webhookUrl, deactivationUrl: webhookUrl })).toEqual(usual);
  const other = { webhookUrl, deactivationUrl: 'https://a.example/off', notificationEmailAddress: 'ops@a.example' };
  expect(sectionOf('notices', other)).toEqual({
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
