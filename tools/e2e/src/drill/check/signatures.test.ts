import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Arrival } from '../receivers/arrivals.ts';
import { createPublishedKeys, type PublishedKey } from '../receivers/published-keys.ts';
import { created } from './consistent-books.fixture.ts';
import { checkSignatures } from './signatures.ts';

interface Pair {
  readonly privateKey: KeyObject;
  readonly published: PublishedKey;
}

const makePair = (kid: string): Pair => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return { privateKey, published: { kid, x: publicKey.export({ format: 'jwk' }).x ?? '' } };
};
const [first, second, third, stranger] = [makePair('1'), makePair('2'), makePair('3'), makePair('4')];

function signedBy(...pairs: readonly Pair[]): Arrival {
  const { request } = created;
  const prefix = `${String(request.headers['webhook-id'])}.${String(request.headers['webhook-timestamp'])}.`;
  const signed = Buffer.concat([Buffer.from(prefix), request.body]);
  const signatures = pairs.map(({ privateKey }) => `v1a,${sign(null, signed, privateKey).toString('base64')}`);
  return {
    ...created,
    request: { ...request, headers: { ...request.headers, 'webhook-signature': ['v1,abc', ...signatures].join(' ') } },
  };
}

function publishedKeys(...jwks: readonly (readonly Pair[])[]) {
  const keys = createPublishedKeys();
  for (const one of jwks) keys.publish(one.map(({ published }) => published));
  return keys;
}

/** After two rotations. */
const keys = publishedKeys([first], [second, first], [third, second]);

describe('checkSignatures', () => {
  it('has no problem with signatures of one key, or of a key and the one before it', () => {
    const arrivals = [created, signedBy(first), signedBy(second, first), signedBy(third, second), signedBy(third)];
    expect(checkSignatures(arrivals, keys)).toEqual({ problems: [], signedTwice: 2 });
  });

  it.each<[what: string, arrival: Arrival, problem: string]>([
    ['a key that was not published', signedBy(stranger), 'of no published key'],
    ['such a key beside one that was', signedBy(third, stranger), 'of no published key'],
    ['the older key first', signedBy(first, second), 'is signed by the keys 0, 1'],
    ['a key that was replaced twice', signedBy(third, first), 'is signed by the keys 2, 0'],
    ['one key twice', signedBy(third, third), 'is signed by the keys 2, 2'],
    ['three keys', signedBy(third, second, first), 'is signed by the keys 2, 1, 0'],
    [
      'another body',
      { ...signedBy(third), request: { ...signedBy(third).request, body: Buffer.from('{}') } },
      'of no published key',
    ],
    [
      'a timestamp of long ago',
      { ...created, request: { ...created.request, receivedAt: new Date(Date.now() + 301_000) } },
      'has an outdated timestamp',
    ],
  ])('finds %s', (_what, arrival, problem) => {
    expect(checkSignatures([signedBy(third), arrival], keys).problems).toEqual([expect.stringContaining(problem)]);
  });
});

describe('the published keys', () => {
  it('verify what a key of the JWKS of that moment has signed, and what no private key has signed', () => {
    const verified = (...pairs: Pair[]) => keys.verifies(signedBy(...pairs).request);
    expect([verified(), verified(third), verified(third, second), verified(second, first)]).toEqual(
      Array(4).fill(true),
    );
    expect([verified(first), verified(stranger)]).toEqual([false, false]);
  });

  it('are known in the order in which they were made, also where one replaced another unseen', () => {
    const known = publishedKeys([first], [third, second]);
    expect(known.all()).toEqual(publishedKeys([first], [second], [third]).all());
    expect(known.current().kid).toBe('3');
  });
});
