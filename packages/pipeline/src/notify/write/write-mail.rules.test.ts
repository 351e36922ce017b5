import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { anyCharacter } from '@callout/domain/fixtures/any-character';
import { confirmationToken, hashConfirmationToken } from './confirmation-token.rules.ts';
import type { MailContext } from './mail-context.rules.ts';
import {
  calloutId,
  consoleUrl,
  context,
  examples,
  kinds,
  lastFailure,
  mailOf,
  root,
  since,
  tenant,
  unwrapped,
  webhook,
  write,
} from './mail.rules.fixture.ts';
import type { NotificationKind, WaitingCallouts } from './notification.rules.ts';
import type { WrittenMail } from '@callout/domain/mail/mail-message';

/** The installation, named by the host of PUBLIC_URL. */
const prefix = '[callout.example.com] ';
const named = (name: string, kind: NotificationKind = 'error'): WrittenMail => mailOf(kind, { webhook: { name } });

describe('the subject', () => {
  it.each([
    ['error', 'Callout - Error: Billing sync'],
    ['failing', 'Callout - Failing: Billing sync'],
    ['recovered', 'Callout - Recovered: Billing sync'],
    ['deactivated', 'Callout - Deactivated: Billing sync'],
    ['thresholdExceeded', 'Callout - Threshold exceeded: Billing sync'],
    ['caughtUp', 'Callout - Caught up: Billing sync'],
  ] as const)('of %s is %s', (kind, subject) => {
    expect(mailOf(kind).subject).toBe(`${prefix}${subject}`);
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
  ])('has a name with %s on one line, without control characters', (_what, name, shown) => {
    const { subject, text } = named(name);
    expect(subject).toBe(`${prefix}Callout - Error: ${shown}`);
    expect(text).toContain(`“${shown}”`);
  });

  it('is one line of printable text for every name', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 50 }), fc.constantFrom(...kinds), (name, kind) => {
        const { subject, text, html } = named(name, kind);
        expect(subject).toMatch(
          /^\[callout\.example\.com\] Callout - [A-Z][a-z ]+: [^\p{Cc}\p{Cs}\u2028\u2029\u202A-\u202E\u2066-\u2069]+$/u,
        );
        expect(`${text}${html}`).not.toMatch(/[^\P{Cc}\n]|\p{Cs}|[\u2028\u2029\u202A-\u202E\u2066-\u2069]/u);
      }),
      { numRuns: 40 },
    );
  });
});

