import { Alert, Group, List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { operate, type Retention } from '../../api/operator.ts';
import { Problem } from '../../parts/loaded.tsx';
import { Page, Section } from '../../parts/page.tsx';
import { Fact } from '../../parts/show/fact.tsx';
import { Time } from '../../parts/show/time.tsx';
import { RecordsTable } from '../../parts/table/records-table.tsx';

const days = (count: number): string => (count === 0 ? 'for ever' : `${count.toLocaleString()} days`);

function size(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const step = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** step).toLocaleString(undefined, { maximumFractionDigits: step === 0 ? 0 : 1 })} ${units[step] ?? ''}`;
}

/** How long history is kept, which tables were dropped, and what keeps history longer. */
export default function RetentionPage() {
  const retention = useQuery({
    queryKey: ['operator', 'retention'],
    queryFn: () => operate<Retention>('readRetention'),
    refetchInterval: 30_000,
  });
  const { data } = retention;
  return (
    <Page title="Retention" lead="How long history is kept, what of it was dropped, and what keeps it longer.">
      {retention.isError && (
        <Problem title="This could not be read" error={retention.error} retry={() => void retention.refetch()} />
      )}
      {data?.retentionDays === null && (
        <Alert color="red" title="Nothing drops history">
          No worker with the role sweep is running, or none has reported yet.
        </Alert>
      )}
      {data !== undefined && data.retentionDays !== null && (
        <Group className="facts">
          <Fact label="Callouts, bodies, attempts">{days(data.retentionDays.callouts)}</Fact>
          <Fact label="Events and verdicts">{days(data.retentionDays.events)}</Fact>
          <Fact label="Error logs">{days(data.retentionDays.errorLogs)}</Fact>
        </Group>
      )}
      {data !== undefined && data.kept.length > 0 && (
        <Alert color="yellow" title="Days that are kept beyond their time">
          <List size="sm">
            {data.kept.map(({ partition, because }) => (
              <List.Item key={partition}>
                {partition}: {because.join(', ')}
              </List.Item>
            ))}
          </List>
          <Text mt="xs">Deliver, cancel or deactivate what still needs them: the days go by themselves then.</Text>
        </Alert>
      )}
      <Section title="What is kept">
        <RecordsTable
          label="History tables"
          rows={data?.tables}
          keyOf={({ table }) => table}
          empty={{ title: 'No history yet', description: 'Daily tables are made by every process that starts.' }}
          columns={[
            { title: 'Table', cell: ({ table }) => table },
            { title: 'Oldest day', cell: ({ oldestDay }) => oldestDay },
            { title: 'Days', isNumber: true, cell: ({ days: count }) => count.toLocaleString() },
            { title: 'Rows, about', isNumber: true, cell: ({ rows }) => Math.round(rows).toLocaleString() },
            { title: 'Size', isNumber: true, cell: ({ bytes }) => size(bytes) },
          ]}
        />
      </Section>
      <Section title="What was dropped last">
        <RecordsTable
          label="Dropped tables"
          rows={data?.dropped}
          keyOf={({ name }) => name}
          empty={{ title: 'Nothing was dropped yet', description: 'Days go one by one when their time is over.' }}
          columns={[
            { title: 'Daily table', cell: ({ name }) => name },
            { title: 'Dropped', cell: ({ dropDateTime }) => <Time value={dropDateTime} /> },
          ]}
        />
      </Section>
    </Page>
  );
}
