import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { Threshold } from './threshold.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';

/** How near each entity is to the threshold, and the callouts held by the threshold. */
export default function ThresholdsPage() {
  const thresholds = useQuery({
    queryKey: ['thresholds'],
    queryFn: async () => (await api.GET('/v1.0/CalloutThresholds')).data.items,
    refetchInterval: 10_000,
  });
  return (
    <Page
      title="Thresholds"
      lead="How many callouts may go out in any hour, for each entity. What is above is held and goes out later, oldest first."
    >
      <Loaded query={thresholds} label="the thresholds">
        {(items) => (
          <Stack>
            {items.map((threshold) => (
              <Threshold key={threshold.entityType} threshold={threshold} />
            ))}
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}
