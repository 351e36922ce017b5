import { queryOptions } from '@tanstack/react-query';
import { operate, type OperatorStatistics } from '../../../api/operator.ts';
import { ranges, type Range } from '../../overview/range.ts';

/** What was delivered until now, for all tenants together and for each. */
export function statisticsQuery(range: Range) {
  const { hours, refreshMs } = ranges[range];
  return queryOptions({
    queryKey: ['operator', 'statistics', range],
    queryFn: () => {
      const from = new Date(Date.now() - hours * 3_600_000).toISOString();
      const query = new URLSearchParams({ from, groupBy: 'tenant' });
      return operate<OperatorStatistics>('GET', `/statistics?${query}`);
    },
    refetchInterval: refreshMs,
  });
}
