import { queryOptions } from '@tanstack/react-query';
import { operate, operatorList, type Key, type ReencryptedBatch } from '../../../api/operator.ts';

/** How far re-encryption has come. */
export interface Progress {
  readonly reencrypted: number;
  readonly unreadable: ReencryptedBatch['unreadable'];
}

export const keysQuery = queryOptions({
  queryKey: ['operator', 'keys'],
  queryFn: async () => (await operatorList<Key>('/keys')).items,
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
