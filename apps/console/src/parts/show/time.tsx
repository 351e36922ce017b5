import { Text } from '@mantine/core';
import { useRelativeTime } from './relative-time.ts';

const parts = { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit', second: '2-digit' } as const;
const ofThisYear = new Intl.DateTimeFormat(undefined, { ...parts, timeZoneName: 'short' });
const ofOtherYears = new Intl.DateTimeFormat(undefined, { ...parts, year: 'numeric', timeZoneName: 'short' });

/** The year is named where it is not that in which the page was opened. */
const thisYear = new Date().getFullYear();
const formatOf = (at: Date) => (at.getFullYear() === thisYear ? ofThisYear : ofOtherYears);

interface TimeProps {
  /** ISO 8601, as the API writes it. */
  readonly value: string;
  /** In a column of a table: how long ago it was stands below the time, and not beside it. */
  readonly isStacked?: boolean;
}

/** A time in the viewer's zone, which it names, and how long ago it was or will be; UTC on hover. */
export function Time({ value, isStacked = false }: TimeProps) {
  const at = new Date(value);
  const relative = useRelativeTime(at.getTime());
  return (
    <time
      dateTime={value}
      title={`${at.toISOString().replace('T', ' ').replace('Z', '')} UTC`}
      className={isStacked ? 'time is-stacked' : 'time'}
    >
      <span className="one-line">{formatOf(at).format(at)}</span>{' '}
      {isStacked ? (
        <Text span size="xs" c="dimmed">
          {relative}
        </Text>
      ) : (
        <span className="one-line">({relative})</span>
      )}
    </time>
  );
}
