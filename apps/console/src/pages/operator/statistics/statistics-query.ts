import { queryOptions } from '@tanstack/react-query';
import { operate } from '../../../api/operator.ts';
import type { DeliveryStatistics } from '../../overview/overview-queries.ts';
import { ranges, type Range } from '../../overview/range.ts';

/** What was counted for one tenant. */
export interface TenantGroup {
  readonly tenantID: number;
  readonly name: string | null;
  readonly delivered: number;
  readonly failed: number;
  readonly attempts: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

/** What was delivered until now, for all tenants together and for each. */
export function statisticsQuery(range: Range) {
  const { hours, refreshMs } = ranges[range];
  return queryOptions({
    queryKey: ['operator', 'statistics', range],
    queryFn: () => {
      const from = new Date(Date.now() - hours * 3_600_000).toISOString();
      const query = new URLSearchParams({ from, groupBy: 'tenant' });
      return operate<DeliveryStatistics & { readonly groups: readonly TenantGroup[] }>('GET', `/statistics?${query}`);
    },
    refetchInterval: refreshMs,
  });
}
