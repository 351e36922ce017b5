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
    const answer = await fetch(inbox.url);
    const page = await answer.text();
    expect(page).not.toContain('<script>');
    expect(page).toContain('&lt;script&gt;subject()');
    expect(page).toContain('&lt;script&gt;text()');
    expect(page).toContain('<iframe sandbox="" title="HTML part" height="640" srcdoc="&quot;&gt;&lt;script&gt;html()');
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('keeps as many mails as it is told, the newest', async () => {
    const inbox = await catcher({ keep: 2 });
    for (const subject of ['one', 'two', 'three']) await send(inbox, { subject });
    expect(inbox.messages().map(({ number, subject }) => [number, subject])).toEqual([
      [2, 'two'],
      [3, 'three'],
    ]);
  });

  it('refuses a mail that is too large and takes the next one', async () => {
    const inbox = await catcher();
    await expect(send(inbox, { subject: 'huge', text: 'x'.repeat(5 * 1024 * 1024) })).rejects.toThrow(/552/);
    await send(inbox, { subject: 'small' });
    expect(inbox.messages().map(({ subject }) => subject)).toEqual(['small']);
  });

  it('takes the ports it is given, and others where they are taken', async () => {
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
