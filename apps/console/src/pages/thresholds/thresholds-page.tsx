import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { Page } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Reading } from '../../parts/reading.tsx';
import { Threshold } from './threshold.tsx';

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
      lead="How many callouts may go out in any hour, for each entity. What is above is held and goes out later, oldest first."
    >
      {thresholds.isError && (
        <Problem
          title="The thresholds could not be read"
          error={thresholds.error}
          retry={() => void thresholds.refetch()}
        />
      )}
      {thresholds.isPending && <Reading label="the thresholds" />}
      {thresholds.data?.map((threshold) => (
        <Threshold key={threshold.entityType} threshold={threshold} />
      ))}
    </Page>
  );
}
