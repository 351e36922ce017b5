import { contentTypes } from '../callout/payload-format.ts';

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
 * Content-Type is stored where it is not the usual one.
 */
export function storedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name, value]) => !known.has(name.toLowerCase()) && value !== contentTypes.reference,
    ),
  );
}
