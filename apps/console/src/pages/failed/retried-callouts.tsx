import { queryOptions, useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { failedKey } from './failed-queries.ts';
import { calloutColumns } from '../../parts/callouts/callout-columns.tsx';
import { Section } from '../../parts/page.tsx';
import { RecordsTable, rowsOf } from '../../parts/table/records-table.tsx';

/** The newest callouts with a failed last attempt and another attempt to come; nothing without such callouts. */
export function RetriedCallouts() {
  const retried = useQuery(retriedCalloutsQuery);
  if (retried.data === undefined || retried.data.length === 0) return null;
  return (
    <Section title="Being retried" lead="Their last attempt failed. They are sent again automatically.">
      <RecordsTable
        label="Retried callouts"
        {...rowsOf(retried)}
        keyOf={({ id }) => id}
        empty={{ title: 'None', description: '' }}
        columns={calloutColumns}
      />
    </Section>
  );
}

const retriedCalloutsQuery = queryOptions({
  queryKey: [...failedKey, 'retried'],
  queryFn: async () => {
    const query = { isFailing: 'true', maxRecords: 10 };
    return (await api.GET('/v1.0/Callouts', { params: { query } })).data.items;
  },
  refetchInterval: 15_000,
});
