import { describe, expect, it } from '@jest/globals';
import { settingsOf } from '@callout/webhooks/settings/settings';
import {
  initialSettings,
  sectionText,
  settingsBody,
  settingsForEntity,
  settingsIn,
  settingsOfItem,
} from './form-settings.ts';

const sections = [
  'basics',
  'subscriptions',
  'format',
  'condition',
  'delivery',
  'notices',
  'signature',
  'receiver',
] as const;

describe.each(['Account', 'WebhookHealth'])('the settings of a webhook on %s', (entityType) => {
  const initial = initialSettings(entityType);
  const declared = settingsOf(entityType);

  it('have a control in one section each, except whether it is active', () => {
    const pager = { ...initial, alertFormat: 'pagerduty' } as const;
    const shown = sections.flatMap((section) => [
      ...settingsIn(section, entityType, initial),
      ...(entityType === 'WebhookHealth' && section === 'basics'
        ? settingsIn(section, entityType, pager).slice(-1)
        : []),
    ]);
    expect([...shown.map(({ key }) => key), 'isActive'].toSorted()).toEqual(declared.map(({ key }) => key).toSorted());
  });

  it('are read from an item and sent as they were, whatever else the item has', () => {
    const item = {
      ...initial,
      id: 3,
      isReady: true,
      name: 'Phones',
      condition: { op: 'exist', field: 'phone' },
      notificationEmailAddress: 'ops@example.com',
      ...(entityType === 'WebhookHealth' && { alertRoutingKey: '********' }),
    };
    const settings = settingsOfItem(entityType, item);
    expect(Object.keys(settings)).toEqual(Object.keys(initial));
    expect(item).toMatchObject(settingsBody(settings));
    expect(settingsBody({ condition: settings.condition })).toEqual({ condition: item.condition });
    expect(settingsOfItem(entityType, {})).toEqual({
      ...initial,
      isActive: false,
      isSubscribedToCreateEvents: false,
      isSubscribedToUpdateEvents: false,
      isSubscribedToDeleteEvents: false,
    });
  });
});

it('an empty mail address or condition is sent as none, and an empty key of a pager is not sent', () => {
  const sent = settingsBody({ notificationEmailAddress: ' ', condition: null, alertRoutingKey: '' });
  expect(sent).toEqual({ notificationEmailAddress: null, condition: null });
});

it('settings stay when another entity is chosen, where it has them, and a condition on its fields does not', () => {
  const filled = { ...initialSettings('Account'), name: 'Phones', maxCallsPerSecond: 3, condition: '{"op":"changed"}' };
  const onHealth = settingsForEntity('WebhookHealth', filled);
  expect(onHealth).toMatchObject({ name: 'Phones', maxCallsPerSecond: 3, condition: null, alertFormat: 'json' });
  expect(settingsForEntity('Account', onHealth)).toEqual({ ...filled, condition: null });
});

it('a message for a service has no format to choose', () => {
  const initial = initialSettings('WebhookHealth');
  expect(sectionText('format', 'WebhookHealth', initial)).toBe('Reference');
  expect(settingsIn('format', 'WebhookHealth', { ...initial, alertFormat: 'slack' })).toEqual([]);
});
