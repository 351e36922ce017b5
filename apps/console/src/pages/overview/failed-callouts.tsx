import { Anchor, Stack, Text, Title } from '@mantine/core';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { Schemas } from '@callout/client';
import { Link } from '@tanstack/react-router';
import { RecordsTable } from '../../parts/table/records-table.tsx';
import { rowsOf } from '../../parts/table/rows-of.ts';
import { LastAttempt } from '../../parts/show/last-attempt.tsx';
import { Time } from '../../parts/show/time.tsx';
import { WebhookLink } from '../../parts/show/webhook-link.tsx';
import { failedCalloutsQuery, retriedCalloutsQuery } from './overview-queries.ts';

/** The newest callouts that used up their attempts. */
export function FailedCallouts() {
  const failed = useQuery(failedCalloutsQuery);
  if (failed.data?.length === 0) {
    return <Text c="dimmed">None. Callouts that used up their attempts are shown here.</Text>;
  }
  return <Callouts label="Failed callouts" callouts={failed} />;
}

/** The newest callouts that are tried again; nothing while there is none. */
export function RetriedCallouts() {
  const retried = useQuery(retriedCalloutsQuery);
  if (retried.data === undefined || retried.data.length === 0) return null;
  return (
    <Stack component="section" aria-label="Being retried">
      <Title order={2}>Being retried</Title>
      <Callouts label="Retried callouts" callouts={retried} />
    </Stack>
  );
}

interface CalloutsProps {
  readonly label: string;
  readonly callouts: UseQueryResult<readonly Schemas['Callout'][]>;
}

function Callouts({ label, callouts }: CalloutsProps) {
  return (
    <RecordsTable
      label={label}
      {...rowsOf(callouts)}
      keyOf={({ id }) => id}
      empty={{ title: 'None', description: '' }}
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
          cell: ({ entityType, webhookID }) => <WebhookLink entityType={entityType} webhookID={webhookID} />,
        },
        { title: 'Record', isNumber: true, cell: ({ recordID }) => recordID },
        { title: 'Last attempt', cell: ({ lastAttempt }) => <LastAttempt attempt={lastAttempt} /> },
        { title: 'Attempts', isNumber: true, cell: ({ attemptsMade }) => attemptsMade },
        { title: 'Made', cell: ({ createDateTime }) => <Time value={createDateTime} /> },
      ]}
    />
  );
}
