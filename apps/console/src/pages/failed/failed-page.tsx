import { Button, Group } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { addressOfApi } from '../../api/client.ts';
import { FailedGroups } from './failed-groups.tsx';
import {
  type FailedFilter,
  failedFilterOf,
  type FailedGroup,
  failedGroupsQuery,
  failedListQuery,
  failedQueryOf,
  groupsWithin,
} from './failed-queries.ts';
import { RedeliverFailed } from './redeliver-failed.tsx';
import { RetriedCallouts } from './retried-callouts.tsx';
import { calloutColumns } from '../../parts/callouts/callout-columns.tsx';
import { FilterSelect, MomentInput } from '../../parts/filter/filter-inputs.tsx';
import { useSearchFilter } from '../../parts/filter/search-filter.ts';
import { Page, Section } from '../../parts/page.tsx';
import { pagesOf, RecordsTable, rowsOf } from '../../parts/table/records-table.tsx';

/** The most callouts of a request. */
const mostNamed = 1_000;
/** Addresses have to stay short. */
const mostInAddress = 200;

/** What failed: by webhook and reason, callout by callout, with the remedies. */
export default function FailedPage() {
  const [filter, setFilter] = useSearchFilter(failedFilterOf);
  const groups = useQuery(failedGroupsQuery(filter));
  const all = groups.data ?? [];
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  return (
    <Page
      title="Failed"
      lead="Callouts that used up their attempts. They are kept, and are not sent again by themselves."
    >
      <Group className="no-print" align="flex-end">
        <FilterSelect
          label="Webhook"
          all="All webhooks"
          data={choicesOf(all, ({ webhookGUID, webhookName }) => [webhookGUID, webhookName])}
          value={filter.webhook}
          onChange={(webhook) => setFilter({ webhook })}
        />
        <FilterSelect
          label="Reason"
          all="All reasons"
          data={choicesOf(all, ({ reason, reasonText }) => [reason, reasonText])}
          value={filter.reason}
          onChange={(reason) => setFilter({ reason })}
        />
        <MomentInput label="From" value={filter.since} onChange={(since) => setFilter({ since })} />
        <MomentInput label="Until" value={filter.until} onChange={(until) => setFilter({ until })} />
      </Group>
      <FailedGroups
        list={{ ...rowsOf(groups), rows: groups.data && groupsWithin(groups.data, filter) }}
        onShow={setFilter}
      />
      {(all.length > 0 || isFiltered) && <FailedList key={JSON.stringify(filter)} filter={filter} />}
      {!isFiltered && <RetriedCallouts />}
    </Page>
  );
}

/** Each choice once. */
function choicesOf(groups: readonly FailedGroup[], choiceOf: (group: FailedGroup) => readonly [string, string]) {
  return [...new Map(groups.map(choiceOf))].map(([value, label]) => ({ value, label }));
}

function FailedList({ filter }: { readonly filter: FailedFilter }) {
  const list = pagesOf(useInfiniteQuery(failedListQuery(filter)));
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const calloutIDs = (list.rows ?? [])
    .map(({ id }) => id)
    .filter((id) => picked.has(id))
    .slice(0, mostNamed);
  return (
    <Section title="Callouts">
      <Group gap="xs" className="no-print">
        <RedeliverFailed filter={filter} calloutIDs={calloutIDs} onDone={() => setPicked(new Set())} />
        <Button size="xs" variant="default" component="a" href={exportOf(filter, calloutIDs)} download="callouts.jsonl">
          {calloutIDs.length > 0 && calloutIDs.length <= mostInAddress
            ? `Export ${calloutIDs.length.toLocaleString()} selected`
            : 'Export all'}
        </Button>
      </Group>
      <RecordsTable
        label="Failed callouts"
        {...list}
        keyOf={({ id }) => id}
        selection={{
          isSelected: ({ id }) => picked.has(id),
          nameOf: ({ sequenceNumber, webhookID }) => `callout ${sequenceNumber} of webhook ${webhookID}`,
          set(rows, isSelected) {
            const ids = rows.map(({ id }) => id);
            setPicked(new Set(isSelected ? [...picked, ...ids] : [...picked].filter((id) => !ids.includes(id))));
          },
        }}
        empty={{ title: 'No callout matches', description: 'Choose another webhook, reason or time.' }}
        columns={calloutColumns}
      />
    </Section>
  );
}

/** The address of an export: of the selected callouts, or of all callouts within the filter. */
function exportOf(filter: FailedFilter, calloutIDs: readonly string[]): string {
  const isNamed = calloutIDs.length > 0 && calloutIDs.length <= mostInAddress;
  const query = new URLSearchParams({
    ...failedQueryOf(filter),
    ...(isNamed && { calloutID: calloutIDs.join(',') }),
  });
  return addressOfApi(`/v1.0/Callouts/export?${query}`);
}
