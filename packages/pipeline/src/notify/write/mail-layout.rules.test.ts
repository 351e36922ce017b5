import { describe, expect, it } from '@jest/globals';
import { confirmationToken, hashConfirmationToken } from './confirmation-token.rules.ts';
import { context, examples, kinds, mailOf, tenant, unwrapped, webhook, write } from './mail.rules.fixture.ts';

const own = 'https://callout.example.com/console';
/** Mails link to Callout's console. */
const ownConsole = { consoleUrl: undefined };
const contentOf = (kind: (typeof kinds)[number], changes: object = {}) => ({
  webhook: { ...webhook, ...changes },
  tenant,
  facts: examples[kind],
});

describe('the subject of a mail', () => {
  const subjectWith = (publicUrl: string | undefined, isOneOfSeveral: boolean) => {
    const content = { webhook, tenant: { ...tenant, isOneOfSeveral }, facts: examples.failing };
    return write('failing', [content], { publicUrl }).subject;
  };

  it.each([
    ['https://callout.example.com', true, '[callout.example.com / Contoso] '],
    ['https://callout.example.com:8443', false, '[callout.example.com:8443] '],
    [undefined, true, '[Contoso] '],
    [undefined, false, ''],
  ])('of an installation at %s, with other tenants: %s, begins with %j', (url, others, prefix) => {
    expect(subjectWith(url, others)).toBe(`${prefix}Callout - Failing: Billing sync`);
  });

  it('shortens a long name, and needs no tenant in notifications of older versions', () => {
    const long = subjectWith(`https://${'x'.repeat(100)}`, false);
    expect(long).toBe(`[${'x'.repeat(39)}…] Callout - Failing: Billing sync`);
    const { subject } = write('failing', [{ webhook, facts: examples.failing }], { publicUrl: 'https://staging' });
    expect(subject).toBe('[staging] Callout - Failing: Billing sync');
  });

  it('of an alert and of a confirmation also names the installation', () => {
    const alert = {
      name: 'mail',
      title: 'it is slow',
      detail: 'It is slow.',
      advice: [{ say: 'Wait.' }],
      since: '2026-11-20T11:42:10Z',
    };
    expect(write('alert', [alert], { publicUrl: 'https://staging' }).subject).toBe(
      '[staging] Callout - Alert: it is slow',
    );
    const [key = new Uint8Array()] = context.confirmationKeys;
    const tokenHash = hashConfirmationToken(confirmationToken('a ticket', key)).toString('hex');
    const facts = { ticket: 'a ticket', tokenHash, expiresAt: '2026-11-27T16:05:00Z' };
    const { subject } = write('confirmation', [{ tenant, facts }], { publicUrl: 'https://staging' });
    expect(subject).toBe('[staging] Callout - Confirm this address');
  });
});

