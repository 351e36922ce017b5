import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

const dayMs = 86_400_000;
const hour = new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'short' });

/** The attempts of each hour of the last day; 24 bars need no library. Retries are among them, which no threshold counts. */
export function UsageBars({ entityType }: { readonly entityType: string }) {
  const { data } = useQuery({
    queryKey: ['thresholds', 'day', entityType],
    queryFn: async () => {
      const query = { entityType, from: new Date(Date.now() - dayMs).toISOString(), interval: 'hour' };
      return (await api.GET('/v1.0/Statistics', { params: { query } })).data?.item.points ?? [];
    },
    refetchInterval: 60_000,
  });
  if (!data?.some(({ attempts }) => attempts > 0)) return null;
  const most = Math.max(...data.map(({ attempts }) => attempts));
  return (
    <figure className="usage-bars">
      <Text component="figcaption" size="xs" c="dimmed">
        Attempts in each hour of the last day, retries among them
      </Text>
      <Group gap={2} align="flex-end" wrap="nowrap" h={40} aria-hidden>
        {data.map(({ dateTime, attempts }) => (
          <div
            key={dateTime}
            className="usage-bar"
            title={`${hour.format(new Date(dateTime))}: ${attempts.toLocaleString()}`}
            style={{ height: `${Math.max(3, (100 * attempts) / most)}%` }}
          />
        ))}
      </Group>
    </figure>
  );
}
