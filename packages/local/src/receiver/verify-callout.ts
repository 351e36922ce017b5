import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** A callout as the demo receiver shows it. */
export interface ReceivedCallout extends CalloutVerdict {
  /** Counts all that arrived, from 1. */
  number: number;
  receivedAt: Date;
  path: string;
  headers: IncomingHttpHeaders;
  /** As it arrived, read as UTF-8. */
  body: string;
  /** A callout that arrived before (same `webhook-id`): at-least-once delivery means that it may. */
  isRepeat: boolean;
  /** How to give the receiver the secret of this callout; null where it has it, or nothing is signed. */
  hint: string | null;
}

/**
 * Written from the description of the two signatures alone, as an integrator would: it shares no code with the sender.
 */

export type SignatureVerdict =
  | 'verified'
  /** A secret that the receiver has made the other signature of this callout, and not this one. */
  | 'wrong'
  | 'missing'
  /** Signed correctly, but too long before it arrived: an old callout may be being replayed. */
  | 'too old'
  /** No secret of the receiver matches either signature: it does not have the right one. */
  | 'secret unknown';

export interface CalloutVerdict {
  /** `webhook-signature`, as Standard Webhooks defines it. */
  webhookSignature: SignatureVerdict;
  /** `X-Hook-Signature`. */
  hookSignature: SignatureVerdict;
}

export interface SignedRequest {
  headers: IncomingHttpHeaders;
  body: Buffer;
  receivedAt: Date;
}

const TOLERANCE_S = 5 * 60;

/**
 * A signature that no secret matches is called wrong only beside one that matches: most callouts without a match were
 * signed with a secret that the receiver does not have.
 * @param secretKeys every secret that may have signed.
 */
export function verifyCallout(request: SignedRequest, secretKeys: readonly string[]): CalloutVerdict {
  const verdict = {
    webhookSignature: verifyStandard(request, secretKeys),
    hookSignature: verifyHook(request, secretKeys),
  };
  const isSecretKnown = Object.values(verdict).some((one) => one === 'verified' || one === 'too old');
  const orUnknown = (one: SignatureVerdict) => (one === 'wrong' && !isSecretKnown ? 'secret unknown' : one);
  return {
    webhookSignature: orUnknown(verdict.webhookSignature),
    hookSignature: orUnknown(verdict.hookSignature),
  };
}

/**
 * `v1,` + base64 of HMAC-SHA256 over `id.timestamp.body`; several, separated by blanks, while a secret is being
 * changed.
 */
function verifyStandard({ headers, body, receivedAt }: SignedRequest, secretKeys: readonly string[]): SignatureVerdict {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const signatures = headers['webhook-signature'];
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') return 'missing';
  const isRight = secretKeys.some((secretKey) => {
    const mac = createHmac('sha256', standardKey(secretKey)).update(`${id}.${timestamp}.`).update(body);
    const expected = `v1,${mac.digest('base64')}`;
    return signatures.split(' ').some((signature) => isEqual(signature, expected));
  });
  if (!isRight) return 'wrong';
  const ageS = receivedAt.getTime() / 1000 - Number(timestamp);
  return Math.abs(ageS) <= TOLERANCE_S ? 'verified' : 'too old';
}

/** `sha1=` + base64 of HMAC-SHA1 over the body, with the text of the secret as it stands. */
function verifyHook({ headers, body }: SignedRequest, secretKeys: readonly string[]): SignatureVerdict {
  const signature = headers['x-hook-signature'];
  if (typeof signature !== 'string') return 'missing';
  const isRight = secretKeys.some((secretKey) => {
    const mac = createHmac('sha1', Buffer.from(secretKey, 'utf8')).update(body);
    return isEqual(signature, `sha1=${mac.digest('base64')}`);
  });
  return isRight ? 'verified' : 'wrong';
}

/** A `whsec_` secret holds its key in base64; any other is its own key. */
function standardKey(secretKey: string): Buffer {
  const encoded = secretKey.startsWith('whsec_') ? secretKey.slice('whsec_'.length) : '';
  const decoded = Buffer.from(encoded, 'base64');
  return decoded.length > 0 && decoded.toString('base64') === encoded ? decoded : Buffer.from(secretKey, 'utf8');
}

/** In constant time, so that a signature cannot be guessed byte by byte. */
function isEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