describe('a mail', () => {
  it.each(kinds)('of %s has the console first, then commands, and requests to the API last', (kind) => {
    const { text, html } = write(kind, [contentOf(kind)], ownConsole);
    for (const body of [text, html]) {
      const link = body.indexOf(`${own}/webhooks/Account/12`);
      const next = body.toLowerCase().indexOf('what happens next');
      const requests = body.toLowerCase().indexOf('the same as requests to the api');
      expect(link).toBeGreaterThan(0);
      expect(link).toBeLessThan(next);
      const commands = /callout (?:webhooks|deliveries|failed|redeliver) /gu;
      if (requests === -1) expect(body).not.toMatch(commands);
      for (const { index } of body.matchAll(commands)) expect(index).toBeLessThan(requests);
      for (const place of positionsOf(body, 'GET http')) expect(place).toBeGreaterThan(requests);
      for (const place of positionsOf(body, 'POST http')) expect(place).toBeGreaterThan(requests);
    }
  });

  it('about several webhooks links the console, and the page of each of them', () => {
    const contents = [12, 13].map((id) => contentOf('failing', { id, guid: String(id), name: `Sync ${id}` }));
    const { text, html } = write('failing', contents, ownConsole);
    const links = [own, `${own}/webhooks/Account/12`, `${own}/webhooks/Account/13`];
    expect(html.match(/href="[^"]*"/gu)).toEqual(links.map((link) => `href="${link}"`));
    expect(text).toMatch(/\* Sync 13\n {2}https:\/\/callout\.example\.com\/console\/webhooks\/Account\/13\n/u);
    for (const id of [12, 13]) expect(text).toContain(`callout webhooks test CompanyWebhooks/${id}\n`);
  });

  it('breaks an address that is wider than a telephone, wherever it is', () => {
    const { html } = mailOf('failing');
    expect(html).toMatch(/<div style="max-width:640px[^"]*overflow-wrap:anywhere;word-break:break-word">/u);
    expect(html.match(/<code style="[^"]*"/gu)?.every((code) => code.includes('overflow-wrap:anywhere'))).toBe(true);
  });
});

describe('a mail about a failing webhook', () => {
  const failing = (facts: object, ageMs = 0) => {
    const { text } = write(
      'failing',
      [{ ...contentOf('failing'), facts: { ...examples.failing, ...facts } }],
      {},
      ageMs,
    );
    return unwrapped(text);
  };
  const since = '2026-11-20T11:40:00.000Z';

  it('says that nothing is lost only while nothing failed', () => {
    const none = failing({ failed: 0, failedInRow: 0 });
    expect(none).toContain('40 callouts wait. None failed, and none is lost.');
    expect(none).not.toContain('redeliver');
    const some = failing({ failed: 3, failedSince: since });
    expect(some).toContain('40 callouts wait, and 3 callouts failed after the last attempt.');
    expect(some).not.toContain('lost');
    expect(some).toContain(`callout redeliver --webhook CompanyWebhooks/12 --state failed --since ${since}`);
    expect(some).toContain(`/redeliver {"states":["failed"],"since":"${since}"}`);
  });

  it('states the time of the next attempt, and omits it once it has passed', () => {
    const facts = { isPaused: false, nextAttemptAt: '2026-11-20T16:30:00Z' };
    const soon = failing(facts);
    expect(soon).toContain('Next attempt: 20 November 2026, 16:30 UTC');
    expect(soon).toContain('The next attempt is made at about 20 November 2026, 16:30 UTC.');
    expect(failing(facts, 3_600_000)).not.toContain('ext attempt');
  });

  it('says that the program does not fetch, for callouts that are fetched', () => {
    const unfetched = { ...contentOf('failing', { webhookUrl: 'pull:', deliveryMode: 'pull' }) };
    const facts = {
      ...examples.failing,
      isUnfetched: true,
      isPaused: false,
      lastFailure: null,
      failedInRow: 0,
      failed: 0,
    };
    const { text } = write('failing', [{ ...unfetched, facts: { ...facts, deactivationAt: null } }]);
    const body = unwrapped(text);
    expect(body).toContain('The callouts of “Billing sync” are not being fetched.');
    expect(body).toContain(
      'Callouts have been waiting since 20 November 2026, 11:42 UTC, and no program has fetched any of them.',
    );
    expect(body).toContain('If the oldest callout is not fetched by 21 November 2026, 16:00 UTC, it fails');
    expect(body).not.toMatch(/deactivated|receiver|answered|webhooks test/u);
  });
});

describe('a mail about a recovered webhook', () => {
  const recovered = (facts: object) => unwrapped(mailOf('recovered', { facts }).text);

  it('says how many callouts failed meanwhile, and how to redeliver them', () => {
    const body = recovered({ failed: 2, failedSince: '2026-11-20T11:40:00.000Z' });
    expect(body).toContain('2 callouts failed in the meantime.');
    expect(body).toContain('--state failed --since 2026-11-20T11:40:00.000Z');
    expect(recovered({ failed: 0 })).toContain('No callout failed in the meantime.');
    expect(recovered({ failed: 0 })).toContain('There is nothing to do.');
  });

  it('says that the threshold still holds some, whatever else there is nothing to do about', () => {
    const content = contentOf('recovered');
    const { text } = write('recovered', [{ ...content, facts: { ...content.facts, failed: 0 } }], {}, 0, {
      ...{ due: 20, behind: 0, held: 830 },
    });
    expect(unwrapped(text)).toContain('Waiting: 850 callouts (830 held by the threshold, 20 due now');
    expect(unwrapped(text)).toContain('The threshold still holds callouts of this webhook');
  });
});

function positionsOf(text: string, part: string): number[] {
  return [...text.matchAll(new RegExp(part.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`), 'gu'))].map(
    ({ index }) => index,
  );
}
