import { Group, SegmentedControl, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Suspense } from 'react';
import { api } from '../../../api/client.ts';
import { pathOf } from '../../../api/entities.ts';
import { useLive } from '../../../api/live.ts';
import { Fact } from '../../../parts/show/fact.tsx';
import { LiveNote } from '../../../parts/live-note.tsx';
import { Problem } from '../../../parts/problem.tsx';
import { Reading } from '../../../parts/reading.tsx';
import { Section } from '../../../parts/section.tsx';
import { Time } from '../../../parts/show/time.tsx';
import { rangeOf, ranges, type Range } from '../../overview/range.ts';
import { ReadinessAlert } from '../readiness-alert.tsx';
import { keyOf, readinessQuery, type WebhookAddress } from '../webhook-queries.ts';
import { lazyPart } from '../../../parts/lazy-part.tsx';

/** Charts are fetched after what is said in words. */
const Charts = lazyPart(() => import('../../overview/charts.tsx'));
const route = getRouteApi('/webhooks/$entityType/$webhookId');

function statisticsQuery(address: WebhookAddress, range: Range) {
  const { hours, refreshMs } = ranges[range];
  return queryOptions({
    queryKey: [...keyOf(address), 'statistics', range],
    queryFn: async () => {
      const path = pathOf(address.entity.collection, '/v1.0/CompanyWebhooks/{id}/Statistics');
      const query = { from: new Date(Date.now() - hours * 3_600_000).toISOString() };
      const { data } = await api.GET(path, { params: { path: { id: address.id }, query } });
      if (!data) throw new Error('The API returned no statistics.');
      return data.item;
    },
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
  });
}

/** How the receiver fares: in words first, then in charts. */
export default function HealthTab({ address }: { readonly address: WebhookAddress }) {
  const given: Readonly<Record<string, unknown>> = route.useSearch();
  const range = rangeOf(given['range']);
  const navigate = useNavigate();
  const statistics = useQuery(statisticsQuery(address, range));
  const live = useLive([readinessQuery(address).queryKey], {
    webhook: { entityType: address.entity.type, webhookID: address.id },
  });
  return (
    <Stack gap={36}>
      <Section title="Now">
        <LiveNote status={live} />
        <ReadinessAlert address={address} />
        {statistics.data && <Owed owed={statistics.data.owed} />}
      </Section>
      <Section title="Attempts and answers">
        <SegmentedControl
          aria-label="Time"
          style={{ alignSelf: 'flex-start' }}
          value={range}
          onChange={(next) =>
            void navigate({ to: '.', search: (before: object) => ({ ...before, range: next }), replace: true })
          }
          data={Object.entries(ranges).map(([value, { label }]) => ({ value: value as Range, label }))}
        />
        {statistics.isError && (
          <Problem
            title="The statistics could not be read"
            error={statistics.error}
            retry={() => void statistics.refetch()}
          />
        )}
        {statistics.isPending && <Reading label="the statistics" />}
        {statistics.data && (
          <>
            <Totals totals={statistics.data.totals} />
            <Suspense fallback={<Skeleton height={300} />}>
              <Charts statistics={statistics.data} />
            </Suspense>
          </>
        )}
      </Section>
    </Stack>
  );
}

type Statistics = Awaited<ReturnType<NonNullable<ReturnType<typeof statisticsQuery>['queryFn']>>>;

/** What it is owed at this moment, and what that waits for. */
function Owed({ owed }: { readonly owed: Statistics['owed'] }) {
  const { due, later, waiting, held, failing, oldestDateTime } = owed;
  if (oldestDateTime === null) return <Text size="sm">Nothing is owed to it at this moment.</Text>;
  return (
    <Group className="facts">
      <Fact label="Due now">{due.toLocaleString()}</Fact>
      <Fact label="Wait for their next attempt">{later.toLocaleString()}</Fact>
      <Fact label="Wait for an earlier one of their record">{waiting.toLocaleString()}</Fact>
      <Fact label="Held by the threshold, until there is room">{held.toLocaleString()}</Fact>
      <Fact label="Of all these, being retried">{failing.toLocaleString()}</Fact>
      <Fact label="The oldest was created">
        <Time value={oldestDateTime} />
      </Fact>
    </Group>
  );
}

function Totals({ totals }: { readonly totals: Statistics['totals'] }) {
  const { delivered, failed, attempts, failedAttempts, p50Ms, p95Ms } = totals;
  const ms = (value: number | null) => (value === null ? '–' : `${value.toLocaleString()} ms`);
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, md: 6 }}>
      <Fact label="Delivered">{delivered.toLocaleString()}</Fact>
      <Fact label="Given up">{failed.toLocaleString()}</Fact>
      <Fact label="Attempts">{attempts.toLocaleString()}</Fact>
      <Fact label="Attempts that failed">{failedAttempts.toLocaleString()}</Fact>
      <Fact label="Half answered within">{ms(p50Ms)}</Fact>
      <Fact label="95 of 100 answered within">{ms(p95Ms)}</Fact>
    </SimpleGrid>
  );
}
