import { queryOptions } from '@tanstack/react-query';
import { operatorList, type Zone } from '../../api/operator.ts';

/** All zones: an installation has a handful. */
export const zonesQuery = queryOptions({
  queryKey: ['operator', 'zones'],
  queryFn: async () => (await operatorList<Zone>('/zones', { limit: 500 })).items,
});
