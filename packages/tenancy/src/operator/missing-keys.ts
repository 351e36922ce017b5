import type { Client } from '@callout/database/connection/database';
import { countSecretsByKey, type KeyUse } from './encrypted-secrets.ts';

/**
 * The keys of stored webhook secrets that a ring lacks, with the number of secrets of each, in the order of their ids;
 * empty when the ring decrypts all. Without such a key nothing can be signed for the webhooks concerned, and callouts
 * wait. Reads each webhook once: call the function every few seconds at most.
 * @param keyIds the ids of the ring, from `KeyRing.keyIds`.
 */
export async function findMissingKeys(client: Client, keyIds: readonly string[]): Promise<KeyUse[]> {
  const uses = await countSecretsByKey(client);
  return uses.filter(({ keyId }) => !keyIds.includes(keyId));
}

/** A sentence for each missing key, with the consequence. */
export function describeMissingKeys(missing: readonly KeyUse[]): string[] {
  return missing.map(({ keyId, secrets }) => {
    const what = secrets === 1 ? '1 webhook secret is' : `${secrets} webhook secrets are`;
    return `SECRET_KEYS lacks the key ${keyId}: ${what} encrypted with it, and callouts of ${secrets === 1 ? 'that webhook' : 'those webhooks'} wait`;
  });
}

/**
 * For the start of a process: the ring must have every key in use, except keys named as lost, which are only reported
 * to `warn`.
 * @param missing the result of `findMissingKeys`.
 * @throws Error with a sentence that names the missing key and the remedy.
 */
export function requireKeys(
  missing: readonly KeyUse[],
  { lostKeyIds, warn }: { readonly lostKeyIds: readonly string[]; readonly warn: (line: string) => void },
): void {
  const problems = describeMissingKeys(missing);
  const [unexpected] = missing.filter(({ keyId }) => !lostKeyIds.includes(keyId));
  if (unexpected !== undefined) {
    throw new Error(
      `SECRET_KEYS does not fit the database: ${problems.join('. ')}. Add it to SECRET_KEYS, or name it there as lost for good, ${unexpected.keyId}:lost, to start without it`,
    );
  }
  for (const problem of problems) warn(problem);
}