describe('the bodies', () => {
  it('of an error contain the occasion, its beginning, the response, what comes next and what to do', () => {
    expect(mailOf('error').text).toBe(`A callout of “Billing sync” could not be delivered, because
hooks.example.com did not answer within 10 s.

Callout 41, about a change of Company 7, was not delivered in 9
attempts. It has failed: it is kept, but is not sent again
automatically.

The webhook in the console:
https://portal.example.com/hooks/CompanyWebhooks/12

  Callout:             019aa000-0000-7000-8000-000000000001
  Last failure:        hooks.example.com did not answer within 10 s. Answer with a 2xx first and do the work afterwards.
  Failing since:       20 November 2026, 11:42 UTC
  Failed:              20 November 2026, 16:05 UTC
  Time of the change:  20 November 2026, 11:40 UTC
  Receiver:            https://hooks.example.com/in?…
  Failed in a row:     3 of 25
  Tenant:              Contoso
  Installation:        callout.example.com

WHAT HAPPENS NEXT
Later callouts are still delivered. The webhook is deactivated when 25
callouts in a row have failed; so far 3 have. The next one that is
delivered sets the count back to zero.

If more callouts of this webhook fail within 24 hours, you get no other
mail about them.

WHAT YOU CAN DO
- See every attempt of this callout with its answer, and which others
  failed:
    callout deliveries show 019aa000-0000-7000-8000-000000000001
    callout deliveries list --webhook CompanyWebhooks/12 --state failed
- Make sure that the receiver can be reached and answers with a status
  from 200 to 299.
- Send a test to check that it works again:
    callout webhooks test CompanyWebhooks/12
- Then redeliver the callouts that failed:
    callout redeliver --webhook CompanyWebhooks/12 --state failed
- Install the command callout from
  https://callout.example.com/docs/downloads and sign in once:
    callout login --url https://callout.example.com/atservicesrest

THE SAME AS REQUESTS TO THE API
    GET ${root}/CompanyWebhooks/12/Callouts/019aa000-0000-7000-8000-000000000001
    GET ${root}/CompanyWebhooks/12/Callouts?state=failed
    POST ${root}/CompanyWebhooks/12/test
    POST ${root}/CompanyWebhooks/12/redeliver {"states":["failed"]}

-- 
This is about the webhook “Billing sync”,
${root}/CompanyWebhooks/12, with
the GUID 2f6c1f2e-7f5e-4a0e-9c07-3b1f3c1f7b11.
You get this mail because you own the webhook, or because your address
is its notification address.
`);
  });

  it.each([
    [
      'repeatedFailure',
      '25 callouts in a row used up their attempts',
      `PATCH ${root}/CompanyWebhooks/12 {"isActive":true}`,
    ],
    ['gone', 'status 410 (Gone)', `DELETE ${root}/CompanyWebhooks/12`],
    ['ownerDeactivated', 'The resource that owns the webhook was deactivated', '{"states":["cancelled"]}'],
    ['ownerDeleted', 'The resource that owned the webhook was deleted', `POST ${root}/CompanyWebhooks\n`],
  ])('of a deactivation contain the reason (%s), what is lost and what to do', (cause, why, request) => {
    const { text } = mailOf('deactivated', { facts: { cause } });
    expect(unwrapped(text)).toMatch(/callout redeliver --webhook \S+ --since \S+Z --inactive/u);
    for (const part of [why, request, '21 November 2026, 16:00 UTC', '1,312 callouts']) {
      expect(unwrapped(text)).toContain(unwrapped(part));
    }
    expect(text.includes(lastFailure)).toBe(cause === 'repeatedFailure' || cause === 'gone');
  });

  it.each([
    [1, 1, '1 callout in a row failed', '1 of 1'],
    [3, 25, 'when 25 callouts in a row have failed; so far 3 have', '3 of 25'],
    [25, 25, 'You get another mail about that', '25 of 25'],
    [400, 0, 'Later callouts are still delivered, however many fail.', ' 400\n'],
  ])('of an error explain %d failures in a row where %d deactivate', (failedInRow, deactivateAfter, next, fact) => {
    const { text } = mailOf('error', { facts: { failedInRow, deactivateAfter } });
    expect(unwrapped(text)).toContain(next);
    expect(text).toContain(`Failed in a row:     ${fact.trimStart()}`);
  });

  it.each([
    [
      { cause: 'repeatedFailure', lastFailure: 'The receiver answered 500: it failed. See its log.' },
      'because 25 callouts in a row failed; at last the receiver answered 500: it failed.',
    ],
    [{ cause: 'gone' }, 'because its receiver answered 410 (Gone).'],
    [{ cause: 'ownerDeleted' }, 'because its owner was deleted.'],
  ])('of a deactivation begin with its cause: %j', (facts, cause) => {
    const { text } = mailOf('deactivated', { facts });
    expect(unwrapped(text)).toMatch(/^The webhook “Billing sync” was deactivated, because/u);
    expect(unwrapped(text)).toContain(cause);
  });

  it('say how many callouts wait, and why', () => {
    const waits = (waiting: WaitingCallouts) => {
      const { text } = write(
        'thresholdExceeded',
        [{ webhook, tenant, facts: examples.thresholdExceeded }],
        {},
        0,
        waiting,
      );
      return /^ {2}Waiting: +(.*)$/mu.exec(text)?.[1];
    };
    expect(waits({ due: 0, behind: 1_050, held: 9 })).toBe(
      '1,059 callouts (9 held by the threshold, 1,050 behind an earlier callout of their record)',
    );
    expect(waits({ due: 1, behind: 0, held: 0 })).toBe('1 callout');
    expect(waits({ due: 9_000, behind: 0, held: 1_000 })).toBe('10,000 callouts or more');
  });

  it('of the threshold say that held callouts are kept, and later that it is over', () => {
    const held = unwrapped(mailOf('thresholdExceeded').text);
    for (const part of ['the held callouts are kept', '1,500 callouts an hour', 'one more mail'])
      expect(held).toContain(part);
    const { text } = mailOf('caughtUp');
    for (const part of ['2 hours 8 minutes', '20 November 2026, 13:50 UTC', '1,250 callouts']) {
      expect(text).toContain(part);
    }
    // It is also over when the held callouts were cancelled: then there may be no capacity at all.
    expect(unwrapped(text)).toContain('has been released or cancelled');
    expect(text).not.toContain('has room');
  });

  it.each(kinds)('of %s have the same content as text and as HTML', (kind) => {
    const { text, html } = mailOf(kind);
    const shown = html.replace(/^[\s\S]*<body/u, '<').replace(/<[^>]*>/gu, ' ');
    const words = (all: string) =>
      new Set(
        unescaped(all)
          .toLowerCase()
          .match(/[\p{L}\d/]{2,}/gu),
      );
    const inHtml = words(shown);
    const inText = words(text);
    expect([...inText].filter((word) => !inHtml.has(word))).toEqual([]);
  });

  it.each(kinds)('of %s show foreign text as text, never as HTML', (kind) => {
    const hostile = '"><script>alert(\'x\')</script><a href="https://evil.example">&amp;';
    const facts = 'lastFailure' in examples[kind] ? { lastFailure: hostile } : {};
    const { html, text } = mailOf(kind, { webhook: { name: hostile, webhookUrl: `https://x/${hostile}` }, facts });
    const tagsOf = (all: string) => all.match(/<[^>]*>/gu)?.map((tag) => tag.split(' ')[0]);
    expect(tagsOf(html)).toEqual(tagsOf(mailOf(kind).html));
    expect(html).toContain('&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)');
    expect(unwrapped(text)).toContain(unwrapped(hostile));
  });

  it('shorten a long response to one line', () => {
    const { text } = mailOf('error', { facts: { lastFailure: `a\nb${'🚨'.repeat(5_000)}` } });
    const [line = ''] = /^ {2}Last failure: .*$/mu.exec(text) ?? [];
    expect(line).toContain('a b🚨');
    expect(line.length).toBeLessThan(530);
    expect(line).toMatch(/🚨…$/u);
  });

  it('omit unknown facts', () => {
    const { text } = mailOf('error', { facts: { lastFailure: null, failingSince: null, eventTime: null } });
    expect(text).not.toMatch(/Last failure|Failing since|Time of the change|null/u);
  });

  it('omit the query of an address, which may be a secret of the receiver', () => {
    for (const kind of kinds) {
      expect(`${mailOf(kind).text}${mailOf(kind).html}`).not.toMatch(/for-the-receiver-only|#part/u);
    }
  });

  it('link to the webhook in the console, and nowhere else', () => {
    for (const kind of kinds) {
      expect(mailOf(kind).html.match(/(?:href|src)="[^"]*"/gu)).toEqual([`href="${consoleUrl}/CompanyWebhooks/12"`]);
    }
    const content = { webhook, facts: examples.error };
    const { text, html } = write('error', [content], { consoleUrl: undefined, hasConsole: false });
    expect(`${text}${html}`).not.toMatch(/href|console/u);
  });

  it("link to the page of the callout or webhook in Callout's console, when there is no other", () => {
    const linkOf = (kind: NotificationKind, changes: Partial<MailContext> = {}, count = 1) => {
      const contents = Array.from({ length: count }, (_, n) => ({
        webhook: { ...webhook, guid: `${webhook.guid.slice(0, -1)}${n}` },
        tenant,
        facts: examples[kind],
      }));
      const mail = write(kind, JSON.parse(JSON.stringify(contents)) as unknown[], {
        consoleUrl: undefined,
        ...changes,
      });
      return /href="([^"]*)"/u.exec(mail.html)?.[1];
    };
    const own = 'https://callout.example.com/console';
    expect(linkOf('error')).toBe(`${own}/webhooks/Account/12/callouts/${calloutId}`);
    expect(linkOf('failing')).toBe(`${own}/webhooks/Account/12`);
    expect(linkOf('recovered')).toBe(`${own}/webhooks/Account/12`);
    expect(linkOf('failing', {}, 2)).toBe(own);
    expect(linkOf('recovered', { publicUrl: undefined })).toBe('https://zone.example.com/console/webhooks/Account/12');
    // A CONSOLE_URL of Callout's own console means its pages.
    expect(linkOf('recovered', { consoleUrl: own })).toBe(`${own}/webhooks/Account/12`);
    expect(linkOf('recovered', { hasConsole: false })).toBeUndefined();
  });

  it('contain the URL of the API in the zone of the tenant, or its path, when no address is set', () => {
    const content = { webhook, tenant, facts: examples.error };
    const zone = write('error', [content], { publicUrl: undefined }).text;
    expect(zone).toContain('GET https://zone.example.com/atservicesrest/v1.0/CompanyWebhooks/12/Callouts');
    expect(zone).not.toContain('Installation:');
    const { text } = write('error', [{ ...content, tenant: undefined }], { publicUrl: undefined });
    expect(text).toContain('GET /atservicesrest/v1.0/CompanyWebhooks/12/Callouts');
  });

  it('contain the host of the installation', () => {
    const { text } = write('error', [{ webhook, tenant, facts: examples.error }], { publicUrl: 'https://staging' });
    expect(text).toMatch(/Installation: +staging/u);
  });

  it('of a failing webhook say when it is deactivated, or why that is unknown', () => {
    expect(unwrapped(mailOf('failing').text)).toContain('at about 22 November 2026, 09:30 UTC');
    const { text } = mailOf('failing', { facts: { deactivationAt: null } });
    expect(text).toMatch(/Deactivation: +Not known yet/u);
    expect(unwrapped(text)).toContain('takes 22 more callouts, and it is not known yet when they will have been tried');
    expect(unwrapped(text)).toContain('at about 21 November 2026, 16:00 UTC');
    const never = mailOf('failing', { facts: { deactivateAfter: 0, deactivationAt: null } }).text;
    expect(unwrapped(never)).toContain('is not deactivated, however many callouts fail');
  });

  it('of a webhook whose callouts are fetched mention no receiver', () => {
    for (const kind of kinds) {
      // The breaker does not pause such webhooks: there is nothing to call.
      const facts = kind === 'failing' ? { isPaused: false } : {};
      const { text } = mailOf(kind, {
        webhook: { webhookUrl: 'pull:', deliveryMode: 'pull', deactivationUrl: 'pull:', deactivationMode: 'pull' },
        facts,
      });
      expect(text).not.toMatch(/pull:|receiver can be reached|are sent|is sent/u);
    }
    const { text } = mailOf('failing', { webhook: { webhookUrl: 'pull:', deliveryMode: 'pull' } });
    expect(text).toMatch(/Receiver: +the program that fetches the callouts\n/u);
    expect(unwrapped(text)).toContain('a program fetches the callouts of this webhook and acknowledges them.');
  });

  it('can be written for an entity that is no longer in the catalogue', () => {
    expect(mailOf('error', { webhook: { entityType: 'Former' } }).text).toContain(`POST ${root}/Former/12/redeliver`);
  });

  it('are not written for an invalid notification', () => {
    expect(() => write('error', [{ webhook }])).toThrow('facts');
    expect(() => write('unheardOf', [{ webhook, facts: {} }])).toThrow('kind');
  });
});

