import { queryOptions } from '@tanstack/react-query';
import { operatorList, type Key, type ReencryptedBatch } from '../../../api/operator.ts';

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
