import { contentTypes } from '../callout/payload-format.ts';

/** The header that only a secret makes: requests that Ed25519 alone signs have none. */
export const secretSignature = 'X-Hook-Signature';
/** The value that is stored for it then, in place of a header that was not sent. */
export const notSent = '';

/** Headers of a request that its callout and attempt already say, or that must not be stored, as signatures. */
const known: ReadonlySet<string> = new Set([
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
 * The headers of a request that are stored with its attempt; `loggedHeaders` adds the others when they are read. The
 * Content-Type is stored where it is not the usual one, and `X-Hook-Signature` where it was missing.
 */
export function storedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const stored = Object.fromEntries(
    Object.entries(headers).filter(
      ([name, value]) => !known.has(name.toLowerCase()) && value !== contentTypes.reference,
    ),
  );
  return secretSignature in headers ? stored : { ...stored, [secretSignature]: notSent };
}
