import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ownCatalogueDir } from '@callout/domain/catalogue/catalogue-dir';
import { buildCatalogue } from '@callout/domain/catalogue/catalogue';
import { noSecrets } from '@callout/domain/receiver/receiver-settings';
import { secretMask } from '@callout/domain/input/secret-mask';
import { defaultSettings } from '../settings/settings.ts';
import { parseWebhookPatch, parseWebhookPut, type WebhookUpdate } from './webhook-input.ts';
import { messagesOf, webhookContext } from './webhook-input.fixture.ts';

const companies: unknown = JSON.parse(readFileSync(path.join(ownCatalogueDir, 'companies.json'), 'utf8'));
const [account] = buildCatalogue([companies]).entities;
if (account === undefined) throw new Error('The catalogue has no companies');

const context = webhookContext(account);

const whole = {
  name: 'Shop.Company.Update',
  webhookUrl: 'https://shop.example/hook',
  deactivationUrl: 'https://shop.example/gone',
  isActive: true,
  sendThresholdExceededNotification: false,
};

const patch = (body: Record<string, unknown>): WebhookUpdate => parseWebhookPatch({ id: 7, ...body }, context);
const put = (change: Record<string, unknown>): WebhookUpdate =>
  parseWebhookPut({ id: 7, ...whole, ...change }, context);

describe('parseWebhookPatch', () => {
  it('changes only the keys present', () => {
    expect(patch({})).toEqual({ id: 7, changes: {} });
    expect(patch({ NAME: 'new', isActive: 'true' })).toEqual({ id: 7, changes: { name: 'new', isActive: true } });
  });

  it('reads an explicit null as false for a subscription and as no address', () => {
    expect(patch({ isSubscribedToUpdateEvents: null, notificationEmailAddress: null }).changes).toEqual({
      isSubscribedToUpdateEvents: false,
      notificationEmailAddress: null,
    });
  });

  it('refuses null for every other key', () => {
    const { isActive, sendThresholdExceededNotification, ...texts } = { ...whole, secretKey: '' };
    for (const key of Object.keys(texts))
      expect(messagesOf(() => patch({ [key]: null }))).toEqual([`${key} must not be null`]);
    for (const key of Object.keys({ isActive, sendThresholdExceededNotification })) {
      expect(messagesOf(() => patch({ [key]: null }))).toEqual([`${key} must not be null`]);
    }
  });

  it('treats the masked secret as unchanged and any other as new', () => {
    expect(patch({ secretKey: secretMask }).changes).toEqual({});
    expect(patch({ secretKey: 'new' }).changes).toEqual({ secretKey: 'new' });
  });

  it('accepts itemId for id, as in the responses', () => {
    const read = (body: Record<string, unknown>, pathId?: number) => parseWebhookPatch(body, context, pathId).id;
    expect([
      read({ itemId: 7 }),
      read({ ITEMID: '7', id: 7 }),
      read({ itemId: 7, id: null }),
      read({ itemID: 7 }, 7),
    ]).toEqual([7, 7, 7, 7]);
    expect(messagesOf(() => read({ itemId: 8, id: 7 }))).toEqual(['itemId is 8 and id is 7: give one of them']);
    expect(messagesOf(() => read({ itemId: 8 }, 7))).toEqual(['itemId is 8 in the body and 7 in the path']);
    expect(messagesOf(() => read({ itemId: 'x' }))).toEqual(['itemId must be a positive integer below 2^53']);
    expect(messagesOf(() => read({ itemId: null }))).toEqual([
      'id is required: in the body, or at the end of the path',
    ]);
  });

  it('accepts the id in the body, the path, or both alike', () => {
    expect(parseWebhookPatch({ id: '7' }, context).id).toBe(7);
    expect(parseWebhookPatch({}, context, 7).id).toBe(7);
    expect(parseWebhookPatch({ ID: 7 }, context, 7).id).toBe(7);
    expect(messagesOf(() => parseWebhookPatch({ id: 8 }, context, 7))).toEqual([
      'id is 8 in the body and 7 in the path',
    ]);
    expect(messagesOf(() => parseWebhookPatch({}, context))).toEqual([
      'id is required: in the body, or at the end of the path',
    ]);
  });

  it('refuses children, which have their own paths', () => {
    expect(
      messagesOf(() => patch({ fields: [], udfFields: [], excludedResources: null, webhookUrl: 'http://x' })),
    ).toEqual([
      'webhookUrl must use https',
      'fields cannot be changed here, only under /{id}/Fields of the webhook',
      'udfFields cannot be changed here, only under /{id}/UdfFields of the webhook',
      'excludedResources cannot be changed here, only under /{id}/ExcludedResources of the webhook',
    ]);
  });
});

describe('parseWebhookPut', () => {
  it('replaces: absent subscriptions become false, an absent address none, an absent secret stays', () => {
    expect(put({})).toEqual({
      id: 7,
      changes: {
        ...defaultSettings,
        ...whole,
        receiver: noSecrets,
      },
    });
    expect(put({ secretKey: secretMask, notificationEmailAddress: '' })).toEqual(put({}));
    expect(put({ secretKey: null, isSubscribedToDeleteEvents: null })).toEqual(put({}));
    expect(put({ secretKey: 'new' }).changes.secretKey).toBe('new');
  });

  it('accepts the result of a read, unchanged', () => {
    const read = { ...whole, webhookGUID: 'x', isReady: true, ownerResourceID: 3, secretKey: secretMask };
    expect(put(read)).toEqual(put({}));
  });

  it('names each missing key; null counts as absent', () => {
    expect(messagesOf(() => parseWebhookPut({ id: 7, name: null }, context))).toEqual([
      'name is required',
      'webhookUrl is required',
      'deactivationUrl is required',
      'isActive is required',
      'sendThresholdExceededNotification is required',
    ]);
  });

  it('refuses children', () => {
    expect(put({ fields: null })).toEqual(put({}));
    expect(messagesOf(() => put({ fields: [] }))).toEqual([
      'fields cannot be changed here, only under /{id}/Fields of the webhook',
    ]);
  });
});
