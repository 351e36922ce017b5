import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import type { PublicKeys } from '@callout/receiver';
import { isSignedByKeyPair, type KnownKeys, verifyCallout } from './verify-callout.ts';

const BODY = Buffer.from('{"Action":"Create","Fields":{"CompanyName":"Größe 🚨"}}');
const NOW = new Date('2025-09-15T15:10:00Z');

/** Signs with the reference implementation of Standard Webhooks; the other signature by hand. */
function signed(secretKey: string, at = NOW, body = BODY) {
  return {
    headers: {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(at.getTime() / 1000),
      'webhook-signature': new Webhook(secretKey, { format: 'raw' }).sign('msg_1', at, body.toString('utf8')),
      'x-hook-signature': `sha1=${createHmac('sha1', secretKey).update(body).digest('base64')}`,
    },
    body,
    receivedAt: NOW,
  };
}

const known = signed('secret key');
const keys: KnownKeys = { secretKeys: ['old one', 'secret key'], publicKeys: [], source: undefined };
const signedAt = (awayS: number) => signed('secret key', new Date(NOW.getTime() + awayS * 1000));

describe('verifyCallout', () => {
  it.each([
    ['signed with a secret that is known', known, 'verified', 'verified'],
    ['that is no callout', signed('secret key', NOW, Buffer.from('plain')), 'verified', 'verified'],
    ['signed too long before', signedAt(-301), 'too old', 'verified'],
    ['signed too long after', signedAt(301), 'too old', 'verified'],
    ['with another id', { ...known, headers: { ...known.headers, 'webhook-id': 'msg_2' } }, 'wrong', 'verified'],
    ['signed with another secret', signed('another secret'), 'secret unknown', 'secret unknown'],
    ['with another body', { ...known, body: Buffer.from('{}') }, 'secret unknown', 'secret unknown'],
    ['that is not signed', { ...known, headers: {} }, 'missing', 'missing'],
  ])('judges each signature of a request %s', async (_, request, webhookSignature, hookSignature) => {
    const verifiedBy = webhookSignature === 'verified' ? ['hmac'] : [];
    expect(await verifyCallout(request, keys)).toEqual({ webhookSignature, verifiedBy, hookSignature });
  });

  it('calls the secret unknown where there is none', async () => {
    const unknown = { webhookSignature: 'secret unknown', verifiedBy: [], hookSignature: 'secret unknown' };
    expect(await verifyCallout(known, { ...keys, secretKeys: [] })).toEqual(unknown);
  });
});

const pair = generateKeyPairSync('ed25519');
const other = generateKeyPairSync('ed25519');
const publicBytes = (key: KeyObject) => Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url');
const publicKey = `whpk_${publicBytes(pair.publicKey).toString('base64')}`;

/** The keys at an address, as publicKeysAt has them. */
const keysAt = (key: KeyObject): PublicKeys => {
  const bytes = async () => [new Uint8Array(publicBytes(key))];
  return { current: bytes, renewed: bytes };
};

/** Signs with a key pair, alone or beside the secret. */
function signedByPair({ alone }: { alone: boolean }, privateKey = pair.privateKey) {
  const text = Buffer.concat([Buffer.from(`msg_1.${NOW.getTime() / 1000}.`), BODY]);
  const signature = `v1a,${sign(null, text, privateKey).toString('base64')}`;
  const { 'x-hook-signature': hook, 'webhook-signature': hmac, ...headers } = known.headers;
  const own = alone
    ? { 'webhook-signature': signature }
    : { 'webhook-signature': `${hmac} ${signature}`, 'x-hook-signature': hook };
  return { ...known, headers: { ...headers, ...own } };
}

describe('a callout that a key pair has signed', () => {
  const alone = signedByPair({ alone: true });
  const both = signedByPair({ alone: false });
  const noHook = { hookSignature: 'missing' };

  it('is verified by a public key that was given, or one at an address', async () => {
    const right = { webhookSignature: 'verified', verifiedBy: ['ed25519'], ...noHook };
    expect(await verifyCallout(alone, { ...keys, publicKeys: [publicKey] })).toEqual(right);
    expect(await verifyCallout(alone, { ...keys, source: keysAt(pair.publicKey) })).toEqual(right);
    expect([isSignedByKeyPair(alone), isSignedByKeyPair(known)]).toEqual([true, false]);
  });

  it('says which of two signatures were verified', async () => {
    const hookSignature = 'verified';
    expect(await verifyCallout(both, { ...keys, publicKeys: [publicKey] })).toEqual({
      webhookSignature: 'verified',
      verifiedBy: ['hmac', 'ed25519'],
      hookSignature,
    });
    expect(await verifyCallout(both, keys)).toEqual({
      webhookSignature: 'verified',
      verifiedBy: ['hmac'],
      hookSignature,
    });
    expect(await verifyCallout(both, { ...keys, secretKeys: [], publicKeys: [publicKey] })).toEqual({
      webhookSignature: 'verified',
      verifiedBy: ['ed25519'],
      hookSignature: 'secret unknown',
    });
  });

  it('is unknown, and not wrong, where its key is not there or cannot be read', async () => {
    const unknown = { webhookSignature: 'secret unknown', verifiedBy: [], ...noHook };
    const away = async () => {
      throw new Error('the address does not answer');
    };
    const foreign = signedByPair({ alone: true }, other.privateKey);
    expect(await verifyCallout(alone, keys)).toEqual(unknown);
    expect(await verifyCallout(alone, { ...keys, source: { current: away, renewed: away } })).toEqual(unknown);
    expect(await verifyCallout(foreign, { ...keys, publicKeys: [publicKey], source: keysAt(pair.publicKey) })).toEqual(
      unknown,
    );
  });

  it('is too old after five minutes', async () => {
    const late = { ...alone, receivedAt: new Date(NOW.getTime() + 301_000) };
    expect(await verifyCallout(late, { ...keys, source: keysAt(pair.publicKey) })).toMatchObject({
      webhookSignature: 'too old',
      verifiedBy: [],
    });
  });
});
