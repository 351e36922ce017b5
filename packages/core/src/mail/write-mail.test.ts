import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { ownCatalogueDir } from '../catalogue/catalogue-dir.ts';
import { buildCatalogue } from '../catalogue/catalogue.ts';
import type { NoticeContent, NoticeKind } from './notice.ts';
import { writeMail, type WrittenMail } from './write-mail.ts';

const files = readdirSync(ownCatalogueDir).map((file) => readFileSync(`${ownCatalogueDir}/${file}`, 'utf8'));
const catalogue = buildCatalogue(files.map((file) => JSON.parse(file) as unknown));
const consoleUrl = 'https://callout.example.com/console';

const webhook = {
  id: 12,
  guid: '2f6c1f2e-7f5e-4a0e-9c07-3b1f3c1f7b11',
  name: 'Billing sync',
  entityType: 'Account',
  webhookUrl: 'https://hooks.example.com/in?token=for-the-receiver-only',
  deactivationUrl: 'https://hooks.example.com/off#part',
};
const storedAt = new Date('2026-11-20T16:05:09Z');
const since = '2026-11-20T11:42:10.5Z';
const lastFailure = 'the receiver answered 503 Service Unavailable';

const examples: { [Kind in NoticeKind]: NoticeContent<Kind> } = {
  error: {
    sequenceNumber: 41,
    recordId: 7,
    attempts: 9,
    lastFailure,
    failingSince: since,
    failedInRow: 3,
    deactivateAfter: 25,
    eventTime: '2026-11-20T11:40:00Z',
  },
  deactivated: {
    cause: 'repeatedFailure',
    at: '2026-11-21T16:00:00+00:00',
    lastFailure,
    failingSince: since,
    failedInRow: 25,
    cancelledCallouts: 1312,
  },
  thresholdExceeded: { limit: 1500, held: 1, since },
  caughtUp: { since, until: '2026-11-20T13:50:00Z', held: 1250 },
};
const kinds = Object.keys(examples) as NoticeKind[];

/** As it comes from the database: JSON. */
function mailOf(kind: NoticeKind, changes: { webhook?: object; facts?: object } = {}): WrittenMail {
  const content = {
    webhook: { ...webhook, ...changes.webhook },
    facts: { ...examples[kind], ...changes.facts },
  };
  return writeMail({ kind, content: JSON.parse(JSON.stringify(content)), storedAt }, { catalogue, consoleUrl });
}

const named = (name: string, kind: NoticeKind = 'error'): WrittenMail => mailOf(kind, { webhook: { name } });

describe('the subject', () => {
  it.each([
    ['error', 'Callout - Error: Billing sync'],
    ['deactivated', 'Callout - Deactivated: Billing sync'],
    ['thresholdExceeded', 'Callout - Threshold exceeded: Billing sync'],
    ['caughtUp', 'Callout - Caught up: Billing sync'],
  ] as const)('of %s is %s', (kind, subject) => {
    expect(mailOf(kind).subject).toBe(subject);
  });

  it.each([
    ['line breaks', 'a\r\nBcc: everybody@example.com\r\n\r\n<b>', 'aBcc: everybody@example.com<b>'],
    ['other control characters', '\u0000a\tb\u0007c\u007Fd\u0085e\u001B[31m', 'abcde[31m'],
    ['line and paragraph separators', 'a\u2028b\u2029c', 'abc'],
    ['right-to-left marks', '\u202Egpj.exe\u202C \u2067x\u2069\u200F', 'gpj.exe x'],
    ['half a character', 'a\uD83D', 'a\uFFFD'],
    ['what looks encoded', '=?utf-8?q?=48=49?=', '=?utf-8?q?=48=49?='],
    ['HTML', '<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
    ['emoji', 'family \u{1F468}\u200D\u{1F469}\u200D\u{1F467} 🚨', 'family \u{1F468}\u200D\u{1F469}\u200D\u{1F467} 🚨'],
    ['Hebrew', 'חיוב', 'חיוב'],
    ['nothing but control characters', '\u0001\u0002', 'webhook 12'],
  ])('holds a name with %s on one line, without control characters', (_what, name, shown) => {
    const { subject, text } = named(name);
    expect(subject).toBe(`Callout - Error: ${shown}`);
    expect(text).toContain(`“${shown}”`);
  });

  it('is one line of printable text for every name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 50 }), fc.constantFrom(...kinds), (name, kind) => {
        const { subject, text, html } = named(name, kind);
        expect(subject).toMatch(/^Callout - [A-Z][a-z ]+: [^\p{Cc}\p{Cs}\u2028\u2029\u202A-\u202E\u2066-\u2069]+$/u);
        expect(`${text}${html}`).not.toMatch(/[^\P{Cc}\n]|\p{Cs}|[\u2028\u2029\u202A-\u202E\u2066-\u2069]/u);
      }),
    );
  });
});

