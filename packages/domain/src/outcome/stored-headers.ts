import { contentTypes } from '../callout/payload-format.ts';

/** The header that only a secret makes: requests signed by Ed25519 alone lack the header. */
export const secretSignature = 'X-Hook-Signature';
/** The value that is stored in place of a header that was not sent. */
export const notSent = '';

/** Headers of a request that the callout and attempt already show, or that must not be stored, such as signatures. */
const notStored: ReadonlySet<string> = new Set([
  'x-hook-attempt',
  'x-hook-callout-type',
  'x-hook-event-id',
  'x-hook-test',
  'x-hook-signature',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
]);

/**
 * The headers of a request that are stored with the attempt; `loggedHeaders` adds the rest when the attempt is read. An
 * unusual Content-Type is stored, and `X-Hook-Signature` where missing.
 */
export function storedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const stored = Object.fromEntries(
    Object.entries(headers).filter(
      ([name, value]) => !notStored.has(name.toLowerCase()) && value !== contentTypes.reference,
    ),
  );
  return secretSignature in headers ? stored : { ...stored, [secretSignature]: notSent };
}
