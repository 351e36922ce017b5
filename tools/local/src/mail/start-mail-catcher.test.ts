import { afterEach, describe, expect, it } from '@jest/globals';
import { createTransport } from 'nodemailer';
import { steadyPort } from '../process/local-port.ts';
import { type MailCatcher, type MailCatcherOptions, startMailCatcher } from './start-mail-catcher.ts';

const running: MailCatcher[] = [];

async function catcher(options?: MailCatcherOptions): Promise<MailCatcher> {
  const started = await startMailCatcher(options);
  running.push(started);
  return started;
}

async function send(to: MailCatcher, mail: { subject: string; text?: string; html?: string }): Promise<void> {
  const transport = createTransport(to.smtpUrl);
  await transport.sendMail({
    from: 'Callout <no-reply@example.com>',
    to: 'Ann <ann@example.com>',
    bcc: 'bob@example.com',
    ...mail,
  });
  transport.close();
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.stop()));
});

describe('startMailCatcher', () => {
  it('keeps a mail with its subject, both bodies and the recipients of the envelope', async () => {
    const inbox = await catcher();
    await send(inbox, {
      subject: 'Callout - Error: Größe 🚨',
      text: 'two attempts failed',
      html: '<p>two attempts</p>',
    });
    const { items } = (await (await fetch(`${inbox.url}/messages`)).json()) as { items: unknown[] };
    expect(items).toEqual([
      expect.objectContaining({
        number: 1,
        from: 'Callout <no-reply@example.com>',
        to: ['Ann <ann@example.com>'],
        recipients: ['ann@example.com', 'bob@example.com'],
        subject: 'Callout - Error: Größe 🚨',
        text: expect.stringContaining('two attempts failed'),
        html: expect.stringContaining('<p>two attempts</p>'),
        messageId: expect.stringMatching(/^<.+@example\.com>$/),
      }),
    ]);
  });

  it('shows hostile mail escaped, and its HTML in a sandbox that may do nothing', async () => {
    const inbox = await catcher();
    await send(inbox, {
      subject: '<script>subject()</script>',
      text: '</pre><script>text()</script>',
      html: '"><script>html()</script>',
    });
    const pages = [];
    for (const path of [
      '/',
      '/mails/1',
      '/mails/1?view=text',
      '/mails/1?view=source',
      '/list?q=</a><script>q()</script>',
    ]) {
      const answer = await fetch(inbox.url + path);
      expect(answer.headers.get('content-security-policy')).toMatch(/default-src 'none'; script-src 'self'/);
      pages.push(await answer.text());
    }
    for (const page of pages) expect(page).not.toContain('<script>');
    const [list, html, text] = pages;
    expect(list).toContain('&lt;script&gt;subject()');
    expect(html).toContain('<iframe sandbox="" title="HTML part" srcdoc="&quot;&gt;&lt;script&gt;html()');
    expect(text).toContain('&lt;script&gt;text()');
  });

  it('lists a hundred mails, newest first, with recipient and time, and finds all with a text', async () => {
    const inbox = await catcher();
    const transport = createTransport({ url: inbox.smtpUrl, pool: true });
    for (let n = 1; n <= 110; n++) {
      await transport.sendMail({
        from: 'a@example.com',
        to: `p${n}@example.com`,
        subject: `Mail ${n}.`,
        text: `body-${n}-`,
      });
    }
    transport.close();
    const list = await (await fetch(`${inbox.url}/list`)).text();
    const subjects = [...list.matchAll(/class="subject">([^<]*)</g)].map(([, subject]) => subject);
    expect(subjects).toHaveLength(110);
    expect(subjects.slice(0, 2)).toEqual(['Mail 110.', 'Mail 109.']);
    expect(list).toContain('to p110@example.com');
    expect(list).toMatch(/<time datetime="20/);
    const found = async (q: string) => {
      const part = await (await fetch(`${inbox.url}/list?${new URLSearchParams({ q }).toString()}`)).text();
      return [...part.matchAll(/href="\/mails\/(\d+)\?/g)].map(([, number]) => Number(number));
    };
    expect(await found('MAIL 17.')).toEqual([17]);
    expect(await found('p42@')).toEqual([42]);
    expect(await found('body-7-')).toEqual([7]);
    expect(await found('nothing of that')).toEqual([]);
  });

  it('opens one mail beside the list, as HTML, as text and as it came', async () => {
    const inbox = await catcher();
    await send(inbox, { subject: 'both', text: 'as text', html: '<p>as HTML</p>' });
    await send(inbox, { subject: 'plain', text: 'only text' });
    const open = async (path: string) => (await fetch(inbox.url + path)).text();
    expect(await open('/mails/1')).toContain('srcdoc="&lt;p&gt;as HTML&lt;/p&gt;');
    expect(await open('/mails/1?view=text')).toMatch(/<pre>as text\s*<\/pre>/);
    expect(await open('/mails/1?view=source')).toContain('Subject: both');
    expect(await open('/mails/2?view=html')).toMatch(/<pre>only text\s*<\/pre>/);
    expect(await open('/mails/2')).toMatch(/href="\/mails\/2" aria-current="page"/);
    expect((await fetch(`${inbox.url}/mails/3`)).status).toBe(404);
    expect((await fetch(`${inbox.url}//`)).status).toBe(404);
  });

  it('is not reloaded, but notified of each arrival', async () => {
    const inbox = await catcher();
    const page = await (await fetch(inbox.url)).text();
    expect(page).not.toContain('http-equiv="refresh"');
    expect(page).toContain('<script src="/live.js" defer></script>');
    expect((await fetch(`${inbox.url}/live.js`)).headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    const updates = await fetch(`${inbox.url}/updates`);
    expect(updates.headers.get('content-type')).toBe('text/event-stream');
    await send(inbox, { subject: 'one' });
    let streamed = '';
    for await (const chunk of updates.body ?? []) {
      streamed += new TextDecoder().decode(chunk as Uint8Array);
      if (streamed.includes('data: ')) break;
    }
    expect(streamed).toContain('data: changed\n\n');
  });

  it('keeps the configured number of mails, the newest', async () => {
    const inbox = await catcher({ keep: 2 });
    for (const subject of ['one', 'two', 'three']) await send(inbox, { subject });
    expect(inbox.messages().map(({ number, subject }) => [number, subject])).toEqual([
      [2, 'two'],
      [3, 'three'],
    ]);
  });

  it('refuses a mail that is too large and accepts the next one', async () => {
    const inbox = await catcher();
    await expect(send(inbox, { subject: 'huge', text: 'x'.repeat(5 * 1024 * 1024) })).rejects.toThrow(/552/);
    await send(inbox, { subject: 'small' });
    expect(inbox.messages().map(({ subject }) => subject)).toEqual(['small']);
  });

  it('uses the given ports, and others where they are in use', async () => {
    const [smtpPort, httpPort] = [await steadyPort(), await steadyPort()];
    const first = await catcher({ smtpPort, httpPort });
    expect([first.smtpUrl, first.url]).toEqual([`smtp://127.0.0.1:${smtpPort}`, `http://127.0.0.1:${httpPort}`]);
    const second = await catcher({ smtpPort, httpPort });
    expect(second.smtpUrl).not.toBe(first.smtpUrl);
    await send(second, { subject: 'for the second' });
    expect(second.messages()).toHaveLength(1);
    expect(first.messages()).toHaveLength(0);
  });
});
