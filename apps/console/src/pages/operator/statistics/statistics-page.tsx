import { Anchor, SegmentedControl, Skeleton } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Suspense } from 'react';
import { Page } from '../../../parts/page.tsx';
import { Problem } from '../../../parts/problem.tsx';
import { RecordsTable } from '../../../parts/table/records-table.tsx';
import { Section } from '../../../parts/section.tsx';
import { useSearchParam } from '../../../parts/filter/use-search-param.ts';
import { rangeOf, ranges } from '../../overview/range.ts';
import { Tiles } from '../../overview/tiles.tsx';
import type { OperatorStatistics } from '../../../api/operator.ts';
import { statisticsQuery } from './statistics-query.ts';
import { lazyPart } from '../../../parts/lazy-part.tsx';

// Charts are large: the page stands before they are there.
const Charts = lazyPart(() => import('../../overview/charts.tsx'));

/** What was delivered for all tenants together, and for each of them. */
export default function StatisticsPage() {
  const [chosen, choose] = useSearchParam('range');
  const range = rangeOf(chosen);
  const { data, error, refetch } = useQuery({ ...statisticsQuery(range), placeholderData: keepPreviousData });
  return (
    <Page
      title="Statistics"
      lead="What was delivered for all tenants together, and for each of them."
      actions={
        <SegmentedControl
          size="xs"
          aria-label="Time"
          value={range}
          onChange={(next) => choose(next === '1h' ? '' : next)}
          data={Object.entries(ranges).map(([value, { label }]) => ({ value, label }))}
        />
      }
    >
      {error !== null && (
        <Problem title="The statistics could not be read" error={error} retry={() => void refetch()} />
      )}
      {data !== undefined && <Tiles statistics={data} />}
      <Suspense fallback={<Skeleton height={290} />}>
        {data === undefined ? <Skeleton height={290} /> : <Charts statistics={data} />}
      </Suspense>
      <Section title="By tenant">
        <ByTenant rows={data?.groups} />
      </Section>
    </Page>
  );
}

function ByTenant({ rows }: { readonly rows: OperatorStatistics['groups'] }) {
  return (
    <RecordsTable
      label="Statistics by tenant"
      rows={rows}
      keyOf={({ tenantID }) => String(tenantID)}
      empty={{
        title: 'Nothing was counted',
        description: 'Choose a longer time. A worker with the role sweep counts each minute soon after it has ended.',
      }}
      columns={[
        {
          title: 'Tenant',
          cell: ({ tenantID, name }) => (
            <Anchor component={Link} to={`/operator/tenants/${tenantID}`} size="sm">
              {name ?? tenantID}
            </Anchor>
          ),
        },
        { title: 'Delivered', isNumber: true, cell: ({ delivered }) => delivered.toLocaleString() },
        { title: 'Failed', isNumber: true, cell: ({ failed }) => failed.toLocaleString() },
        { title: 'Attempts', isNumber: true, cell: ({ attempts }) => attempts.toLocaleString() },
        { title: 'p50', isNumber: true, cell: ({ p50Ms }) => milliseconds(p50Ms) },
        { title: 'p95', isNumber: true, cell: ({ p95Ms }) => milliseconds(p95Ms) },
      ]}
    />
  );
}

const milliseconds = (value: number | null): string => (value === null ? '–' : `${value.toLocaleString()} ms`);
