import { type KeyObject, createPublicKey, verify } from 'node:crypto';
import type { ReceivedRequest } from '@callout/testing';

/** An Ed25519 key of a JWKS. */
export interface PublishedKey {
  /** Names the key. */
  readonly kid: string;
  /** Its 32 bytes as base64url. */
  readonly x: string;
}

/** The public keys of the tenant as its receivers know them: they read the JWKS after each rotation. */
export interface PublishedKeys {
  /** Takes over what the JWKS has now, the current key first. */
  publish(jwks: readonly PublishedKey[]): void;
  /** The key that signs. @throws Error before the JWKS was read. */
  current(): PublishedKey;
  /** All keys that were ever published, in the order in which they were made, as `whpk_` and base64. */
  all(): readonly string[];
  /** Which of all keys has made each `v1a` signature of a request, by its place among them; -1: none of them. */
  signersOf(request: ReceivedRequest): readonly number[];
  /** Whether one of the `v1a` signatures of a request fits a key that is published now; true for a request without one. */
  verifies(request: ReceivedRequest): boolean;
}

export function createPublishedKeys(): PublishedKeys {
  const all: (PublishedKey & { readonly key: KeyObject })[] = [];
  let published = new Set<string>();

  function signersOf(request: ReceivedRequest): number[] {
    const signed = signedBytes(request);
    return signaturesOf(request).flatMap(([version, text]) => {
      if (version !== 'v1a') return [];
      // The newest keys first: they have made most signatures.
      return all.findLastIndex(({ key }) => verify(null, signed, key, Buffer.from(text, 'base64')));
    });
  }

  return {
    publish(jwks) {
      published = new Set(jwks.map(({ kid }) => kid));
      const known = new Set(all.map(({ kid }) => kid));
      for (const { kid, x } of jwks.filter((one) => !known.has(one.kid)).toReversed()) {
        all.push({ kid, x, key: createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }) });
      }
    },
    current() {
      const last = all.at(-1);
      if (last === undefined) throw new Error('the tenant has published no key');
      return last;
    },
    all: () => all.map(({ x }) => `whpk_${Buffer.from(x, 'base64url').toString('base64')}`),
    signersOf,
    verifies(request) {
      const signers = signersOf(request);
      return signers.length === 0 || signers.some((nth) => published.has(all[nth]?.kid ?? ''));
    },
  };
}

/** The signatures in `webhook-signature`: their versions and their texts. */
export function signaturesOf({ headers }: ReceivedRequest): readonly (readonly [version: string, text: string])[] {
  const signatures = String(headers['webhook-signature'] ?? '').split(' ');
  return signatures.map((signature) => [signature.split(',')[0] ?? '', signature.slice(signature.indexOf(',') + 1)]);
}

function signedBytes({ headers, body }: ReceivedRequest): Buffer {
  const prefix = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.`;
  return Buffer.concat([Buffer.from(prefix, 'utf8'), body]);
}
