import { verify } from 'node:crypto';
import type { ReceivedRequest } from '@callout/testing';
import { type Arrival, signaturesOf } from '../receivers/arrivals.ts';

const TOLERANCE_S = 300;
const VERSION = 'v1a';

/**
 * Verifies, by hand, the signatures that the tenant's key pair has made.
 * @param publicKey as the API shows it: `whpk_` and base64.
 * @returns the errors, a sentence each.
 */
export function checkSignatures(arrivals: readonly Arrival[], publicKey: string): string[] {
  const x = Buffer.from(publicKey.slice('whpk_'.length), 'base64').toString('base64url');
  const key = { key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' } as const;
  return arrivals.flatMap(({ webhook, calloutId, request }) => {
    const signed = signedBytes(request);
    const texts = signaturesOf(request).flatMap(([version, text]) => (version === VERSION ? [text] : []));
    const isRight = texts.every((text) => verify(null, signed, key, Buffer.from(text, 'base64')));
    return isRight && isTimely(request) ? [] : [`${webhook}: callout ${calloutId} has no valid ${VERSION} signature`];
  });
}

function signedBytes({ headers, body }: ReceivedRequest): Buffer {
  const prefix = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.`;
  return Buffer.concat([Buffer.from(prefix, 'utf8'), body]);
}

function isTimely({ headers, receivedAt }: ReceivedRequest): boolean {
  return Math.abs(receivedAt.getTime() / 1000 - Number(headers['webhook-timestamp'])) <= TOLERANCE_S;
}
