import { Group, SegmentedControl, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Suspense } from 'react';
import { useLive } from '../../api/live.ts';
import { sessionQuery } from '../../api/session.ts';
import { LiveNote } from '../../parts/live-note.tsx';
import { Page } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Time } from '../../parts/show/time.tsx';
import { Attention } from './attention.tsx';
import { FailedCallouts, RetriedCallouts } from './failed-callouts.tsx';
import { FirstSteps } from './first-steps.tsx';
import { statisticsQuery, webhookCountQuery } from './overview-queries.ts';
import { rangeOf, ranges } from './range.ts';
import { Tiles } from './tiles.tsx';
import { lazyPart } from '../../parts/lazy-part.tsx';

// What needs attention is shown before the library that draws charts is there.
const Charts = lazyPart(() => import('./charts.tsx'));
const route = getRouteApi('/');

/** What needs attention first, then what was delivered, how receivers answered, and what is owed. */
export default function OverviewPage() {
  const live = useLive([['overview']]);
  const session = useQuery(sessionQuery);
  const webhooks = useQuery(webhookCountQuery);
  const mayCreate = session.data?.kind === 'user' && session.data.rights.canCreateWebhooks;
  return (
    <Page title="Overview" lead="What needs attention, and what is happening now." actions={<LiveNote status={live} />}>
      {webhooks.data === 0 ? (
        <FirstSteps mayCreate={mayCreate} />
      ) : (
        <>
          <Attention />
          <Statistics />
          <RetriedCallouts />
          <Title order={2}>Recently given up</Title>
          <FailedCallouts />
        </>
      )}
    </Page>
  );
}

function Statistics() {
  const range = rangeOf(route.useSearch()['range']);
  const navigate = useNavigate();
  const { data, error, refetch, isPlaceholderData } = useQuery(statisticsQuery(range));
  return (
    <Stack component="section" aria-label="Deliveries">
      <Group>
        <SegmentedControl
          className="no-print"
          aria-label="Time that is shown"
          value={range}
          onChange={(chosen) => void navigate({ to: '.', search: { range: chosen }, replace: true })}
          data={Object.entries(ranges).map(([value, { label }]) => ({ value, label }))}
        />
        {data !== undefined && (
          <Text size="xs" c="dimmed">
            <CountedUntil moment={data.countedUntilDateTime} />
          </Text>
        )}
      </Group>
      {error && <Problem title="The statistics could not be read" error={error} retry={() => void refetch()} />}
      {data === undefined ? (
        !error && <Skeleton height={360} aria-busy />
      ) : (
        <Stack aria-busy={isPlaceholderData}>
          <Tiles statistics={data} />
          <Suspense fallback={<Skeleton height={290} aria-busy />}>
            <Charts statistics={data} />
          </Suspense>
        </Stack>
      )}
    </Stack>
  );
}

/** Why what has just happened is not in the figures yet. */
function CountedUntil({ moment }: { readonly moment: string | null }) {
  if (moment === null) return 'Nothing is counted yet: each minute is counted soon after it ends.';
  return (
    <>
      Counted up to <Time value={moment} />; each minute is counted soon after it ends.
    </>
  );
}
