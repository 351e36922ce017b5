import { describe, expect, it } from '@jest/globals';
import { defaultSettings } from './settings/settings.ts';
import {
  creationRefusal,
  judgeChange,
  refusalOf,
  type Activation,
  type WebhookBefore,
} from './webhook-change.rules.ts';

const before: WebhookBefore = {
  ...defaultSettings,
  name: 'a',
  webhookUrl: 'https://receiver.example/',
  deactivationUrl: 'https://receiver.example/off',
  isActive: true,
  isSubscribedToCreateEvents: true,
  isSubscribedToUpdateEvents: false,
  isSubscribedToDeleteEvents: true,
  isCancelling: false,
};
const inactive = { ...before, isActive: false };
const allowed: Activation = { isOwnerActive: true, otherActive: 4, maxActive: 5 };
const nothing = { kind: 'accepted', changed: [], activates: false, deactivates: false };

describe('a change of a webhook', () => {
  it('is none when every value is as before', () => {
    expect(judgeChange(before, {})).toEqual({ ...nothing, written: {} });
    expect(judgeChange(before, { name: 'a', isActive: true })).toMatchObject(nothing);
  });

  it('writes what is named, and differs by one value', () => {
    const change = { name: 'a', notificationEmailAddress: 'a@b.example' };
    expect(judgeChange(before, change)).toEqual({
      ...nothing,
      written: change,
      changed: [['notificationEmailAddress', 'a@b.example']],
    });
  });

  it('activates an inactive webhook, and differs by that', () => {
    const change = { isActive: true };
    const activated = { ...nothing, changed: [['isActive', true]], activates: true };
    expect(judgeChange(inactive, change, allowed)).toEqual({ ...activated, written: change });
  });

  it('leaves the webhook active in what it writes before it deactivates', () => {
    const judged = judgeChange(before, { isActive: false, webhookUrl: 'https://other.example/' });
    const written = { webhookUrl: 'https://other.example/' };
    expect(judged).toEqual({ ...nothing, written, changed: Object.entries(written), deactivates: true });
    expect(judgeChange(before, { isActive: false })).toEqual({ ...nothing, written: {}, deactivates: true });
    expect(judgeChange(inactive, { isActive: false })).toMatchObject(nothing);
  });
});

describe('activating', () => {
  const refused = (over: Partial<Activation>, isCancelling = false) =>
    judgeChange({ ...inactive, isCancelling }, { isActive: true }, { ...allowed, ...over });

  it('is refused while its old callouts are cancelled, whatever else', () => {
    const refusal = { kind: 'stillCancelling' };
    expect(refused({ isOwnerActive: false, otherActive: 5 }, true)).toEqual({ kind: 'refused', refusal });
  });

  it('is refused without an active owner', () => {
    const refusal = { kind: 'ownerInactive' };
    expect(refused({ isOwnerActive: false, otherActive: 5 })).toEqual({ kind: 'refused', refusal });
    expect(judgeChange(inactive, { isActive: true })).toEqual({ kind: 'refused', refusal });
  });

  it('is refused from the maximum on', () => {
    expect(refused({ otherActive: 5 })).toEqual({ kind: 'refused', refusal: { kind: 'tooManyActive', active: 5 } });
    expect(refusalOf({ ...allowed, otherActive: 4 })).toBeUndefined();
  });

  it('asks nothing of a webhook that is active', () => {
    const rest = { isOwnerActive: false, otherActive: 9, maxActive: 5 };
    expect(judgeChange(before, { isActive: true, name: 'b' }, rest)).toMatchObject({
      activates: false,
      changed: [['name', 'b']],
    });
  });
});

describe('creating', () => {
  it('is refused from four times the active webhooks on, whatever is active', () => {
    expect(creationRefusal(20, 5)).toEqual({ kind: 'tooMany', existing: 20, most: 20 });
    expect(creationRefusal(19, 5)).toBeUndefined();
  });
});
