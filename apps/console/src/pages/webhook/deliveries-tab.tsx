import { Anchor, Group, Select, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useLive } from '../../api/live.ts';
import { RecordInput } from '../../parts/filter-inputs.tsx';
import { LiveNote } from '../../parts/live-note.tsx';
import { RecordsTable } from '../../parts/records-table.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { RepairButtons } from './repair-buttons.tsx';
import { calloutsQuery, keyOf, type CalloutFilter, type WebhookAddress } from './webhook-queries.ts';

export const calloutStates = ['waiting', 'held', 'due', 'delivered', 'failed', 'cancelled'] as const;

/** The callouts of a webhook, newest first, as they come; what waits says for what. */
export function DeliveriesTab({ address }: { readonly address: WebhookAddress }) {
  const [state, setState] = useState<string | null>(null);
  const [record, setRecord] = useState<number | string>('');
  const [recordID] = useDebouncedValue(record, 250);
  const filter: CalloutFilter = {
    ...(state !== null && { state }),
    ...(typeof recordID === 'number' && { recordID }),
  };
  const callouts = useInfiniteQuery(calloutsQuery(address, filter));
  const live = useLive([keyOf(address)], {
    webhook: { entityType: address.entity.type, webhookID: address.id },
  });
  return (
    <Stack>
      <Group justify="space-between" className="no-print">
        <Group>
          <Select
            aria-label="State"
            placeholder="All states"
            clearable
            data={[...calloutStates]}
            value={state}
            onChange={setState}
            w={160}
          />
          <RecordInput value={record} onChange={setRecord} />
          <LiveNote status={live} />
        </Group>
        <RepairButtons address={address} state={state} />
      </Group>
      <RecordsTable
        label="Callouts"
        rows={callouts.data?.pages.flat()}
        keyOf={({ id }) => id}
        error={callouts.error}
        retry={() => void callouts.refetch()}
        more={callouts.hasNextPage ? () => void callouts.fetchNextPage() : undefined}
        isReadingMore={callouts.isFetchingNextPage}
        empty={
          Object.keys(filter).length > 0
            ? { title: 'No callout matches', description: 'Choose another state or record.' }
            : {
                title: 'No callouts yet',
                description:
                  'One is made when a field changes that this webhook is subscribed to. Send a test to try it.',
              }
        }
        columns={[
          {
            title: 'Callout',
            cell: ({ id, sequenceNumber, kind }) => (
              <Anchor component={Link} to={`/callouts/${id}`} size="sm">
                {kind === 'event' ? sequenceNumber : kind}
              </Anchor>
            ),
          },
          { title: 'State', cell: ({ state: one }) => <StateBadge state={one} /> },
          { title: 'What', cell: ({ action, recordID: id }) => (id === null ? action : `${action} of ${id}`) },
          { title: 'Made', cell: ({ createDateTime }) => <Time value={createDateTime} /> },
          { title: 'Attempts', isNumber: true, cell: ({ attemptsMade }) => attemptsMade },
          {
            title: 'Waits for',
            cell: ({ waitsFor }) => (
              <Text size="sm" c="dimmed">
                {waitsFor?.message ?? ''}
              </Text>
            ),
          },
        ]}
      />
    </Stack>
  );
}
