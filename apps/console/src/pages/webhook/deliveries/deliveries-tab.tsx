import { Anchor, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { WebhookAddress } from '../../../api/entities.ts';
import { usePolling } from '../../../api/polling.ts';
import { keyOf } from '../../../api/webhook.ts';
import { groupByCause } from './by-cause.ts';
import { DeliveryFilters, useDeliveryFilter } from './delivery-filters.tsx';
import { repairsOf, RepairButtons } from './repair-buttons.tsx';
import { type Chosen, useChosen } from './use-chosen.ts';
import { calloutsQuery, calloutStates, type CalloutState, type ListedCallout } from '../webhook-queries.ts';
import { useIsSendable } from '../../../parts/callouts/is-sendable.ts';
import { attempts, lastAttempt, madeAt, what } from '../../../parts/callouts/callout-columns.tsx';
import { PageLink } from '../../../parts/show/links.tsx';
import { StateBadge, stateOfCallout } from '../../../parts/show/state-badge.tsx';
import { WaitingSentence } from '../../../parts/show/time.tsx';
import { pagesOf, RecordsTable } from '../../../parts/table/records-table.tsx';

/**
 * The callouts of a webhook, newest first, as callouts come; a waiting callout names the cause, and many callouts are
 * repaired at once.
 */
export default function DeliveriesTab({ address }: { readonly address: WebhookAddress }) {
  const { search, filter, set } = useDeliveryFilter();
  const callouts = useInfiniteQuery(calloutsQuery(address, filter));
  usePolling([keyOf(address)]);
  const list = pagesOf(callouts);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const { shown, groupOf } = groupByCause(list.rows ?? [], (calloutID) => opened.has(calloutID));
  const { selection, chosen, clear, selectAll } = useChosen(list.rows ?? [], filter);
  const ofGroups: typeof selection = {
    ...selection,
    set: (rows, isSelected) => selection.set(rows.flatMap(groupOf), isSelected),
  };
  // Requests that change callouts cannot be narrowed to failing ones: only picked rows are meant.
  const mayMeanAll = filter.isFailing === undefined;
  const isSendable = useIsSendable(address);
  const kinds = repairsOf(statesOf(chosen, list.rows ?? [], callouts.hasNextPage), isSendable);
  return (
    <Stack>
      <Group justify="space-between" align="flex-start" className="no-print">
        <DeliveryFilters search={search} set={set} />
        <RepairButtons
          address={address}
          chosen={chosen}
          kinds={mayMeanAll || chosen.kind === 'rows' ? kinds : kinds.filter((kind) => kind === 'retryNow')}
          onDone={clear}
        />
      </Group>
      {chosen.kind === 'rows' && callouts.hasNextPage && mayMeanAll && (
        <Text>
          {chosen.rows.length.toLocaleString()} selected.{' '}
          <Anchor component="button" type="button" onClick={selectAll}>
            Select all that match, those further down too
          </Anchor>
        </Text>
      )}
      <RecordsTable
        label="Callouts"
        minWidth={900}
        {...list}
        rows={list.rows && shown}
        keyOf={({ id }) => id}
        selection={ofGroups}
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
              <PageLink to={`/webhooks/${address.entity.type}/${address.id}/callouts/${id}`}>
                {kind === 'event' ? sequenceNumber : kind}
              </PageLink>
            ),
          },
          { title: 'State', cell: (callout) => <StateBadge state={stateOfCallout(callout)} /> },
          what,
          madeAt,
          attempts,
          lastAttempt,
          {
            title: 'Waits for',
            cell: (callout) => (
              <WaitsFor
                callout={callout}
                alike={groupOf(callout).length - 1}
                showGroup={(calloutID) => setOpened(new Set([...opened, calloutID]))}
              />
            ),
          },
        ]}
      />
    </Stack>
  );
}

/**
 * The states of the chosen callouts. A list without a state may have callouts in any state further down; missed
 * changes, too.
 */
function statesOf(chosen: Chosen, rows: readonly ListedCallout[], hasMore: boolean): ReadonlySet<CalloutState> {
  if (chosen.kind === 'rows') return new Set(chosen.rows.map(({ state }) => state));
  if (chosen.filter.state !== undefined || !hasMore) return new Set(rows.map(({ state }) => state));
  return new Set(calloutStates);
}

interface WaitsForProps {
  readonly callout: ListedCallout;
  /** How many hidden rows wait for the same callout. */
  readonly alike: number;
  /** Shows them. */
  readonly showGroup: (calloutID: string) => void;
}

function WaitsFor({ callout, alike, showGroup }: WaitsForProps) {
  const { waitsFor, nextAttemptDateTime, mergedInto } = callout;
  if (mergedInto !== null) {
    return <Text c="dimmed">Its change is in callout {mergedInto.sequenceNumber}.</Text>;
  }
  if (waitsFor === null) return null;
  const { cause } = waitsFor;
  // The page says above what the last failure was, and each row the result of the attempt.
  const message = cause === null ? waitsFor.message.replace(/ The last failure: .*$/u, '') : waitsFor.message;
  return (
    <Text c="dimmed">
      <WaitingSentence waitsFor={{ ...waitsFor, message }} nextAttemptDateTime={nextAttemptDateTime} />
      {cause && (
        <>
          {' '}
          <PageLink to={`/callouts/${cause.calloutID}`} underline="always">
            Open callout {cause.sequenceNumber}
          </PageLink>
        </>
      )}
      {cause && alike > 0 && (
        <>
          {' '}
          <Anchor component="button" type="button" onClick={() => showGroup(cause.calloutID)}>
            {alike === 1 ? '1 more callout waits' : `${alike.toLocaleString()} more callouts wait`} for it
          </Anchor>
        </>
      )}
    </Text>
  );
}
