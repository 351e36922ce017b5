import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { entityOfType } from '../../api/entities.ts';
import { RecordsTable } from '../../parts/table/records-table.tsx';
import { Time } from '../../parts/show/time.tsx';
import { failedCalloutsQuery } from './overview-queries.ts';

/** The newest callouts that used up their attempts. */
export function FailedCallouts() {
  const failed = useQuery(failedCalloutsQuery);
  if (failed.data?.length === 0) {
    return <Text c="dimmed">None. Callouts that used up their attempts are shown here.</Text>;
  }
  return (
    <RecordsTable
      label="Failed callouts"
      rows={failed.data}
      keyOf={({ id }) => id}
      error={failed.error}
      retry={() => void failed.refetch()}
      empty={{ title: 'Nothing was given up', description: '' }}
      columns={[
        {
          title: 'Callout',
          cell: ({ id, sequenceNumber }) => (
            <Anchor component={Link} to={`/callouts/${id}`} size="sm">
              {sequenceNumber}
            </Anchor>
          ),
        },
        {
          title: 'Webhook',
          cell: ({ entityType, webhookID }) => (
            <Anchor component={Link} to={`/webhooks/${entityType}/${webhookID}`} size="sm">
              {entityOfType(entityType)?.label ?? entityType} {webhookID}
            </Anchor>
          ),
        },
        { title: 'Record', isNumber: true, cell: ({ recordID }) => recordID },
        { title: 'Attempts', isNumber: true, cell: ({ attemptsMade }) => attemptsMade },
        { title: 'Made', cell: ({ createDateTime }) => <Time value={createDateTime} /> },
      ]}
    />
  );
}
