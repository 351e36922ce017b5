import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { failedCalloutsQuery, retriedCalloutsQuery } from './overview-queries.ts';
import { calloutColumns } from '../../parts/callouts/callout-columns.tsx';
import { Section } from '../../parts/page.tsx';
import { PageLink } from '../../parts/show/links.tsx';
import { RecordsTable, rowsOf } from '../../parts/table/records-table.tsx';

/** The newest callouts that used up their attempts. */
export function FailedCallouts() {
  const failed = useQuery(failedCalloutsQuery);
  return (
    <Section title="Recently failed">
      {failed.data?.length === 0 ? (
        <Text c="dimmed">None. Callouts that used up their attempts are shown here.</Text>
      ) : (
        <>
          <RecordsTable
            label="Failed callouts"
            {...rowsOf(failed)}
            keyOf={({ id }) => id}
            empty={{ title: 'None', description: '' }}
            columns={calloutColumns}
          />
          <PageLink to="/failed">All that failed, by webhook and reason</PageLink>
        </>
      )}
    </Section>
  );
}

/** The newest callouts that are tried again; nothing while there is none. */
export function RetriedCallouts() {
  const retried = useQuery(retriedCalloutsQuery);
  if (retried.data === undefined || retried.data.length === 0) return null;
  return (
    <Section title="Being retried">
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
