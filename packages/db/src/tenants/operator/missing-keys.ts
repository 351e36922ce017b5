import type { Client } from '../../connection/database.ts';
import { countSecretsByKey, type KeyUse } from './sealed-secrets.ts';

/**
 * The keys that stored webhook secrets are encrypted with and a ring lacks, with the number of secrets each of them
 * protects, in the order of their ids; empty when the ring opens all. Without such a key nothing can be signed for the
 * webhooks concerned, so their callouts wait. Reads each webhook once: ask every few seconds at most.
 * @param keyIds the ids of the ring, as `KeyRing.keyIds` has them.
 */
export async function findMissingKeys(client: Client, keyIds: readonly string[]): Promise<KeyUse[]> {
  const uses = await countSecretsByKey(client);
  return uses.filter(({ keyId }) => !keyIds.includes(keyId));
}
