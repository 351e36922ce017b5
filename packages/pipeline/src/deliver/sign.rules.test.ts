import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createHmac, createPublicKey, timingSafeEqual, verify, type KeyObject } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { anyCharacter } from '@callout/domain/fixtures/any-character';
import { openSigningKey, signingJwk, signingKeyPair } from '@callout/domain/secrets/signing-key';
import { Webhook } from 'standardwebhooks';
import { calloutHeaders, prepareSecret, type CalloutToSign } from './sign.rules.ts';

const secret = 'a secret with ümlaut & 8 symbols';
const otherSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const body = Buffer.from('{"Action":"Update","Fields":{"Name":"Grüße 👋"}}', 'utf8');

const pair = signingKeyPair(Buffer.alloc(32, 1));
const olderPair = signingKeyPair(Buffer.alloc(32, 2));

const callout: CalloutToSign = {
  signingKeys: { hmac: { current: prepareSecret(secret) } },
  calloutId: '01990000-0000-7000-8000-000000000001',
  attemptNumber: 3,
  action: 'Update',
  eventId: 'order-17',
  body,
  now: new Date('2025-09-15T15:10:00.900Z'),
  userAgent: 'Callout/0.1.0',
};

/** The two documented signatures, computed by hand. */
const byHand = {
  sha1: (text: string) => `sha1=${createHmac('sha1', Buffer.from(text, 'utf8')).update(body).digest('base64')}`,
  v1: (key: Buffer, timestamp: number) =>
    `v1,${createHmac('sha256', key)
      .update(Buffer.concat([Buffer.from(`${callout.calloutId}.${timestamp}.`), body]))
      .digest('base64')}`,
};

/** Verifies as a receiver does with the Standard Webhooks library, with the current time. */
function verifyWithLibrary(headers: Record<string, string>, secretText: string): unknown {
  const isBase64Key = secretText === otherSecret;
  const webhook = isBase64Key ? new Webhook(secretText) : new Webhook(Buffer.from(secretText), { format: 'raw' });
  return webhook.verify(body, headers);
}

describe('prepareSecret', () => {
  it('uses no more memory than the bytes of the keys', () => {
    for (const text of [secret, otherSecret, '']) {
      const { textKey, standardKey } = prepareSecret(text);
      expect([textKey.buffer.byteLength, standardKey.buffer.byteLength]).toEqual([textKey.length, standardKey.length]);
    }
  });
});

