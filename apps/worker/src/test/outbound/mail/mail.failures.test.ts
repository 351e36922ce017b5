import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { MailOutcome } from '@callout/domain/mail/mail-message';
import { eventually } from '@callout/testing';
import { aMail, createMailerSetup } from './mailer.fixture.ts';

const setup = createMailerSetup();
afterEach(() => setup.stop());

const reasonOf = (outcome: MailOutcome): string => (outcome.kind === 'sent' ? '' : outcome.reason);

describe('a mail server that does not accept a mail', () => {
  it('permanently refuses one recipient while the other gets the mail', async () => {
    const server = await setup.server();
    server.script('gone@example.com', { to: 'recipient', code: 550, text: '5.1.1 <gone@example.com> unknown' });
    const mailer = setup.mailer(server.port);
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
    const server = await setup.server();
    server.script('ann@example.com', { to, code, text: 'so it is' });
    const outcome = await setup.mailer(server.port).send(aMail());
    expect(outcome).toEqual({ kind, reason: expect.stringContaining(`${code} so it is`) });
  });

  it('is away', async () => {
    const server = await setup.server();
    await server.stop();
    const outcome = await setup.mailer(server.port).send(aMail());
    expect(outcome).toEqual({ kind: 'notSent', reason: expect.stringContaining('ECONNREFUSED') });
  });

  it.each([
    ['is not ready', '554 no service here\r\n', '554 no service here'],
    ['is no mail server', 'HTTP/1.1 400 Bad Request\r\n\r\n', 'HTTP/1.1 400'],
  ])('%s', async (_what, greeting, reason) => {
    const port = await setup.rawServer((socket) => void socket.write(greeting));
    const outcome = await setup.mailer(port).send(aMail());
    expect(outcome).toEqual({ kind: 'notSent', reason: expect.stringContaining(reason) });
  });

  it('breaks off', async () => {
    const port = await setup.rawServer((socket) => void socket.end('220 ready\r\n'));
    expect(await setup.mailer(port).send(aMail())).toMatchObject({ kind: 'notSent' });
  });

  it('has a name that does not resolve', async () => {
    const outcome = await setup.mailer(25, { server: { host: 'mail.invalid' }, timeoutMs: 2_000 }).send(aMail());
    expect(outcome).toMatchObject({ kind: 'notSent' });
  });
});

describe('a mail server that takes too long', () => {
  it.each([
    ['says nothing', () => undefined],
    ['says one byte now and then', dripFeed],
  ])('%s: the mail is not sent, and the connection is closed', async (_what, behave) => {
    // On a busy machine the time may be over before the server has seen the connection at all.
    let open = 0;
    const port = await setup.rawServer((socket) => {
      open += 1;
      socket.on('close', () => (open -= 1));
      behave(socket);
    });
    const outcome = await setup.mailer(port, { timeoutMs: 200 }).send(aMail());
    expect(outcome.kind).toBe('notSent');
    await eventually(() => open === 0);
  });

  it('has accepted the mail without acknowledging it: the outcome is unknown', async () => {
    const server = await setup.server();
    server.script('ann@example.com', 'hang');
    expect(await setup.mailer(server.port, { timeoutMs: 2_000 }).send(aMail())).toEqual({
      kind: 'notSent',
      reason: 'it took longer than 2000 ms',
    });
    expect(server.mails()).toHaveLength(1);
  });

  it('is disconnected when the process stops', async () => {
    const server = await setup.server();
    server.script('ann@example.com', 'hang');
    const mailer = setup.mailer(server.port, { timeoutMs: 60_000 });
    const sending = mailer.send(aMail());
    await eventually(() => server.mails().length === 1);
    mailer.close();
    expect(reasonOf(await sending)).toContain('process stopped');
    expect(reasonOf(await mailer.send(aMail()))).toContain('process stopped');
  });
});

function dripFeed(socket: Socket): void {
  socket.write('220-');
  const timer = setInterval(() => socket.write('x'), 20);
  socket.on('close', () => clearInterval(timer));
}
