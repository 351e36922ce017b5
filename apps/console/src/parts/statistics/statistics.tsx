import { Group, SegmentedControl, SimpleGrid, Skeleton, Stack } from '@mantine/core';
import type { Schemas } from '@callout/client';
import { keepPreviousData, type QueryKey, useQuery } from '@tanstack/react-query';
import { type ReactNode, Suspense } from 'react';
import { useSearchFilter, wordIn } from '../filter/search-filter.ts';
import { lazyPart } from '../lazy-part.tsx';
import { Problem } from '../loaded.tsx';
import { Figure, Note } from '../show/fact.tsx';
import { durationText, shareText } from '../show/number-text.ts';
import { PageLink } from '../show/links.tsx';
import { Time } from '../show/time.tsx';

// The text is shown before the library that draws charts is there.
const Charts = lazyPart(() => import('./charts.tsx'));

export type DeliveryStatistics = Schemas['DeliveryStatistics'];

/** The times that can be shown, all of them until now. */
const ranges = [
  { value: '1h', label: '1 h', hours: 1, refreshMs: 20_000 },
  { value: '6h', label: '6 h', hours: 6, refreshMs: 30_000 },
  { value: '24h', label: '24 h', hours: 24, refreshMs: 60_000 },
  { value: '7d', label: '7 d', hours: 168, refreshMs: 60_000 },
  { value: '30d', label: '30 d', hours: 720, refreshMs: 60_000 },
] as const;
const values = ranges.map(({ value }) => value);

interface FailuresLink {
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
}

interface StatisticsProps<Data extends DeliveryStatistics> {
  readonly queryKey: QueryKey;
  /** Reads what was delivered from a moment until now. */
  readonly read: (from: string) => Promise<Data>;
  /** The page of the callouts that failed; absent where there is none. */
  readonly failures?: FailuresLink;
  /** What is to be shown of it besides. */
  readonly children?: (data: Data | undefined) => ReactNode;
}

/** What was delivered in a time that the address names, and what is to be delivered now: in figures, then in charts. */
export function Statistics<Data extends DeliveryStatistics>({
  queryKey,
  read,
  failures,
  children,
}: StatisticsProps<Data>) {
  const [{ range = '1h' }, set] = useSearchFilter((search) => ({ range: wordIn(values, search['range']) }));
  const { hours, refreshMs } = ranges.find(({ value }) => value === range) ?? ranges[0];
  const { data, error, refetch, isPlaceholderData } = useQuery({
    queryKey: [...queryKey, range],
    queryFn: () => read(new Date(Date.now() - hours * 3_600_000).toISOString()),
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
  });
  return (
    <Stack component="section" aria-label="Deliveries" aria-busy={isPlaceholderData}>
      <Group>
        <SegmentedControl
          className="no-print"
          aria-label="Time that is shown"
          value={range}
          onChange={(chosen) => set({ range: chosen })}
          data={ranges.map(({ value, label }) => ({ value, label }))}
        />
        {data !== undefined && <CountedUntil moment={data.countedUntilDateTime} />}
      </Group>
      {error && <Problem title="The statistics could not be read" error={error} retry={() => void refetch()} />}
      {data === undefined ? (
        !error && <Skeleton height={360} aria-busy />
      ) : (
        <>
          <Tiles statistics={data} failures={failures} />
          <Suspense fallback={<Skeleton height={290} aria-busy />}>
            <Charts statistics={data} />
          </Suspense>
        </>
      )}
      {children?.(data)}
    </Stack>
  );
}

/** Why what has just happened is not in the figures yet. */
function CountedUntil({ moment }: { readonly moment: string | null }) {
  if (moment === null) return <Note>Nothing is counted yet: each minute is counted soon after it ends.</Note>;
  return (
    <Note>
      Counted up to <Time value={moment} />; each minute is counted soon after it ends.
    </Note>
  );
}

interface TilesProps {
  readonly statistics: DeliveryStatistics;
  readonly failures?: FailuresLink | undefined;
}

/** The totals of the range, and what is to be delivered and since when. */
export function Tiles({ statistics: { totals, toDeliver }, failures }: TilesProps) {
  const { delivered, attempts, failedAttempts, failed, p50Ms, p95Ms, averageMs } = totals;
  const all = toDeliver.due + toDeliver.later + toDeliver.waiting + toDeliver.held;
  const parts = [
    { count: toDeliver.due, word: 'due now' },
    { count: toDeliver.later, word: 'waiting for the next attempt' },
    { count: toDeliver.waiting, word: 'waiting for an earlier callout of the record' },
    { count: toDeliver.held, word: 'held by a threshold' },
  ].filter(({ count }) => count > 0);
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }}>
      <Figure
        label="Delivered"
        value={delivered}
        note={`${attempts.toLocaleString()} attempts, ${failedAttempts.toLocaleString()} not accepted${
          failedAttempts > 0 ? ` (${shareText(failedAttempts / attempts)})` : ''
        }`}
      />
      <Figure
        label="Failed"
        value={failed}
        note={
          failed === 0
            ? 'Nothing failed'
            : ((failures && (
                <PageLink {...failures} inherit>
                  Show them
                </PageLink>
              )) ??
              'Their attempts are used up')
        }
      />
      <Figure
        label="Answer time, p50 / p95"
        value={p50Ms === null ? '–' : `${ms(p50Ms)} / ${ms(p95Ms)}`}
        note={averageMs === null ? 'No receiver has answered' : `${ms(averageMs)} on average`}
      />
      <Figure
        label="To deliver"
        value={all}
        note={
          <>
            {parts.length === 0 && 'Nothing is waiting'}
            {parts.map(({ count, word }) => `${count.toLocaleString()} ${word}`).join(', ')}
            {toDeliver.failing > 0 && `; ${toDeliver.failing.toLocaleString()} of them being retried`}
            {toDeliver.oldestDateTime !== null && (
              <>
                ; the oldest since <Time value={toDeliver.oldestDateTime} />
              </>
            )}
          </>
        }
      />
    </SimpleGrid>
  );
}

const ms = (value: number | null) => (value === null ? '–' : durationText(value));
