import { Group, Paper, Progress, Stack, Text, Title } from '@mantine/core';
import type { Schemas } from '@callout/client';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { entityOfType } from '../../api/entities.ts';
import { Note } from '../../parts/show/fact.tsx';
import { Sparkline } from '../../parts/show/sparkline.tsx';
import { StateBadge } from '../../parts/show/state-badge.tsx';
import { Time } from '../../parts/show/time.tsx';

/** The used share from which an entity is near the threshold, in the overview, too. */
const near = 0.75;

/** How much of the threshold an entity uses now and used in the last day, and the held callouts. */
export function Threshold({ threshold }: { readonly threshold: Schemas['CalloutThreshold'] }) {
  const { entityType, limit, used, held: heldCallouts, oldestHeldDateTime } = threshold;
  const label = entityOfType(entityType)?.label ?? entityType;
  const isNear = limit > 0 && used >= near * limit;
  return (
    <Paper withBorder p="md" component="section" aria-label={label}>
      <Stack gap="xs">
        <Group justify="space-between">
          <Group gap="xs">
            <Title order={2} size="h3">
              {label}
            </Title>
            {heldCallouts > 0 ? <StateBadge state="held" /> : isNear && <StateBadge state="nearThreshold" />}
          </Group>
          <Text>
            {used.toLocaleString()} of {limit === 0 ? 'any number' : limit.toLocaleString()} in the last hour
          </Text>
        </Group>
        {limit > 0 && (
          <Progress
            value={Math.min(100, (100 * used) / limit)}
            color={heldCallouts > 0 ? 'red' : isNear ? 'yellow' : 'callout'}
            aria-label={`Use of the threshold of ${label}`}
          />
        )}
        {heldCallouts > 0 && (
          <Text>
            {heldCallouts.toLocaleString()} held
            {oldestHeldDateTime !== null && (
              <>
                , the oldest since <Time value={oldestHeldDateTime} />
              </>
            )}
            . They go out as the hour frees room; an operator can raise the threshold.
          </Text>
        )}
        <UsageBars entityType={entityType} />
      </Stack>
    </Paper>
  );
}

const dayMs = 86_400_000;

/** The attempts of each hour of the last day; 24 bars need no library. Retries are among them, which no threshold counts. */
export function UsageBars({ entityType }: { readonly entityType: string }) {
  const { data: points = [] } = useQuery({
    queryKey: ['thresholds', 'day', entityType],
    queryFn: async () => {
      const query = { entityType, from: new Date(Date.now() - dayMs).toISOString(), interval: 'hour' };
      return (await api.GET('/v1.0/Statistics', { params: { query } })).data.item.points;
    },
    refetchInterval: 60_000,
  });
  if (!points.some(({ attempts }) => attempts > 0)) return null;
  const attempts = points.reduce((sum, point) => sum + point.attempts, 0);
  const failedAttempts = points.reduce((sum, point) => sum + point.failedAttempts, 0);
  return (
    <Stack gap={4}>
      <Note>Attempts in each hour of the last day, retries among them; red: failed</Note>
      <Sparkline
        counts={points.map((point) => point.attempts)}
        failed={points.map((point) => point.failedAttempts)}
        label={`${attempts.toLocaleString()} attempts in 24 hours, ${failedAttempts.toLocaleString()} failed`}
        step={12}
        height={40}
      />
    </Stack>
  );
}
