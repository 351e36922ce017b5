import { Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { entityOfType } from '../../api/entities.ts';
import { Page } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Time } from '../../parts/time.tsx';

/** How near each entity is to its threshold, and what is held because of it. */
export default function ThresholdsPage() {
  const thresholds = useQuery({
    queryKey: ['thresholds'],
    queryFn: async () => (await api.GET('/v1.0/CalloutThresholds')).data?.items ?? [],
    refetchInterval: 10_000,
  });
  return (
    <Page
      title="Thresholds"
      lead="How many callouts may go out in any hour, for each entity. What is above is held and goes out later."
    >
      {thresholds.isError && (
        <Problem
          title="The thresholds could not be read"
          error={thresholds.error}
          retry={() => void thresholds.refetch()}
        />
      )}
      {thresholds.data?.map(({ entityType, limit, used, held, oldestHeldDateTime }) => (
        <Paper key={entityType} withBorder p="md" component="section">
          <Stack gap="xs">
            <Group justify="space-between">
              <Text fw={600}>{entityOfType(entityType)?.label ?? entityType}</Text>
              <Text size="sm">
                {used.toLocaleString()} of {limit === 0 ? 'any number' : limit.toLocaleString()} in the last hour
              </Text>
            </Group>
            <Progress
              value={limit === 0 ? 0 : Math.min(100, (100 * used) / limit)}
              color={held > 0 ? 'red' : used >= 0.75 * limit && limit > 0 ? 'yellow' : 'callout'}
              aria-label={`Use of the threshold of ${entityType}`}
            />
            {held > 0 && (
              <Text size="sm">
                {held.toLocaleString()} held
                {oldestHeldDateTime !== null && (
                  <>
                    , the oldest since <Time value={oldestHeldDateTime} />
                  </>
                )}
                . They go out as the hour frees room; an operator can raise the threshold.
              </Text>
            )}
          </Stack>
        </Paper>
      ))}
    </Page>
  );
}
