import { describe, expect, it } from '@jest/globals';
import type { MessageFormat } from '../../alert/alert.ts';
import { bodyOf } from '../callout-body.ts';
import type { PayloadLayout } from '../payload.ts';

describe('the message about an event of WebhookHealth', () => {
  const layout = (format: MessageFormat): PayloadLayout => ({
    format,
    fields: ['occurrence', 'summary', 'cause', 'reason'].map((name) => ({
      name,
      key: name.charAt(0).toUpperCase() + name.slice(1),
      isSubscribed: true,
      isDisplayAlways: true,
      ...(name === 'cause' && { labels: [['gone', 'Its receiver answered 410']] as const }),
    })),
    udfFields: [],
  });
  const body = (fields: Record<string, string | null>, recordId = 4, format: MessageFormat = 'pagerduty') => {
    const values = {
      webhookGUID: 'g',
      name: 'Billing',
      entityType: 'Account',
      webhookID: '1',
      summary: 's',
      ...fields,
    };
    const previous = { fields: {}, udfFields: {} };
    return bodyOf(
      {
        id: 'callout',
        action: 'Update',
        webhookGuid: 'own',
        entityType: 'WebhookHealth',
        recordId,
        eventTime: new Date('2026-01-15T09:30:00Z'),
        sequenceNumber: 1,
        personId: 0,
      },
      {
        action: 'Update',
        fields: values,
        udfFields: {},
        changedFields: Object.keys(values),
        changedUdfs: [],
        previous,
      },
      layout(format),
    );
  };
  const event = (...parameters: Parameters<typeof body>) =>
    JSON.parse(body(...parameters)) as { event_action: string; dedup_key: string; payload: Record<string, unknown> };

  it('opens and ends the problems of a webhook, by their subjects', () => {
    const actions = [
      ['paused', 'delivery'],
      ['failing', 'delivery'],
      ['calloutFailed', 'delivery'],
      ['deactivated', 'delivery', 'gone'],
      ['recovered', 'delivery'],
      ['deactivated', 'delivery', 'user'],
      ['deactivated', 'delivery', 'deleted'],
      ['thresholdHeld', 'threshold'],
      ['thresholdReleased', 'threshold'],
      ['certificateExpiring', 'certificate'],
      ['recovered', 'certificate'],
      ['secretRotated', 'secret'],
      ['secretRotated', 'signingKey'],
    ].map(([occurrence = '', subject = '', cause = null]) => {
      const { event_action: action, dedup_key: key, payload } = event({ occurrence, subject, cause });
      return `${occurrence}: ${action} ${key} ${String(payload['severity'])}`;
    });
    expect(actions).toEqual([
      'paused: trigger callout/g/delivery error',
      'failing: trigger callout/g/delivery error',
      'calloutFailed: trigger callout/g/delivery error',
      'deactivated: trigger callout/g/delivery critical',
      'recovered: resolve callout/g/delivery info',
      'deactivated: resolve callout/g/delivery info',
      'deactivated: resolve callout/g/delivery info',
      'thresholdHeld: trigger callout/g/threshold warning',
      'thresholdReleased: resolve callout/g/threshold info',
      'certificateExpiring: trigger callout/g/certificate warning',
      'recovered: resolve callout/g/certificate info',
      'secretRotated: resolve callout/g/secret info',
      'secretRotated: resolve callout/g/signingKey info',
    ]);
  });

  it('shows the fields of the webhook that have a value, by their labels', () => {
    const { payload } = event({ occurrence: 'deactivated', subject: 'delivery', cause: 'gone', reason: null });
    expect(payload['custom_details']).toEqual({ Cause: 'Its receiver answered 410' });
  });

  it('shows a deactivation as good news to nobody, also where a user made it', () => {
    for (const cause of ['user', 'deleted', 'gone']) {
      const fields = { occurrence: 'deactivated', subject: 'delivery', cause };
      expect(body(fields, 4, 'slack')).not.toContain('🟢');
      expect(body(fields, 4, 'teams')).not.toContain('Good');
    }
    expect(body({ occurrence: 'recovered', subject: 'delivery' }, 4, 'slack')).toContain('🟢');
  });

  it('links the webhook in the console', () => {
    const consoleURL = 'https://callout.example.com/console/webhooks/Account/1';
    expect(event({ occurrence: 'paused', subject: 'delivery', consoleURL })).toMatchObject({
      links: [{ href: consoleURL, text: 'Open the webhook in the console' }],
    });
  });

  it('is marked in a test, which opens an alert of its own', () => {
    const test = event({ occurrence: 'deactivated', subject: 'delivery', cause: 'user' }, 0);
    expect(test).toMatchObject({
      event_action: 'trigger',
      dedup_key: 'callout/own/test',
      payload: { severity: 'info', component: 'Test' },
    });
  });

  it.each(['constructor', '__proto__', ''])('is a note for the occurrence %j, which nobody makes', (occurrence) => {
    expect(event({ occurrence, subject: 'delivery' })).toMatchObject({ event_action: 'resolve' });
  });
});
