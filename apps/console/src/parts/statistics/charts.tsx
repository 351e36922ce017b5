import '@mantine/charts/styles.layer.css';
import { AreaChart } from '@mantine/charts';
import { ColorSwatch, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { Note } from '../show/fact.tsx';
import { shareText } from '../show/number-text.ts';
import type { DeliveryStatistics } from './statistics.tsx';

/** What attempts are divided by: what their receivers answered, or why none did. */
const answers = [
  { name: 'status2xx', label: 'Delivered (2xx)', color: 'teal.6' },
  { name: 'status3xx', label: 'Redirects (3xx)', color: 'cyan.6' },
  { name: 'status4xx', label: '4xx', color: 'orange.6' },
  { name: 'status5xx', label: '5xx', color: 'red.7' },
  { name: 'timeout', label: 'Timed out', color: 'grape.6' },
  { name: 'connection', label: 'No connection', color: 'indigo.6' },
  { name: 'other', label: 'Failed otherwise', color: 'gray.6' },
] as const;

/** How many attempts got each answer. */
const answersOf = ({ attempts, failedAttempts, failures }: DeliveryStatistics['totals']) => ({
  ...failures,
  status2xx: attempts - failedAttempts,
});

interface ChartsProps {
  readonly statistics: DeliveryStatistics;
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const dayMs = 86_400_000;
/** An hour of minutes, with the minute at each end. */
const mostDots = 62;

/** What attempts came to, what failed and was held, and how long answers took. */
export default function Charts({ statistics }: ChartsProps) {
  const { interval, fromDateTime, toDateTime, countedUntilDateTime } = statistics;
  const countedUntil = countedUntilDateTime === null ? 0 : Date.parse(countedUntilDateTime);
  const isLong = Date.parse(toDateTime) - Date.parse(fromDateTime) > 2 * dayMs;
  const points = statistics.points.map((point) => {
    const time = Date.parse(point.dateTime);
    // What is not counted yet is no zero.
    if (time >= countedUntil) return { time };
    const { delivered, failed, held, p50Ms, p95Ms } = point;
    return { time, delivered, failed, held, p50Ms, p95Ms, ...answersOf(point) };
  });
  const xAxisProps = {
    tickFormatter: (time: number) => (isLong ? day : clock).format(time),
    minTickGap: 40,
  };
  const common = {
    h: 220,
    data: points,
    dataKey: 'time',
    withDots: false,
    curveType: 'linear',
    tickLine: 'none',
    strokeWidth: 1.5,
    xAxisProps,
    tooltipProps: { labelFormatter: (time: unknown) => (typeof time === 'number' ? moment.format(time) : '') },
    tooltipAnimationDuration: 0,
    areaProps: { isAnimationActive: false },
    valueFormatter: (value: number) => value.toLocaleString(),
  } as const;
  const totals = answersOf(statistics.totals);
  const shownAnswers = answers.filter(({ name }) => name === 'status2xx' || totals[name] > 0);
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }}>
      <Chart title={`Attempts by ${interval}`} note="By what the receiver answered, or why it did not" isWide>
        <AreaChart {...common} type="stacked" curveType="step" fillOpacity={0.5} series={shownAnswers} />
        <ChartLegend items={shownAnswers.map((one) => ({ ...one, count: totals[one.name] }))} />
      </Chart>
      <Chart title={`Callouts by ${interval}`} note={`Held: at the end of each ${interval}`}>
        <AreaChart
          {...common}
          withLegend
          fillOpacity={0.15}
          series={[
            { name: 'delivered', label: 'Delivered', color: 'teal.6' },
            { name: 'failed', label: 'Failed', color: 'red.6', strokeDasharray: '6 3' },
            { name: 'held', label: 'Held', color: 'yellow.6', strokeDasharray: '2 3' },
          ]}
        />
      </Chart>
      <Chart
        title="Answer times of receivers"
        note="Half of the answers took no longer than p50, 95 of 100 no longer than p95"
      >
        <AreaChart
          {...common}
          withLegend
          fillOpacity={0}
          // A line needs two values beside each other: without dots, a lone minute of an hour would not be seen.
          withDots={points.length <= mostDots}
          dotProps={{ r: 2 }}
          connectNulls={false}
          valueFormatter={(value) => `${value.toLocaleString()} ms`}
          series={[
            { name: 'p50Ms', label: 'p50', color: 'blue.6' },
            { name: 'p95Ms', label: 'p95', color: 'grape.6', strokeDasharray: '6 3' },
          ]}
        />
      </Chart>
    </SimpleGrid>
  );
}

interface ChartProps {
  readonly title: string;
  readonly note: string;
  /** As wide as the page. */
  readonly isWide?: boolean;
  readonly children: React.ReactNode;
}

function Chart({ title, note, isWide = false, children }: ChartProps) {
  return (
    <Paper withBorder p="md" component="figure" m={0} miw={0} style={isWide ? { gridColumn: '1 / -1' } : undefined}>
      <Stack gap="sm">
        <div>
          <Title order={3}>{title}</Title>
          <Note component="figcaption">{note}</Note>
        </div>
        {children}
      </Stack>
    </Paper>
  );
}

interface ChartLegendProps {
  readonly items: readonly { readonly label: string; readonly color: string; readonly count: number }[];
}

/** The series of a chart with their totals: what is seen by pointing at it, in words for everyone. */
export function ChartLegend({ items }: ChartLegendProps) {
  const all = items.reduce((sum, { count }) => sum + count, 0);
  return (
    <Group component="ul" gap={4} m={0} p={0} style={{ listStyle: 'none', columnGap: 16 }} aria-label="Totals">
      {items.map(({ label, color, count }) => (
        <Group key={label} component="li" gap={6} wrap="nowrap">
          <ColorSwatch
            color={`var(--mantine-color-${color.replace('.', '-')})`}
            size={10}
            withShadow={false}
            aria-hidden
          />
          <Text>
            {label}{' '}
            <Text span fw={600}>
              {count.toLocaleString()}
            </Text>
            {all > 0 && (
              <Text span c="dimmed">
                {' '}
                {shareText(count / all)}
              </Text>
            )}
          </Text>
        </Group>
      ))}
    </Group>
  );
}