describe('calloutHeaders', () => {
  it('contains the documented headers, the signatures last', () => {
    const headers = calloutHeaders(callout);
    expect(Object.entries(headers)).toEqual([
      ['Content-Type', 'application/json'],
      ['User-Agent', 'Callout/0.1.0'],
      ['X-Hook-Attempt', '3'],
      ['X-Hook-Callout-Type', 'PATCH'],
      ['X-Hook-Event-Id', 'order-17'],
      ['webhook-id', callout.calloutId],
      ['webhook-timestamp', '1757949000'],
      ['webhook-signature', byHand.v1(Buffer.from(secret, 'utf8'), 1757949000)],
      ['X-Hook-Signature', byHand.sha1(secret)],
    ]);
  });

  it('has known signatures for known bytes', () => {
    const known = { ...callout, body: Buffer.from('{}'), calloutId: 'msg_1', now: new Date(1_700_000_000_000) };
    const headers = calloutHeaders({ ...known, signingKeys: { hmac: { current: prepareSecret('0123456789') } } });
    expect(headers['X-Hook-Signature']).toBe('sha1=CLYviuao27L7HrCO6dAHefkjzsg=');
    expect(headers['webhook-signature']).toBe('v1,iglk8egL6WhU+nipnFCfs3vgU+46ciIJt5ml4VoY+NY=');
  });

  it.each([
    ['Create', 'PUT'],
    ['Update', 'PATCH'],
    ['Delete', 'DELETE'],
  ] as const)('calls %s a %s', (action, calloutType) => {
    expect(calloutHeaders({ ...callout, action })['X-Hook-Callout-Type']).toBe(calloutType);
  });

  it('has neither callout type nor event id in a deactivation call', () => {
    const headers = calloutHeaders({ ...callout, action: undefined, eventId: undefined });
    expect(Object.keys(headers)).not.toContain('X-Hook-Callout-Type');
    expect(Object.keys(headers)).not.toContain('X-Hook-Event-Id');
  });

  it.each([secret, otherSecret, 'whsec_not base64!', 'short'])(
    'verifies with the library of Standard Webhooks: %s',
    (text) => {
      const headers = calloutHeaders({
        ...callout,
        now: new Date(),
        signingKeys: { hmac: { current: prepareSecret(text) } },
      });
      expect(verifyWithLibrary(headers, text)).toEqual(JSON.parse(body.toString('utf8')));
      expect(() => verifyWithLibrary(headers, 'another secret')).toThrow('No matching signature found');
      expect(headers['X-Hook-Signature']).toBe(byHand.sha1(text));
    },
  );

  it('signs with both secrets during a rotation, and X-Hook-Signature with the old one', () => {
    const hmac = { current: prepareSecret(otherSecret), previous: prepareSecret(secret) };
    const headers = calloutHeaders({ ...callout, now: new Date(), signingKeys: { hmac } });
    expect(() => verifyWithLibrary(headers, secret)).not.toThrow();
    expect(() => verifyWithLibrary(headers, otherSecret)).not.toThrow();
    expect(headers['webhook-signature']?.split(' ')).toHaveLength(2);
    expect(headers['X-Hook-Signature']).toBe(byHand.sha1(secret));
  });

  it('signs with the new secret only once the overlap is over', () => {
    const headers = calloutHeaders({
      ...callout,
      now: new Date(),
      signingKeys: { hmac: { current: prepareSecret(otherSecret) } },
    });
    expect(() => verifyWithLibrary(headers, secret)).toThrow('No matching signature found');
    expect(headers['webhook-signature']?.split(' ')).toHaveLength(1);
    expect(headers['X-Hook-Signature']).toBe(byHand.sha1(otherSecret));
  });

  it('signs with the private key alone as Standard Webhooks has it, and then has no X-Hook-Signature', () => {
    const headers = calloutHeaders({
      ...callout,
      signingKeys: { ed25519: { current: openSigningKey(pair.privateKey) } },
    });
    const [version, signature = ''] = headers['webhook-signature']?.split(',', 2) ?? [];
    expect(version).toBe('v1a');
    const { 'webhook-id': id, 'webhook-timestamp': timestamp } = headers;
    const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
    const publicKey = createPublicKey({ key: { ...signingJwk(pair.publicKey) }, format: 'jwk' });
    expect(verify(null, signed, publicKey, Buffer.from(signature, 'base64'))).toBe(true);
    expect(Object.keys(headers)).not.toContain('X-Hook-Signature');
    const { 'X-Hook-Signature': _ofSecret, ...ofHmac } = calloutHeaders(callout);
    expect({ ...headers, 'webhook-signature': '' }).toEqual({ ...ofHmac, 'webhook-signature': '' });
  });

  it('signs with secrets and private keys, the present ones first, and changes no signature of a secret', () => {
    const hmac = { current: prepareSecret(secret), previous: prepareSecret(otherSecret) };
    const ed25519 = { current: openSigningKey(pair.privateKey), previous: openSigningKey(olderPair.privateKey) };
    const both = calloutHeaders({ ...callout, signingKeys: { hmac, ed25519 } });
    const ofSecrets = calloutHeaders({ ...callout, signingKeys: { hmac } });
    const ofPairs = calloutHeaders({ ...callout, signingKeys: { ed25519 } });
    expect(both['webhook-signature']).toBe(`${ofSecrets['webhook-signature']} ${ofPairs['webhook-signature']}`);
    expect(both['X-Hook-Signature']).toBe(ofSecrets['X-Hook-Signature']);
    const [first, second] = (ofPairs['webhook-signature'] ?? '').split(' ');
    const alone = (current: KeyObject) => calloutHeaders({ ...callout, signingKeys: { ed25519: { current } } });
    expect(first).toBe(alone(ed25519.current)['webhook-signature']);
    expect(second).toBe(alone(ed25519.previous)['webhook-signature']);
  });

  it('has the same webhook-id for every attempt and a new timestamp', () => {
    const first = calloutHeaders({ ...callout, attemptNumber: 1 });
    const second = calloutHeaders({ ...callout, attemptNumber: 2, now: new Date('2025-09-15T15:10:05Z') });
    expect(second['webhook-id']).toBe(first['webhook-id']);
    expect([first['webhook-timestamp'], second['webhook-timestamp']]).toEqual(['1757949000', '1757949005']);
    expect(second['webhook-signature']).not.toBe(first['webhook-signature']);
    expect(second['X-Hook-Signature']).toBe(first['X-Hook-Signature']);
  });

  it('marks a test, which is signed as well', () => {
    const { 'X-Hook-Test': test, ...headers } = calloutHeaders({ ...callout, isTest: true });
    expect(test).toBe('true');
    expect(headers).toEqual(calloutHeaders(callout));
    expect(calloutHeaders({ ...callout, isTest: false })).toEqual(calloutHeaders(callout));
  });

  it.each(['a\r\nb', 'a\nb', 'a\0b', 'a\tb', 'a\x7fb', 'é', '👋'])('refuses a header value with %j', (text) => {
    for (const change of [{ calloutId: text }, { eventId: text }, { userAgent: text }]) {
      expect(() => calloutHeaders({ ...callout, ...change })).toThrow(TypeError);
    }
  });

  it('signs any body with any secret as node:crypto does by hand', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter, minLength: 1, maxLength: 64 }),
        fc.uint8Array({ maxLength: 2000 }),
        (text, bytes) => {
          const anyBody = Buffer.from(bytes);
          const headers = calloutHeaders({
            ...callout,
            body: anyBody,
            signingKeys: { hmac: { current: prepareSecret(text) } },
          });
          const [, sha1 = ''] = headers['X-Hook-Signature']?.split('=', 2) ?? [];
          const expected = createHmac('sha1', text).update(anyBody).digest();
          expect(timingSafeEqual(Buffer.from(sha1, 'base64'), expected)).toBe(true);
          for (const value of Object.values(headers)) expect(value).toMatch(/^[\x20-\x7e]+$/u);
        },
      ),
    );
  });
});

