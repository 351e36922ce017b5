import { Anchor, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useLive } from '../../../api/live.ts';
import { LiveNote } from '../../../parts/live-note.tsx';
import { RecordsTable } from '../../../parts/table/records-table.tsx';
import { pagesOf } from '../../../parts/table/rows-of.ts';
import { LastAttempt } from '../../../parts/show/last-attempt.tsx';
import { StateBadge, stateOfCallout } from '../../../parts/show/state-badge.tsx';
import { Time } from '../../../parts/show/time.tsx';
import { WaitingSentence } from '../../../parts/show/waiting-sentence.tsx';
import { calloutsQuery, keyOf, type ListedCallout, type WebhookAddress } from '../webhook-queries.ts';
import { useDeliveryFilter } from './delivery-filter.ts';
import { DeliveryFilters } from './delivery-filters.tsx';
import { RepairButtons } from './repair-buttons.tsx';
import { useChosen } from './use-chosen.ts';

/** The callouts of a webhook, newest first, as they come; what waits says for what, and many are repaired at once. */
export default function DeliveriesTab({ address }: { readonly address: WebhookAddress }) {
  const { search, filter, set } = useDeliveryFilter();
  const callouts = useInfiniteQuery(calloutsQuery(address, filter));
  const live = useLive([keyOf(address)], {
    webhook: { entityType: address.entity.type, webhookID: address.id },
  });
  const list = pagesOf(callouts);
  const { selection, chosen, clear, selectAll } = useChosen(list.rows ?? [], filter);
  // Requests that change callouts have no such filter: only rows that were picked are meant.
  const mayMeanAll = filter.isFailing === undefined;
  return (
    <Stack>
      <Group justify="space-between" align="flex-start" className="no-print">
        <DeliveryFilters search={search} set={set} />
        <Group gap="xs">
          <LiveNote status={live} />
          <RepairButtons
            address={address}
            chosen={chosen}
            kinds={mayMeanAll || chosen.kind === 'rows' ? ['retryNow', 'redeliver', 'cancel'] : ['retryNow']}
            onDone={clear}
          />
        </Group>
      </Group>
      {chosen.kind === 'rows' && callouts.hasNextPage && mayMeanAll && (
        <Text size="sm">
          {chosen.rows.length.toLocaleString()} selected.{' '}
          <Anchor component="button" type="button" size="sm" onClick={selectAll}>
            Select all that match, those further down too
          </Anchor>
        </Text>
      )}
      <RecordsTable
        label="Callouts"
        minWidth={900}
        {...list}
        keyOf={({ id }) => id}
        selection={selection}
        empty={
          Object.keys(filter).length > 0
            ? { title: 'No callout matches', description: 'Choose another state, action, record or time.' }
            : {
                title: 'No callouts yet',
                description: 'One is created when a watched field changes. Send a test to try the receiver.',
              }
        }
        columns={[
          {
            title: 'Callout',
            cell: ({ id, sequenceNumber, kind }) => (
              <Anchor component={Link} to={`/webhooks/${address.entity.type}/${address.id}/callouts/${id}`} size="sm">
                {kind === 'event' ? sequenceNumber : kind}
              </Anchor>
            ),
          },
          { title: 'State', cell: (callout) => <StateBadge state={stateOfCallout(callout)} /> },
          {
            title: 'What',
            cell: ({ action, recordID }) => (
              <span className="one-line">{recordID === null ? action : `${action} of ${recordID}`}</span>
            ),
          },
          { title: 'Made', cell: ({ createDateTime }) => <Time value={createDateTime} /> },
          { title: 'Attempts', isNumber: true, cell: ({ attemptsMade }) => attemptsMade },
          { title: 'Last attempt', cell: ({ lastAttempt }) => <LastAttempt attempt={lastAttempt} /> },
          { title: 'Waits for', cell: (callout) => <WaitsFor callout={callout} /> },
        ]}
      />
    </Stack>
  );
}

function WaitsFor({ callout }: { readonly callout: ListedCallout }) {
  const { waitsFor, nextAttemptDateTime, mergedInto } = callout;
  if (mergedInto !== null) {
    return (
      <Text size="sm" c="dimmed">
        Its change is in callout {mergedInto.sequenceNumber}.
      </Text>
    );
  }
  if (waitsFor === null) return null;
  return (
    <Text size="sm" c="dimmed">
      <WaitingSentence waitsFor={waitsFor} nextAttemptDateTime={nextAttemptDateTime} />
    </Text>
  );
}
