import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { MailOutcome } from '@callout/core';
import {
  eventually,
  startScriptedMailServer,
  type ScriptedMailServer,
  type ScriptedMailServerOptions,
} from '@callout/testing';
import { createMailer, type Mailer, type MailerDeps, type OutgoingMail } from './mail.ts';
import { testCertificate, testKey } from './test/certificates.ts';

const certificate = { key: testKey, cert: testCertificate };
const credentials = { user: 'callout@example.com', password: 'p:a ss/w€rd' };
const from = { name: 'Callout, Größe', address: 'callout@mail.example.com' };

const stops: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

async function serverWith(options?: ScriptedMailServerOptions): Promise<ScriptedMailServer> {
  const server = await startScriptedMailServer(options);
  stops.push(server.stop);
  return server;
}

interface MailerChanges extends Partial<Omit<MailerDeps, 'server'>> {
  server?: Partial<MailerDeps['server']>;
}

function mailerTo(port: number, { server, ...changes }: MailerChanges = {}): Mailer {
  const mailer = createMailer({
    server: { host: '127.0.0.1', port, isTls: false, credentials: undefined, ...server },
    tls: 'auto',
    timeoutMs: 5_000,
    from,
    replyTo: undefined,
    ...changes,
  });
  stops.push(() => mailer.close());
  return mailer;
}

function aMail(changes: Partial<OutgoingMail> = {}): OutgoingMail {
  const written = { subject: 'Callout - Error: x', text: 'it failed\n', html: '<p>it failed</p>' };
  return { id: '0190-a', recipient: 'ann@example.com', ...written, ...changes };
}

const reasonOf = (outcome: MailOutcome): string => (outcome.kind === 'sent' ? '' : outcome.reason);

describe('a mail', () => {
  it('arrives with its subject, both bodies, sender and recipient, and asks for no automatic answer', async () => {
    const server = await serverWith();
    const replyTo = { name: '', address: 'help@example.com' };
    expect(await mailerTo(server.port, { replyTo }).send(aMail())).toEqual({ kind: 'sent' });
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
    expect(mail?.source).toMatch(/^Reply-To: help@example\.com\r?$/mu);
  });

  it('has the same Message-ID each time it is sent', async () => {
    const server = await serverWith();
    for (const id of ['0190-a', '0190-b', '0190-a']) await mailerTo(server.port).send(aMail({ id }));
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
  ])('shows its subject as it was written: %s', async (subject) => {
    const server = await serverWith();
    await mailerTo(server.port).send(aMail({ subject }));
    expect(server.mails()[0]?.subject).toBe(subject);
  });

  it('gets no header and no recipient from its subject', async () => {
    const server = await serverWith();
    const subject = 'x\r\nBcc: everybody@example.com\r\n\r\nbody';
    await mailerTo(server.port).send(aMail({ subject }));
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
  ])('is refused for the address %j before any server hears of it', async (recipient) => {
    const server = await serverWith();
    expect(await mailerTo(server.port).send(aMail({ recipient }))).toMatchObject({ kind: 'refused' });
    expect(server.sessions()).toEqual([]);
  });

  it('reads no file and asks no address, whatever it says', async () => {
    const server = await serverWith();
    const html = '<img src="file:///etc/passwd"><img src="http://127.0.0.1:1/x">';
    await mailerTo(server.port).send(aMail({ html, text: '{"path":"/etc/passwd"}' }));
    expect(server.mails()[0]?.html).toContain(html);
  });
});

describe('a server that does not take a mail', () => {
  it('refuses one recipient for good while the other gets the mail', async () => {
    const server = await serverWith();
    server.script('gone@example.com', { to: 'recipient', code: 550, text: '5.1.1 <gone@example.com> unknown' });
    const mailer = mailerTo(server.port);
    const [gone, ann] = await Promise.all([
      mailer.send(aMail({ recipient: 'gone@example.com' })),
      mailer.send(aMail({ recipient: 'ann@example.com' })),
    ]);
    expect(gone).toEqual({ kind: 'refused', reason: expect.stringContaining('550 5.1.1 <[recipient]> unknown') });
    expect(ann).toEqual({ kind: 'sent' });
    expect(server.mails().map(({ recipients }) => recipients)).toEqual([['ann@example.com']]);
  });

  it.each([
    ['recipient', 550, 'refused'],
    ['recipient', 553, 'refused'],
    ['mail', 552, 'refused'],
    ['mail', 554, 'refused'],
    ['recipient', 450, 'notSent'],
    ['recipient', 421, 'notSent'],
    ['mail', 451, 'notSent'],
    ['mail', 452, 'notSent'],
    ['recipient', 530, 'notSent'],
    ['recipient', 503, 'notSent'],
  ] as const)('answers to the %s with %d: %s', async (to, code, kind) => {
    const server = await serverWith();
    server.script('ann@example.com', { to, code, text: 'so it is' });
    const outcome = await mailerTo(server.port).send(aMail());
    expect(outcome).toEqual({ kind, reason: expect.stringContaining(`${code} so it is`) });
  });

  it('is away', async () => {
    const server = await serverWith();
    await server.stop();
    const outcome = await mailerTo(server.port).send(aMail());
    expect(outcome).toEqual({ kind: 'notSent', reason: expect.stringContaining('ECONNREFUSED') });
  });

  it.each([
    ['is not ready', '554 no service here\r\n', '554 no service here'],
    ['is no mail server', 'HTTP/1.1 400 Bad Request\r\n\r\n', 'HTTP/1.1 400'],
  ])('%s', async (_what, greeting, reason) => {
    const port = await rawServer((socket) => void socket.write(greeting));
    const outcome = await mailerTo(port).send(aMail());
    expect(outcome).toEqual({ kind: 'notSent', reason: expect.stringContaining(reason) });
  });

  it('breaks off', async () => {
    const port = await rawServer((socket) => void socket.end('220 ready\r\n'));
    expect(await mailerTo(port).send(aMail())).toMatchObject({ kind: 'notSent' });
  });

  it('is known by a name that nobody knows', async () => {
    const outcome = await mailerTo(25, { server: { host: 'mail.invalid' }, timeoutMs: 2_000 }).send(aMail());
    expect(outcome).toMatchObject({ kind: 'notSent' });
  });
});

