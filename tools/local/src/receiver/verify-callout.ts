import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import {
  type PublicKeys,
  type Secrets,
  VerificationError,
  type VerificationErrorCode,
  verify,
  type VerifyOptions,
} from '@callout/receiver';

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
  /** How to give the receiver the secret or public key of this callout; null where it has it, or nothing is signed. */
  hint: string | null;
}

export type SignatureVerdict =
  | 'verified'
  /** A secret that the receiver has made the other signature of this callout, and not this one. */
  | 'wrong'
  | 'missing'
  /** Signed correctly, but too long before it arrived: an old callout may be being replayed. */
  | 'too old'
  /** No secret or public key of the receiver matches: it does not have the right one. */
  | 'secret unknown';

/** Kinds of signatures by their beginning in `webhook-signature`. */
const beginnings = { hmac: 'v1,', ed25519: 'v1a,' } as const;
type SignatureKind = keyof typeof beginnings;
const kinds = Object.keys(beginnings) as SignatureKind[];

export interface CalloutVerdict {
  /** `webhook-signature`, as Standard Webhooks defines it: the best of its signatures. */
  webhookSignature: SignatureVerdict;
  /** What verified it: a secret (`hmac`), a public key (`ed25519`), or both. */
  verifiedBy: readonly SignatureKind[];
  /** `X-Hook-Signature`. */
  hookSignature: SignatureVerdict;
}

export interface SignedRequest {
  headers: IncomingHttpHeaders;
  body: Buffer;
  receivedAt: Date;
}

/** Everything that may verify. */
export interface KnownKeys {
  secretKeys: readonly string[];
  /** Public keys that were given, each `whpk_` and base64. */
  publicKeys: readonly string[];
  /** The public keys at an address. */
  source: PublicKeys | undefined;
}

const NO_SECRET = randomUUID();

const verdicts: Readonly<Record<VerificationErrorCode, SignatureVerdict>> = {
  missing_headers: 'missing',
  wrong_signature: 'wrong',
  too_old: 'too old',
  too_new: 'too old',
  // It shows whatever was signed.
  malformed_body: 'verified',
  unexpected_body: 'verified',
};

const bestFirst = ['verified', 'too old', 'wrong', 'secret unknown', 'missing'] as const;

/** Whether a callout has a signature that a public key verifies. */
export function isSignedByKeyPair({ headers }: Pick<SignedRequest, 'headers'>): boolean {
  return hasSignature(headers, 'ed25519');
}

function hasSignature(headers: IncomingHttpHeaders, kind: SignatureKind): boolean {
  return signaturesIn(headers).some((one) => one.startsWith(beginnings[kind]));
}

function signaturesIn({ 'webhook-signature': given = '' }: IncomingHttpHeaders): string[] {
  return String(given).split(' ');
}

/**
 * Verifies all signatures as a receiver does. A signature that no secret matches is called wrong only beside one that
 * matches: most callouts without a match were signed with a secret that the receiver does not have.
 */
export async function verifyCallout(request: SignedRequest, keys: KnownKeys): Promise<CalloutVerdict> {
  // At least one secret is needed, and none is this.
  const secrets = [...keys.secretKeys, NO_SECRET];
  const byKind = { hmac: () => judge(request, secrets), ed25519: () => judgeByPublicKeys(request, keys) };
  const present = kinds.filter((kind) => hasSignature(request.headers, kind));
  const judged = await Promise.all(present.map(async (kind) => [kind, await byKind[kind]()] as const));
  const hook = await judge(request, secrets, 'x-hook-signature');
  const ofSecret = [hook, ...judged.flatMap(([kind, verdict]) => (kind === 'hmac' ? [verdict] : []))];
  const isSecretKnown = ofSecret.some((one) => one === 'verified' || one === 'too old');
  const orUnknown = (one: SignatureVerdict) => (one === 'wrong' && !isSecretKnown ? 'secret unknown' : one);
  const all = judged.map(([, verdict]) => orUnknown(verdict));
  return {
    webhookSignature: bestFirst.find((one) => all.includes(one)) ?? orUnknown(await judge(request, secrets)),
    verifiedBy: judged.flatMap(([kind, verdict]) => (verdict === 'verified' ? [kind] : [])),
    hookSignature: orUnknown(hook),
  };
}

async function judge(
  { headers, body, receivedAt }: SignedRequest,
  keys: Secrets,
  signature?: VerifyOptions['signature'],
): Promise<SignatureVerdict> {
  try {
    await verify(body, headers, keys, { signature, now: () => receivedAt });
    return 'verified';
  } catch (error) {
    if (error instanceof VerificationError) return verdicts[error.code];
    throw error;
  }
}

/** A public key that fits none of the signatures is that of another tenant: nothing says that they are wrong. */
async function judgeByPublicKeys(request: SignedRequest, { publicKeys, source }: KnownKeys): Promise<SignatureVerdict> {
  const given = publicKeys.length > 0 ? await judge(request, publicKeys) : 'wrong';
  if (given !== 'wrong') return given;
  // Keys that cannot be read now are not known.
  const read = source === undefined ? 'wrong' : await judge(request, source).catch(() => 'wrong' as const);
  return read === 'wrong' ? 'secret unknown' : read;
}
