import { ColorSwatch, Group, Text } from '@mantine/core';
import { shareText } from './number-text.ts';

interface ChartLegendProps {
  readonly items: readonly { readonly label: string; readonly color: string; readonly count: number }[];
}

/** The series of a chart with their totals: what is seen by pointing at it, in words for everyone. */
export function ChartLegend({ items }: ChartLegendProps) {
  const all = items.reduce((sum, { count }) => sum + count, 0);
  return (
    <ul className="chart-legend" aria-label="Totals">
      {items.map(({ label, color, count }) => (
        <Group key={label} component="li" gap={6} wrap="nowrap">
          <ColorSwatch
            color={`var(--mantine-color-${color.replace('.', '-')})`}
            size={10}
            withShadow={false}
            aria-hidden
          />
          <Text size="sm">
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
    </ul>
  );
}