describe('a server that takes too long', () => {
  it.each([
    ['says nothing', () => undefined],
    ['says one byte now and then', dripFeed],
  ])('%s: the mail is not sent, and the connection is closed', async (_what, behave) => {
    let isClosed = false;
    const port = await rawServer((socket) => {
      socket.on('close', () => (isClosed = true));
      behave(socket);
    });
    const outcome = await mailerTo(port, { timeoutMs: 200 }).send(aMail());
    expect(outcome.kind).toBe('notSent');
    await eventually(() => isClosed);
  });

  it('has taken the mail and does not say so: nobody can know', async () => {
    const server = await serverWith();
    server.script('ann@example.com', 'hang');
    expect(await mailerTo(server.port, { timeoutMs: 300 }).send(aMail())).toEqual({
      kind: 'notSent',
      reason: 'it took longer than 300 ms',
    });
    expect(server.mails()).toHaveLength(1);
  });

  it('is left when the process stops', async () => {
    const server = await serverWith();
    server.script('ann@example.com', 'hang');
    const mailer = mailerTo(server.port, { timeoutMs: 60_000 });
    const sending = mailer.send(aMail());
    await eventually(() => server.mails().length === 1);
    mailer.close();
    expect(reasonOf(await sending)).toContain('process stopped');
    expect(reasonOf(await mailer.send(aMail()))).toContain('process stopped');
  });
});

describe('a login', () => {
  it('goes with user and password as they are', async () => {
    const server = await serverWith({ credentials });
    const mailer = mailerTo(server.port, { server: { credentials }, tls: 'off' });
    expect(await mailer.send(aMail())).toEqual({ kind: 'sent' });
    expect(server.sessions()).toEqual([{ isTls: false, user: credentials.user }]);
  });

  it('that is wrong delays mail and loses none, and shows no password', async () => {
    const server = await serverWith({ credentials });
    const wrong = { user: 'callout', password: 'hunter2"wrong' };
    const outcome = await mailerTo(server.port, { server: { credentials: wrong }, tls: 'off' }).send(aMail());
    expect(outcome).toEqual({
      kind: 'notSent',
      reason: expect.stringMatching(/535 no entry for callout with \[redacted\]/u),
    });
    const encoded = Buffer.from(`\0${wrong.user}\0${wrong.password}`).toString('base64');
    expect(reasonOf(outcome)).not.toMatch(new RegExp(`hunter2|${encoded}`, 'u'));
  });

  it('that the server does not want is no reason to send without one', async () => {
    const server = await serverWith();
    const outcome = await mailerTo(server.port, { server: { credentials }, tls: 'off' }).send(aMail());
    expect(outcome.kind).toBe('notSent');
    expect(server.mails()).toEqual([]);
  });

  it.each(['auto', 'required'] as const)('goes over no connection that is not encrypted (SMTP_TLS=%s)', async (tls) => {
    const server = await serverWith({ credentials });
    const outcome = await mailerTo(server.port, { server: { credentials }, tls }).send(aMail());
    expect(outcome.kind).toBe('notSent');
    expect(server.sessions()).toEqual([]);
  });
});

describe('TLS', () => {
  it.each([
    ['auto', 'sent'],
    ['unverified', 'sent'],
    ['required', 'notSent'],
  ] as const)('with a certificate that nobody vouches for, SMTP_TLS=%s: %s', async (tls, kind) => {
    const server = await serverWith({ certificate });
    expect(await mailerTo(server.port, { tls }).send(aMail())).toMatchObject({ kind });
    expect(server.sessions()).toEqual(kind === 'sent' ? [{ isTls: true, user: undefined }] : []);
  });

  it('is required as soon as there is a password', async () => {
    const server = await serverWith({ certificate, credentials });
    const outcome = await mailerTo(server.port, { server: { credentials } }).send(aMail());
    expect(outcome).toEqual({ kind: 'notSent', reason: expect.stringMatching(/certificate/u) });
  });

  it('can be off although it is offered', async () => {
    const server = await serverWith({ certificate });
    expect(await mailerTo(server.port, { tls: 'off' }).send(aMail())).toEqual({ kind: 'sent' });
    expect(server.sessions()).toEqual([{ isTls: false, user: undefined }]);
  });

  it.each([
    ['unverified', 'sent'],
    ['auto', 'notSent'],
    ['off', 'notSent'],
  ] as const)('begins with the first byte of smtps, SMTP_TLS=%s: %s', async (tls, kind) => {
    const server = await serverWith({ certificate: { ...certificate, isTls: true } });
    expect(await mailerTo(server.port, { server: { isTls: true }, tls }).send(aMail())).toMatchObject({ kind });
  });
});

/** A server that is none: it does to each connection what it is told. */
async function rawServer(behave: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    behave(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

function dripFeed(socket: Socket): void {
  socket.write('220-');
  const timer = setInterval(() => socket.write('x'), 20);
  socket.on('close', () => clearInterval(timer));
}