describe('the bodies', () => {
  it('of an error say what happened, since when, what was answered, what comes next and what to do', () => {
    expect(mailOf('error').text).toBe(`A callout of “Billing sync” could not be delivered.

Callout 41, about a change of Company 7, was tried 9 times and did not
get through. It will not be tried again by itself.

  Last failure:        The receiver answered 503 Service Unavailable
  Failing since:       20 November 2026, 11:42 UTC
  Given up:            20 November 2026, 16:05 UTC
  Time of the change:  20 November 2026, 11:40 UTC
  Receiver:            https://hooks.example.com/in?…
  Failed in a row:     3 of 25

WHAT HAPPENS NEXT
Later callouts are still sent. When 25 callouts in a row have failed,
the webhook is deactivated; so far it is 3. The next one that succeeds
sets the count back to zero.

If more callouts of this webhook fail within 24 hours, there is no other
mail about them.

WHAT YOU CAN DO
- Look up which callouts failed, and at each attempt of one and its
  answer:
    GET /CompanyWebhooks/12/Callouts?state=failed
    GET /CompanyWebhooks/12/Callouts/{calloutID}
- See to it that the receiver can be reached and answers with a status
  from 200 to 299.
- Find out with a test whether it is well again:
    POST /CompanyWebhooks/12/test
- Then have the callouts that failed sent again:
    POST /CompanyWebhooks/12/redeliver {"states":["failed"]}

The webhook in the console:
https://callout.example.com/console/CompanyWebhooks/12

-- 
This is about the webhook “Billing sync”, /CompanyWebhooks/12, with the
GUID 2f6c1f2e-7f5e-4a0e-9c07-3b1f3c1f7b11.
You get this mail because the webhook is yours, or because it names your
address for such mail.
`);
  });

  it.each([
    ['repeatedFailure', '25 callouts in a row used up their attempts', 'PATCH /CompanyWebhooks/12 {"isActive":true}'],
    ['gone', 'status 410 (Gone)', 'DELETE /CompanyWebhooks/12'],
    ['ownerDeactivated', 'The resource that owns the webhook was deactivated', '{"states":["cancelled"]}'],
    ['ownerDeleted', 'The resource that owned the webhook was deleted', 'POST /CompanyWebhooks\n'],
  ])('of a deactivation say why (%s), what is lost and what to do', (cause, why, request) => {
    const { text } = mailOf('deactivated', { facts: { cause } });
    for (const part of [why, request, '21 November 2026, 16:00 UTC', 'Not sent any more:  1,312 callouts']) {
      expect(unwrapped(text)).toContain(unwrapped(part));
    }
    expect(text.includes('503 Service Unavailable')).toBe(cause === 'repeatedFailure' || cause === 'gone');
  });

  it.each([
    [1, 1, '1 callout in a row failed', '1 of 1'],
    [3, 25, 'When 25 callouts in a row have failed', '3 of 25'],
    [25, 25, 'another mail tells of that', '25 of 25'],
    [400, 0, 'Later callouts are still sent, however many fail.', ' 400\n'],
  ])(
    'of an error say what %d failures in a row mean where %d deactivate',
    (failedInRow, deactivateAfter, next, fact) => {
      const { text } = mailOf('error', { facts: { failedInRow, deactivateAfter } });
      expect(unwrapped(text)).toContain(next);
      expect(text).toContain(`Failed in a row:     ${fact.trimStart()}`);
    },
  );

  it('of the threshold say that nothing is lost, and later that it is over', () => {
    const held = unwrapped(mailOf('thresholdExceeded').text);
    for (const part of ['no callout is lost', '1,500 callouts an hour', 'one more mail']) expect(held).toContain(part);
    const { text } = mailOf('caughtUp');
    for (const part of ['2 hours 8 minutes', '20 November 2026, 13:50 UTC', '1,250 callouts']) {
      expect(text).toContain(part);
    }
    // It is over, too, when what was held was cancelled: then there may be no room at all.
    expect(unwrapped(text)).toContain('has been let through or cancelled');
    expect(text).not.toContain('has room');
  });

  it.each(kinds)('of %s say the same as text and as HTML', (kind) => {
    const { text, html } = mailOf(kind);
    const shown = html.replace(/^[\s\S]*<body/u, '<').replace(/<[^>]*>/gu, ' ');
    const words = (all: string) =>
      new Set(
        unescaped(all)
          .toLowerCase()
          .match(/[\p{L}\d/]{2,}/gu),
      );
    const inHtml = words(shown);
    const inText = words(text.replace(consoleUrl, ''));
    expect([...inText].filter((word) => !inHtml.has(word))).toEqual([]);
  });

  it.each(kinds)('of %s show what others wrote as text, never as HTML', (kind) => {
    const hostile = '"><script>alert(\'x\')</script><a href="https://evil.example">&amp;';
    const facts = 'lastFailure' in examples[kind] ? { lastFailure: hostile } : {};
    const { html, text } = mailOf(kind, { webhook: { name: hostile, webhookUrl: `https://x/${hostile}` }, facts });
    const tagsOf = (all: string) => all.match(/<[^>]*>/gu)?.map((tag) => tag.split(' ')[0]);
    expect(tagsOf(html)).toEqual(tagsOf(mailOf(kind).html));
    expect(html).toContain('&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)');
    expect(unwrapped(text)).toContain(unwrapped(hostile));
  });

  it('keep a long answer short and on one line', () => {
    const { text } = mailOf('error', { facts: { lastFailure: `a\nb${'🚨'.repeat(5_000)}` } });
    const [line = ''] = /^ {2}Last failure: .*$/mu.exec(text) ?? [];
    expect(line).toContain('A b🚨');
    expect(line.length).toBeLessThan(530);
    expect(line).toMatch(/🚨…$/u);
  });

  it('leave out what nobody knows', () => {
    const { text } = mailOf('error', { facts: { lastFailure: null, failingSince: null, eventTime: null } });
    expect(text).not.toMatch(/Last failure|Failing since|Time of the change|null/u);
  });

  it('name no query of an address: it may hold what only the receiver should know', () => {
    for (const kind of kinds) {
      expect(`${mailOf(kind).text}${mailOf(kind).html}`).not.toMatch(/for-the-receiver-only|#part/u);
    }
  });

  it('link to the webhook in the console, and to nothing else', () => {
    for (const kind of kinds) {
      expect(mailOf(kind).html.match(/(?:href|src)="[^"]*"/gu)).toEqual([`href="${consoleUrl}/CompanyWebhooks/12"`]);
    }
    const content = { webhook, facts: examples.error };
    const { text, html } = writeMail({ kind: 'error', content, storedAt }, { catalogue, consoleUrl: undefined });
    expect(`${text}${html}`).not.toMatch(/href|console/u);
  });

  it('can be written of an entity that the catalogue does not have any more', () => {
    expect(mailOf('error', { webhook: { entityType: 'Former' } }).text).toContain('POST /Former/12/redeliver');
  });

  it('are not written of what is no notice', () => {
    const write = (kind: string, content: unknown) => writeMail({ kind, content, storedAt }, { catalogue, consoleUrl });
    expect(() => write('error', { webhook })).toThrow('facts');
    expect(() => write('unheardOf', { webhook, facts: {} })).toThrow('kind');
  });
});

function unwrapped(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').trim();
}

function unescaped(html: string): string {
  return html.replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}
