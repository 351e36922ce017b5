import { afterEach, describe, expect, it } from '@jest/globals';
import { aMail, createMailerSetup } from './mailer.fixture.ts';

const setup = createMailerSetup();
afterEach(() => setup.stop());

describe('a mail', () => {
  it('arrives with its subject, both bodies, sender and recipient, and requests no automatic reply', async () => {
    const server = await setup.server();
    expect(await setup.mailer(server.port).send(aMail())).toEqual({ kind: 'sent' });
    const [mail] = server.mails();
    expect(mail).toMatchObject({
      from: 'Callout, Größe <callout@mail.example.com>',
      to: ['ann@example.com'],
      recipients: ['ann@example.com'],
      subject: 'Callout - Error: x',
      text: expect.stringContaining('it failed'),
      html: expect.stringContaining('<p>it failed</p>'),
      messageId: '<0190-a@mail.example.com>',
    });
    expect(mail?.source).toContain('multipart/alternative');
    expect(mail?.source).toMatch(/^Auto-Submitted: auto-generated\r?$/mu);
  });

  it('has the same Message-ID each time it is sent', async () => {
    const server = await setup.server();
    for (const id of ['0190-a', '0190-b', '0190-a']) await setup.mailer(server.port).send(aMail({ id }));
    const ids = server.mails().map(({ messageId }) => messageId);
    expect(ids).toEqual(['<0190-a@mail.example.com>', '<0190-b@mail.example.com>', '<0190-a@mail.example.com>']);
  });

  it.each([
    'Callout - Error: plain',
    'Callout - Error: =?utf-8?q?=48=49?= =?utf-8?b?SGk=?=',
    `Callout - Error: =?utf-8?q?${'x'.repeat(60)}?= Größe 🚨`,
    'Callout - Error: Größe 🚨 👨‍👩‍👧 חיוב',
    `Callout - Error: ${'very long '.repeat(12)}end`,
    'Callout - Error: <script>alert(1)</script> "quoted" (comment)',
  ])('has its subject unchanged: %s', async (subject) => {
    const server = await setup.server();
    await setup.mailer(server.port).send(aMail({ subject }));
    expect(server.mails()[0]?.subject).toBe(subject);
  });

  it('gets no header and no recipient from its subject', async () => {
    const server = await setup.server();
    const subject = 'x\r\nBcc: everybody@example.com\r\n\r\nbody';
    await setup.mailer(server.port).send(aMail({ subject }));
    const [mail] = server.mails();
    expect(mail?.recipients).toEqual(['ann@example.com']);
    expect(mail?.source).not.toMatch(/^Bcc|^body/imu);
    expect(mail?.source.match(/^Subject:/gmu)).toHaveLength(1);
  });

  it.each([
    'ann@example.com, bob@example.com',
    'ann@example.com\r\nRCPT TO:<bob@example.com>',
    'Ann <ann@example.com>',
    'ann@example.com(comment)',
    '"a b"@example.com',
    'ann',
  ])('is refused for the address %j before any server is contacted', async (recipient) => {
    const server = await setup.server();
    expect(await setup.mailer(server.port).send(aMail({ recipient }))).toMatchObject({ kind: 'refused' });
    expect(server.sessions()).toEqual([]);
  });

  it('reads no file and no URL, whatever its text', async () => {
    const server = await setup.server();
    const html = '<img src="file:///etc/passwd"><img src="http://127.0.0.1:1/x">';
    await setup.mailer(server.port).send(aMail({ html, text: '{"path":"/etc/passwd"}' }));
    expect(server.mails()[0]?.html).toContain(html);
  });
});
