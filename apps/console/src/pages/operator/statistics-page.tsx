import { operate, type OperatorStatistics } from '../../api/operator.ts';
import { Page, Section } from '../../parts/page.tsx';
import { PageLink } from '../../parts/show/links.tsx';
import { Statistics } from '../../parts/statistics/statistics.tsx';
import { RecordsTable } from '../../parts/table/records-table.tsx';

/** What was delivered for all tenants together, and for each of them. */
export default function StatisticsPage() {
  return (
    <Page title="Statistics" lead="What was delivered for all tenants together, and for each of them.">
      <Statistics queryKey={['operator', 'statistics']} read={readStatistics}>
        {(statistics) => (
          <Section title="By tenant">
            <ByTenant rows={statistics?.groups} />
          </Section>
        )}
      </Statistics>
    </Page>
  );
}

const readStatistics = (from: string) => operate<OperatorStatistics>('readStatistics', { from, groupBy: 'tenant' });

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
          cell: ({ tenantID, name }) => <PageLink to={`/operator/tenants/${tenantID}`}>{name ?? tenantID}</PageLink>,
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
