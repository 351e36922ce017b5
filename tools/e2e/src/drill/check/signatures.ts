import type { ReceivedRequest } from '@callout/testing';
import type { Arrival } from '../receivers/arrivals.ts';
import type { PublishedKeys } from '../receivers/published-keys.ts';

const TOLERANCE_S = 300;

/** What the signatures show that the key pairs of the tenant have made. */
export interface SignatureReport {
  /** The errors, a sentence each. */
  readonly problems: readonly string[];
  /** How many requests had a signature of either key, as during the overlap of a rotation. */
  readonly signedTwice: number;
}

/**
 * Verifies, by hand, all signatures with private keys: each is by a key that was published, and where there are two, by
 * a key and the one before it, the newer first.
 */
export function checkSignatures(arrivals: readonly Arrival[], keys: Pick<PublishedKeys, 'signersOf'>): SignatureReport {
  let signedTwice = 0;
  const problems = arrivals.flatMap(({ webhook, calloutId, request }) => {
    const found = (problem: string) => [`${webhook}: callout ${calloutId} ${problem}`];
    const signers = keys.signersOf(request);
    if (signers.includes(-1)) return found('has a v1a signature of no published key');
    const [newer, older] = signers;
    if (newer !== undefined && older !== undefined) {
      signedTwice += 1;
      if (signers.length > 2 || older !== newer - 1) return found(`is signed by the keys ${signers.join(', ')}`);
    }
    return isTimely(request) ? [] : found('has an outdated timestamp');
  });
  return { problems, signedTwice };
}

function isTimely({ headers, receivedAt }: ReceivedRequest): boolean {
  return Math.abs(receivedAt.getTime() / 1000 - Number(headers['webhook-timestamp'])) <= TOLERANCE_S;
}
