import { queryOptions } from '@tanstack/react-query';
import { operate, operatorList } from '../../../api/operator.ts';

/** A key of the ring, or one that secrets need and the ring lacks. */
export interface KeyItem {
  readonly keyID: string;
  readonly secrets: number;
  readonly state: 'encrypts' | 'decrypts' | 'notNeeded' | 'missing';
}

interface ReencryptedBatch {
  readonly reencrypted: number;
  readonly unreadable: readonly { readonly tenantID: number; readonly webhookGUID: string; readonly keyID: string }[];
  readonly nextAfter: number | null;
}

/** How far re-encryption has come. */
export interface Progress {
  readonly reencrypted: number;
  readonly unreadable: ReencryptedBatch['unreadable'];
}

export const keysQuery = queryOptions({
  queryKey: ['operator', 'keys'],
  queryFn: async () => (await operatorList<KeyItem>('/keys')).items,
  refetchInterval: 15_000,
});

/** Encrypts all secrets with the current key, batch by batch. @param tell told after each batch. */
export async function reencryptAll(tell: (progress: Progress) => void): Promise<Progress> {
  let progress: Progress = { reencrypted: 0, unreadable: [] };
  for (let after: number | null = 0; after !== null;) {
    const batch: ReencryptedBatch = await operate('POST', `/keys/reencrypt?after=${after}`);
    progress = {
      reencrypted: progress.reencrypted + batch.reencrypted,
      unreadable: [...progress.unreadable, ...batch.unreadable],
    };
    tell(progress);
    after = batch.nextAfter;
  }
  return progress;
}
