import { hash } from 'node:crypto';

/** The value of a chain before its first callout: 64 zeros. */
export const chainStart = '0'.repeat(64);

/** What a chain holds of a callout. */
export interface ChainedCallout {
  readonly sequenceNumber: number;
  /** Its `webhook-id`. */
  readonly id: string;
  /** The exact text that is signed and sent. */
  readonly body: string;
}

/**
 * The value of a chain at a callout: SHA-256, in lower-case hex, of four lines of ASCII, each ended by one line feed: the
 * value before it, its sequence number, its `webhook-id`, and the SHA-256 of its body in lower-case hex.
 */
export function chainValue(before: string, { sequenceNumber, id, body }: ChainedCallout): string {
  return hash('sha256', `${before}\n${sequenceNumber}\n${id}\n${hash('sha256', body)}\n`);
}
