import { Paper, SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { durationText, shareText } from '../../parts/show/number-text.ts';
import { Time } from '../../parts/show/time.tsx';
import type { DeliveryStatistics } from './overview-queries.ts';

/** The totals of the range, and what is owed now and since when. */
export function Tiles({ statistics: { totals, owed } }: { readonly statistics: DeliveryStatistics }) {
  const all = owed.due + owed.later + owed.waiting + owed.held;
  const parts = [
    { count: owed.due, word: 'due now' },
    { count: owed.later, word: 'waiting for the next attempt' },
    { count: owed.waiting, word: 'waiting for an earlier callout of the record' },
    { count: owed.held, word: 'held by a threshold' },
  ].filter(({ count }) => count > 0);
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }}>
      <Tile label="Delivered" value={totals.delivered.toLocaleString()}>
        {totals.attempts.toLocaleString()} attempts, {totals.failedAttempts.toLocaleString()} not accepted
        {totals.failedAttempts > 0 && ` (${shareText(totals.failedAttempts / totals.attempts)})`}
      </Tile>
      <Tile label="Given up" value={totals.failed.toLocaleString()}>
        {totals.failed === 0 ? 'Nothing was given up' : 'Their attempts are used up: see below'}
      </Tile>
      <Tile
        label="Answers, p50 / p95"
        value={totals.p50Ms === null ? '–' : `${ms(totals.p50Ms)} / ${ms(totals.p95Ms)}`}
      >
        {totals.averageMs === null ? 'No receiver has answered' : `${ms(totals.averageMs)} on average`}
      </Tile>
      <Tile label="Owed now" value={all.toLocaleString()}>
        {parts.length === 0 && 'Nothing is waiting'}
        {parts.map(({ count, word }) => `${count.toLocaleString()} ${word}`).join(', ')}
        {owed.failing > 0 && `; ${owed.failing.toLocaleString()} of them being retried`}
        {owed.oldestDateTime !== null && (
          <>
            ; the oldest since <Time value={owed.oldestDateTime} />
          </>
        )}
      </Tile>
    </SimpleGrid>
  );
}

const ms = (value: number | null) => (value === null ? '–' : durationText(value));

interface TileProps {
  readonly label: string;
  readonly value: string;
  readonly children: ReactNode;
}

function Tile({ label, value, children }: TileProps) {
  return (
    <Paper withBorder p="md" className="tile">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fz={{ base: 20, sm: 24 }} fw={650}>
        {value}
      </Text>
      <Text size="xs" c="dimmed" className="break-anywhere">
        {children}
      </Text>
    </Paper>
  );
}
