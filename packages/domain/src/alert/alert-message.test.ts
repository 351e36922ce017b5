import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { Alert, MessageFormat } from './alert.ts';
import { alertMessage } from './alert-message.ts';
import { withRoutingKey } from './pagerduty.ts';

const alert: Alert = {
  title: 'Paused: Billing',
  summary: 'Account webhook “Billing” is paused.',
  severity: 'error',
  kind: 'open',
  key: 'callout/guid/delivery',
  source: 'Account webhook 1',
  at: new Date('2026-01-15T09:30:00Z'),
  facts: [['Reason', 'no answer']],
};

const message = (format: MessageFormat, change: Partial<Alert> = {}) =>
  JSON.parse(alertMessage({ ...alert, ...change }, format)) as Record<string, never>;

const link = { say: 'Open it <now>', url: 'https://c.example/console?a=1&b=|2' };

const hostile = [
  '<!channel> hi',
  '<https://evil.example|click>',
  '[click](https://evil.example)',
  '&lt;!channel&gt;',
  'a\n# heading\u202E',
  '<at>Everyone</at>',
];

describe('a message for Slack', () => {
  it('has its text for notifications, and blocks', () => {
    expect(message('slack')).toEqual({
      text: '🔴 Paused: Billing\nAccount webhook “Billing” is paused.',
      mrkdwn: false,
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: '🔴 Paused: Billing', emoji: false } },
        {
          type: 'section',
          text: { type: 'plain_text', text: 'Account webhook “Billing” is paused.', emoji: false },
        },
        { type: 'section', fields: [{ type: 'plain_text', text: 'Reason\nno answer', emoji: false }] },
      ],
    });
  });

  it('formats nothing but the link to the console', () => {
    const name = '*bold* `code` ~gone~ :wave: _it_';
    const { blocks } = message('slack', { title: name, summary: name, facts: [[name, name]], link }) as unknown as {
      blocks: { text?: { type: string }; fields?: { type: string }[] }[];
    };
    const texts = blocks.flatMap(({ text, fields = [] }) => [...(text ? [text] : []), ...fields]);
    expect(texts.filter(({ type }) => type === 'mrkdwn')).toEqual([
      { type: 'mrkdwn', text: '<https://c.example/console?a=1&amp;b=%7C2|Open it &lt;now&gt;>' },
    ]);
  });

  it.each(hostile)('mentions nobody and links nowhere: %j', (text) => {
    const body = alertMessage({ ...alert, title: text, summary: text, facts: [[text, text]] }, 'slack');
    expect(body).not.toMatch(/[<>\u202E]/u);
    expect(body).not.toMatch(/&(?!amp;|lt;|gt;)/u);
  });

  it('keeps to the limits of Slack, whatever the texts', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 5_000 }), fc.nat(30), (text, count) => {
        const facts = Array.from({ length: count }, () => [text, text] as const);
        const { text: shown, blocks } = message('slack', { title: text, summary: text, facts }) as unknown as {
          text: string;
          blocks: { type: string; text?: { text: string }; fields?: { text: string }[] }[];
        };
        expect(shown.length).toBeLessThanOrEqual(3_000);
        for (const block of blocks) {
          expect(block.text?.text.length ?? 0).toBeLessThanOrEqual(block.type === 'header' ? 150 : 3_000);
          expect(block.fields?.length ?? 0).toBeLessThanOrEqual(10);
          for (const field of block.fields ?? []) expect(field.text.length).toBeLessThanOrEqual(2_000);
        }
      }),
      { examples: [['<'.repeat(5_000), 30]] },
    );
  });
});

describe('a message for Teams', () => {
  it('is an adaptive card', () => {
    expect(message('teams')).toMatchObject({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          content: {
            type: 'AdaptiveCard',
            body: [
              { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: 'Paused: Billing', color: 'Attention' }] },
              { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: 'Account webhook “Billing” is paused.' }] },
              { type: 'RichTextBlock', inlines: [{ text: 'Reason: ' }, { text: 'no answer' }] },
            ],
          },
        },
      ],
    });
  });

  it.each(hostile)('has no block that is read as Markdown, and no mention: %j', (text) => {
    const body = alertMessage({ ...alert, title: text, summary: text, facts: [[text, text]] }, 'teams');
    const types = [...body.matchAll(/"type":"(\w+)"/gu)].map(([, type]) => type);
    expect(new Set(types)).toEqual(new Set(['message', 'AdaptiveCard', 'RichTextBlock', 'TextRun']));
    expect(body).not.toContain('msteams');
  });

  it('has at most 28 KB, whatever the texts', () => {
    for (const character of ['a', '€', '😀', '"']) {
      const text = character.repeat(5_000);
      const facts = Array.from({ length: 40 }, () => [text, text] as const);
      const body = alertMessage({ ...alert, title: text, summary: text, facts }, 'teams');
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(28 * 1024);
    }
  });
});

describe('a link to the console', () => {
  it('is a button in Teams, and a link of the alert in PagerDuty', () => {
    expect(message('teams', { link })).toMatchObject({
      attachments: [{ content: { actions: [{ type: 'Action.OpenUrl', title: link.say, url: link.url }] } }],
    });
    expect(message('pagerduty', { link })).toMatchObject({
      client_url: link.url,
      links: [{ href: link.url, text: link.say }],
    });
  });
});

describe('an event for PagerDuty', () => {
  it('opens an alert, which the end of the problem resolves', () => {
    expect(message('pagerduty')).toEqual({
      routing_key: '********',
      event_action: 'trigger',
      dedup_key: 'callout/guid/delivery',
      client: 'Callout',
      payload: {
        summary: 'Account webhook “Billing” is paused.',
        source: 'Account webhook 1',
        severity: 'error',
        timestamp: '2026-01-15T09:30:00.000Z',
        component: 'Paused: Billing',
        custom_details: { Reason: 'no answer' },
      },
    });
    expect(message('pagerduty', { kind: 'over' })).toMatchObject({
      event_action: 'resolve',
      dedup_key: 'callout/guid/delivery',
    });
    expect(message('pagerduty', { kind: 'note' })).toMatchObject({ event_action: 'resolve' });
  });

  it('has a summary of at most 1,024 characters', () => {
    const { payload } = message('pagerduty', { summary: '😀'.repeat(2_000) }) as unknown as {
      payload: { summary: string };
    };
    expect(payload.summary.length).toBeLessThanOrEqual(1_024);
  });

  it('gets its routing key when it is sent, and nothing else does', () => {
    const body = alertMessage(alert, 'pagerduty');
    const sent = JSON.parse(withRoutingKey(body, 'R0"\\KEY')) as { routing_key: string };
    expect(sent).toEqual({ ...(JSON.parse(body) as object), routing_key: 'R0"\\KEY' });
    for (const other of ['{"text":"********"}', '{"Action":"Deactivated"}', alertMessage(alert, 'slack')]) {
      expect(withRoutingKey(other, 'KEY')).toBe(other);
    }
  });
});