describe('a mail about several webhooks', () => {
  const others = [12, 13, 14].map((id) => ({
    webhook: { ...webhook, id, guid: `2f6c1f2e-7f5e-4a0e-9c07-3b1f3c1f7b${id}`, name: `Sync ${id}` },
    tenant,
  }));

  it.each(kinds)('of the kind %s lists them, and its subject names the first and the number of others', (kind) => {
    const { subject, text, html } = write(
      kind,
      others.map((one) => ({ ...one, facts: examples[kind] })),
    );
    expect(subject).toMatch(/^\[callout\.example\.com\] Callout - [A-Z][a-z ]+: Sync 12 and 2 more$/u);
    for (const id of [12, 13, 14]) {
      for (const body of [text, html]) {
        expect(body).toContain(`Sync ${id}`);
        expect(body).toContain(`${root}/CompanyWebhooks/${id}`);
      }
    }
    expect(text.match(/Tenant: +Contoso/gu)).toHaveLength(1);
    expect(`${text}${html}`).not.toMatch(/\{\w+\}/u);
  });

  it('states a shared reason once, as that of each', () => {
    const facts = { ...examples.deactivated, cause: 'repeatedFailure', failedInRow: 3 };
    const { text } = write(
      'deactivated',
      others.map((one) => ({ ...one, facts })),
    );
    expect(unwrapped(text)).toContain(
      '3 webhooks were deactivated, because 3 callouts in a row failed; at last hooks.example.com did not answer within 10 s. For each of them: 3 callouts in a row used up their attempts, so the webhook was deactivated.',
    );
  });

  it('states a shared action once, with complete commands for the first three', () => {
    const { text } = write(
      'error',
      others.map((one) => ({ ...one, facts: examples.error })),
    );
    expect(text.match(/Send a test/gu)).toHaveLength(1);
    for (const id of [12, 13, 14]) {
      expect(text).toContain(`    callout webhooks test CompanyWebhooks/${id}\n`);
      expect(text).toContain(`POST ${root}/CompanyWebhooks/${id}/test\n`);
    }
    expect(text).not.toContain('For the other');
  });

  it('names the cause of all of them first, or of the first where it is not that of all', () => {
    const because = (...failures: string[]) => {
      const mail = failures.map((one, nth) => ({ ...others[nth], facts: { ...examples.failing, lastFailure: one } }));
      return write('failing', mail).text;
    };
    const [down, broken] = ['The receiver answered 503: it is not available. Check it.', 'The receiver answered 500.'];
    expect(because(down, down)).toMatch(
      /^2 webhooks are failing, because the receiver answered 503: it is not\savailable\./u,
    );
    expect(because(broken, down)).toMatch(/^2 webhooks are failing, the first because the receiver answered 500\./u);
  });

  it('describes the first fifty and counts the others', () => {
    const many = Array.from({ length: 60 }, (_, id) => ({
      webhook: { ...webhook, id, guid: String(id) },
      tenant,
      facts: examples.error,
    }));
    const { subject, text } = write('error', many);
    expect(subject).toBe(`${prefix}Callout - Error: Billing sync and 59 more`);
    expect(text.match(/^\* /gmu)).toHaveLength(50);
    expect(text).toContain('10 more webhooks are not described here.');
    expect(unwrapped(text)).toContain('For the other 57 webhooks, put the end of each address into the same commands');
  });

  it('about one webhook several times says how often', () => {
    const again = Array.from({ length: 13 }, () => ({ webhook, tenant, facts: examples.deactivated }));
    const { subject, text } = write('deactivated', again);
    expect(subject).toBe(`${prefix}Callout - Deactivated: Billing sync`);
    expect(text).toMatch(/Times: +13 since 20 November 2026, 16:05 UTC/u);
  });
});

