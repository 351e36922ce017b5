import { describe, expect, it } from '@jest/globals';
import { parseConfig } from '../parse.ts';
import { workerConfig, type WorkerConfig } from '../worker.ts';

const needed = {
  DATABASE_URL: 'postgres://127.0.0.1/callout',
  REDIS_URL: 'redis://127.0.0.1',
  SECRET_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
};

function read(env: Record<string, string>): WorkerConfig {
  return parseConfig(workerConfig, { ...needed, ...env });
}

describe('the configuration of mail', () => {
  it('may stay away: then there is no mail server and no link', () => {
    expect([read({}).SMTP_URL, read({}).MAIL_FROM, read({}).CONSOLE_URL]).toEqual([undefined, undefined, undefined]);
  });

  it.each([
    ['smtp://127.0.0.1:1025', { host: '127.0.0.1', port: 1025, isTls: false, tls: 'auto', credentials: undefined }],
    [
      'smtp://mail.example.com',
      { host: 'mail.example.com', port: 587, isTls: false, tls: 'auto', credentials: undefined },
    ],
    ['smtp://relay?tls=off', { host: 'relay', port: 587, isTls: false, tls: 'off', credentials: undefined }],
    ['smtps://[::1]/', { host: '::1', port: 465, isTls: true, tls: 'auto', credentials: undefined }],
    [
      'smtps://us%40er:p%3As%2Fs%25@mail.example.com:4650',
      {
        host: 'mail.example.com',
        port: 4650,
        isTls: true,
        tls: 'auto',
        credentials: { user: 'us@er', password: 'p:s/s%' },
      },
    ],
  ])('reads SMTP_URL=%s', (url, server) => {
    expect(read({ SMTP_URL: url, MAIL_FROM: 'callout@example.com' }).SMTP_URL).toEqual(server);
  });

  it.each([
    'mail.example.com',
    'http://mail.example.com',
    'smtp://',
    'smtp://mail.example.com/path',
    'smtp://mail.example.com?pool=true',
    'smtp://mail.example.com?tls=perhaps',
    'smtp://mail.example.com?tls=off&pool=true',
    'smtp://user:hunter2%@mail.example.com',
    'smtp://:hunter2@mail.example.com',
    'smtp://user:hunter2@mail example.com',
  ])('refuses SMTP_URL=%s without showing it', (url) => {
    let message = '';
    try {
      read({ SMTP_URL: url, MAIL_FROM: 'callout@example.com' });
    } catch (error) {
      message = String(error);
    }
    expect(message).toContain('SMTP_URL must be an smtp:// or smtps:// URL');
    expect(message).not.toContain('hunter2');
  });

  it('wants a sender as soon as there is a mail server, and says so once', () => {
    const isMissing = /1 setting needs attention\.\n {2}MAIL_FROM is missing\. Set it to/u;
    expect(() => read({ SMTP_URL: 'smtp://mail.example.com' })).toThrow(isMissing);
    const both = () => read({ SMTP_URL: 'smtp://mail.example.com', MAIL_FROM: 'x' });
    expect(both).toThrow(/1 setting needs attention\.\n {2}MAIL_FROM must be/u);
    expect(() => read({ SMTP_URL: 'smtp://m.example.com', CALLOUTS_IN_FLIGHT: '0' })).toThrow(
      /CALLOUTS_IN_FLIGHT.*\n.*MAIL_FROM is missing/u,
    );
  });

  it.each([
    ['callout@example.com', { name: '', address: 'callout@example.com' }],
    ['<callout@localhost>', { name: '', address: 'callout@localhost' }],
    ['Callout <call.out+x@example.com>', { name: 'Callout', address: 'call.out+x@example.com' }],
    ['"Größe, Ltd" <a@example.com>', { name: 'Größe, Ltd', address: 'a@example.com' }],
  ])('reads MAIL_FROM=%s', (text, mailbox) => {
    expect(read({ MAIL_FROM: text }).MAIL_FROM).toEqual(mailbox);
  });

  it.each([
    'callout',
    'a@example.com,b@example.com',
    'a@example.com b@example.com',
    'A <a@example.com>, B <b@example.com>',
    'A <a@example.com> B',
    'A\r\nBcc: <b@example.com>',
    'a(comment)@example.com',
    '"quoted part"@example.com',
    'a@b@example.com',
    'ä@example.com',
  ])('refuses MAIL_FROM=%j', (text) => {
    expect(() => read({ MAIL_FROM: text })).toThrow('MAIL_FROM must be an address');
  });

  it('accepts the address of the console, with a path and without a slash at its end', () => {
    expect(read({ CONSOLE_URL: 'https://callout.example.com/console/' }).CONSOLE_URL).toBe(
      'https://callout.example.com/console',
    );
    expect(() => read({ CONSOLE_URL: 'javascript:alert(1)' })).toThrow('CONSOLE_URL must be');
    expect(() => read({ CONSOLE_URL: 'https://u:p@example.com' })).toThrow('CONSOLE_URL must be');
  });
});
