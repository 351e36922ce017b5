import '@mantine/charts/styles.layer.css';
import { AreaChart } from '@mantine/charts';
import { Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { ChartLegend } from '../../parts/show/chart-legend.tsx';
import { answers, answersOf } from './answers.ts';
import type { DeliveryStatistics } from './overview-queries.ts';

interface ChartsProps {
  readonly statistics: DeliveryStatistics;
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const dayMs = 86_400_000;

/** What attempts came to, what was given up and held, and how long answers took. */
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
  } as const;
  const each = interval === 'minute' ? 'minute' : 'hour';
  const totals = answersOf(statistics.totals);
  const given = answers.filter(({ name }) => name === 'status2xx' || totals[name] > 0);
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }}>
      <Chart title={`Attempts by ${each}`} note="By what the receiver answered, or why it did not" isWide>
        <AreaChart
          {...common}
          type="stacked"
          curveType="step"
          fillOpacity={0.5}
          areaProps={{ isAnimationActive: false }}
          valueFormatter={(value) => value.toLocaleString()}
          series={given}
        />
        <ChartLegend items={given.map((one) => ({ ...one, count: totals[one.name] }))} />
      </Chart>
      <Chart title={`Callouts by ${each}`} note={`Held: at the end of each ${each}`}>
        <AreaChart
          {...common}
          withLegend
          fillOpacity={0.15}
          areaProps={{ isAnimationActive: false }}
          valueFormatter={(value) => value.toLocaleString()}
          series={[
            { name: 'delivered', label: 'Delivered', color: 'teal.6' },
            { name: 'failed', label: 'Given up', color: 'red.6', strokeDasharray: '6 3' },
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
          withDots={points.length <= 60}
          dotProps={{ r: 2 }}
          areaProps={{ isAnimationActive: false }}
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
          <Text component="figcaption" size="xs" c="dimmed">
            {note}
          </Text>
        </div>
        {children}
      </Stack>
    </Paper>
  );
}
