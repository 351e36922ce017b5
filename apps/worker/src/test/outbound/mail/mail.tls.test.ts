import { afterEach, describe, expect, it } from '@jest/globals';
import type { MailOutcome } from '@callout/domain/mail/mail-message';
import { testCertificate, testKey } from '@callout/testing';
import { aMail, createMailerSetup } from './mailer.fixture.ts';

const certificate = { key: testKey, cert: testCertificate };
const credentials = { user: 'callout@example.com', password: 'p:a ss/w€rd' };

const setup = createMailerSetup();
afterEach(() => setup.stop());

const reasonOf = (outcome: MailOutcome): string => (outcome.kind === 'sent' ? '' : outcome.reason);

describe('a login to a mail server', () => {
  it('uses user and password unchanged', async () => {
    const server = await setup.server({ credentials });
    const mailer = setup.mailer(server.port, { server: { credentials, tls: 'off' } });
    expect(await mailer.send(aMail())).toEqual({ kind: 'sent' });
    expect(server.sessions()).toEqual([{ isTls: false, user: credentials.user }]);
  });

  it('that is wrong delays mail and loses none, and does not reveal the password', async () => {
    const server = await setup.server({ credentials });
    const wrong = { user: 'callout', password: 'hunter2"wrong' };
    const outcome = await setup.mailer(server.port, { server: { credentials: wrong, tls: 'off' } }).send(aMail());
    expect(outcome).toEqual({
      kind: 'notSent',
      reason: expect.stringMatching(/535 no entry for callout with \[redacted\]/u),
    });
    const encoded = Buffer.from(`\0${wrong.user}\0${wrong.password}`).toString('base64');
    expect(reasonOf(outcome)).not.toMatch(new RegExp(`hunter2|${encoded}`, 'u'));
  });

  it.each([
    'p:a ss/w€rd',
    'tab\there',
    'right-to-left \u202e mark',
    '  blanks  around  ',
    'line\r\nbreak',
    'a+b(c)[d]{e}^$.*?|/\\',
    'ß'.repeat(300),
  ])('that is wrong does not reveal the password %j, however the server repeats it', async (password) => {
    const server = await setup.server({ credentials });
    const wrong = { user: 'callout', password };
    const outcome = await setup.mailer(server.port, { server: { credentials: wrong, tls: 'off' } }).send(aMail());
    expect(reasonOf(outcome)).toMatch(/^Invalid login: 535 no entry for callout with +\[redacted\]/u);
    expect(reasonOf(outcome)).not.toMatch(/€|ß|tab|left|blanks|around|break|a\+b/u);
  });

  it('that the server does not offer is no reason to send without one', async () => {
    const server = await setup.server();
    const outcome = await setup.mailer(server.port, { server: { credentials, tls: 'off' } }).send(aMail());
    expect(outcome.kind).toBe('notSent');
    expect(server.mails()).toEqual([]);
  });

  it.each(['auto', 'required'] as const)('is never sent over an unencrypted connection (?tls=%s)', async (tls) => {
    const server = await setup.server({ credentials });
    const outcome = await setup.mailer(server.port, { server: { credentials, tls } }).send(aMail());
    expect(outcome.kind).toBe('notSent');
    expect(server.sessions()).toEqual([]);
  });
});

describe('TLS to a mail server', () => {
  it.each([
    ['auto', 'sent'],
    ['unverified', 'sent'],
    ['required', 'notSent'],
  ] as const)('with a certificate that no trusted issuer signed, ?tls=%s: %s', async (tls, kind) => {
    const server = await setup.server({ certificate });
    expect(await setup.mailer(server.port, { server: { tls } }).send(aMail())).toMatchObject({ kind });
    expect(server.sessions()).toEqual(kind === 'sent' ? [{ isTls: true, user: undefined }] : []);
  });

  it('is required when there is a password', async () => {
    const server = await setup.server({ certificate, credentials });
    const outcome = await setup.mailer(server.port, { server: { credentials } }).send(aMail());
    expect(outcome).toEqual({ kind: 'notSent', reason: expect.stringMatching(/certificate/u) });
  });

  it('can be off although it is offered', async () => {
    const server = await setup.server({ certificate });
    expect(await setup.mailer(server.port, { server: { tls: 'off' } }).send(aMail())).toEqual({ kind: 'sent' });
    expect(server.sessions()).toEqual([{ isTls: false, user: undefined }]);
  });

  it.each([
    ['unverified', 'sent'],
    ['auto', 'notSent'],
    ['off', 'notSent'],
  ] as const)('begins with the first byte of smtps, ?tls=%s: %s', async (tls, kind) => {
    const server = await setup.server({ certificate: { ...certificate, isTls: true } });
    expect(await setup.mailer(server.port, { server: { isTls: true, tls } }).send(aMail())).toMatchObject({ kind });
  });
});