describe('prepareSecret', () => {
  it.each(['QQ==', 'QUI=', 'QUJD', '+/+/', 'QUJDREVGR0g='])('decodes whsec_%s, which is base64', (encoded) => {
    const { standardKey, textKey } = prepareSecret(`whsec_${encoded}`);
    expect(standardKey).toEqual(Buffer.from(encoded, 'base64'));
    expect(textKey).toEqual(Buffer.from(`whsec_${encoded}`, 'utf8'));
  });

  it.each(['', 'QQ', 'QQ=', 'Q===', 'QUJDR', '-_-_', 'QU JD', 'QUJD\n', 'ÄÄÄÄ'])(
    'treats whsec_%s, which is not base64, as text',
    (encoded) => {
      const { standardKey, textKey } = prepareSecret(`whsec_${encoded}`);
      expect(standardKey).toBe(textKey);
      expect(textKey.toString('utf8')).toBe(`whsec_${encoded}`);
    },
  );

  it('treats the prefix literally', () => {
    expect(prepareSecret('WHSEC_QUJD').standardKey.toString('utf8')).toBe('WHSEC_QUJD');
    expect(prepareSecret('QUJD').standardKey.toString('utf8')).toBe('QUJD');
  });
});

describe('the secrets in the documents', () => {
  it.each(['README.md', 'docs/deliveries.md'])(
    'of %s verify with a library of Standard Webhooks as they are',
    async (file) => {
      const text = await readFile(path.join(import.meta.dirname, '../../../..', file), 'utf8');
      const secrets = [...text.matchAll(/"secretKey": ?"([^"]+)"/gu)].map(([, given = '']) => given);
      expect(secrets.length).toBeGreaterThan(0);
      for (const documented of new Set(secrets)) {
        const signingKeys = { hmac: { current: prepareSecret(documented) } };
        const headers = calloutHeaders({ ...callout, signingKeys, now: new Date() });
        expect(new Webhook(documented).verify(body, headers)).toEqual(JSON.parse(body.toString()));
      }
    },
  );
});
