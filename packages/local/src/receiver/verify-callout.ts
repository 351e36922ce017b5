import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { VerificationError, type VerificationErrorCode, verify, type VerifyOptions } from '@callout/receiver';

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

/**
 * Verifies both signatures as a receiver does. A signature that no secret matches is called wrong only beside one that
 * matches: most callouts without a match were signed with a secret that the receiver does not have.
 * @param secretKeys every secret that may have signed.
 */
export async function verifyCallout(
  { headers, body, receivedAt }: SignedRequest,
  secretKeys: readonly string[],
): Promise<CalloutVerdict> {
  const judge = async (signature: VerifyOptions['signature']): Promise<SignatureVerdict> => {
    try {
      // At least one secret is needed, and none is this.
      await verify(body, headers, [...secretKeys, NO_SECRET], { signature, now: () => receivedAt });
      return 'verified';
    } catch (error) {
      if (error instanceof VerificationError) return verdicts[error.code];
      throw error;
    }
  };
  const [standard, hook] = [await judge('webhook-signature'), await judge('x-hook-signature')];
  const isSecretKnown = [standard, hook].some((one) => one === 'verified' || one === 'too old');
  const orUnknown = (one: SignatureVerdict) => (one === 'wrong' && !isSecretKnown ? 'secret unknown' : one);
  return { webhookSignature: orUnknown(standard), hookSignature: orUnknown(hook) };
}