describe('other mails', () => {
  it('ask for a confirmation by a link, and contain no text of a user of the tenant', () => {
    const [, olderKey = new Uint8Array()] = context.confirmationKeys;
    const token = confirmationToken('a ticket', olderKey);
    const tokenHash = hashConfirmationToken(token).toString('hex');
    const content = { tenant, facts: { ticket: 'a ticket', tokenHash, expiresAt: '2026-11-27T16:05:00Z' } };
    const { subject, text, html } = write('confirmation', [content]);
    expect(subject).toBe(`${prefix}Callout - Confirm this address`);
    const url = `https://callout.example.com/confirm-mail?token=${token}`;
    expect(text).toContain(`\n${url}\n`);
    expect(html.match(/href="[^"]*"/gu)).toEqual([`href="${url}"`]);
    expect(text).toContain('27 November 2026, 16:05 UTC');
  });

  it('are not written for a confirmation whose key is missing', () => {
    const facts = { ticket: 'a ticket', tokenHash: '00', expiresAt: '2026-11-27T16:05:00Z' };
    expect(() => write('confirmation', [{ tenant, facts }])).toThrow('SECRET_KEYS has no longer the key');
  });

  it('notify operators of a problem of the installation, and of its end', () => {
    const alert = {
      name: 'pendingEvents',
      title: 'events wait to be matched',
      detail: 'The oldest has waited for 6 minutes.',
      advice: [{ say: 'Check that a worker with the role match is running.' }],
      since,
    };
    const raised = write('alert', [alert]);
    expect(unwrapped(raised.text)).toMatch(/^callout\.example\.com needs attention: events wait to be matched\./u);
    expect(raised.subject).toBe(`${prefix}Callout - Alert: events wait to be matched`);
    expect(unwrapped(raised.text)).toContain('The oldest has waited for 6 minutes.');
    expect(raised.text).toContain('The console for operators:\nhttp://10.0.0.5:8082/console\n');
    expect(unwrapped(raised.text)).toContain('Check that a worker with the role match is running.');
    const over = write('alertOver', [{ ...alert, until: '2026-11-20T13:50:00Z' }]);
    expect(over.subject).toBe(`${prefix}Callout - Alert over: events wait to be matched`);
    expect(over.text).toContain('2 hours 8 minutes');
    // A past problem is not described as present.
    expect(unwrapped(over.text)).toContain('When it was raised: The oldest has waited for 6 minutes.');
    expect(write('alert', [alert, { ...alert, name: 'mail' }]).subject).toBe(
      `${prefix}Callout - Alert: events wait to be matched and 1 more`,
    );
  });
});

function unescaped(html: string): string {
  return html.replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}
