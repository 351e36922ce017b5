import { Alert, SimpleGrid, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { operate, type Queues } from '../../api/operator.ts';
import { Problem } from '../../parts/loaded.tsx';
import { Page, Section } from '../../parts/page.tsx';
import { Figure } from '../../parts/show/fact.tsx';
import { PageLink } from '../../parts/show/links.tsx';
import { Time } from '../../parts/show/time.tsx';

const words: Readonly<Record<string, string>> = {
  deliver: 'name webhooks with due callouts',
};

/** What waits in Redis. */
export default function QueuesPage() {
  const queues = useQuery({
    queryKey: ['operator', 'queues'],
    queryFn: () => operate<Queues>('readQueues'),
    refetchInterval: 3_000,
  });
  const { data } = queues;
  return (
    <Page
      title="Queues"
      lead="What waits in Redis. It only says which rows to look at: what is to be delivered is in PostgreSQL, and on Status."
    >
      {queues.isError && (
        <Problem title="The queues could not be read" error={queues.error} retry={() => void queues.refetch()} />
      )}
      {data?.isRedisReady === false && (
        <Alert color="red" title="Redis is away">
          Nothing is lost: events are accepted, and the sweep of the workers finds what is due. See whether Redis runs,
          and whether REDIS_URL is right.
        </Alert>
      )}
      {data?.events && (
        <Section title="Events">
          <SimpleGrid cols={{ base: 2 }} maw={560}>
            <Figure
              label="Wait to be matched"
              value={data.events.waiting}
              note={`jobs with events, of at most ${data.events.most.toLocaleString()}; further events wait in PostgreSQL`}
            />
            {data.events.firstDateTime !== null && data.events.lastDateTime !== null && (
              <Text>
                Their priorities are from <Time value={data.events.firstDateTime} /> to{' '}
                <Time value={data.events.lastDateTime} />. A tenant that sends much goes some minutes behind those that
                send little.
              </Text>
            )}
          </SimpleGrid>
        </Section>
      )}
      {data !== undefined && data.jobs.length > 0 && (
        <Section title="Jobs">
          <SimpleGrid cols={{ base: 2 }} maw={560}>
            {data.jobs.map(({ queue, waiting, active }) => (
              <Figure
                key={queue}
                label={`${queue}: waiting`}
                value={waiting}
                note={`${active.toLocaleString()} under way; they ${words[queue] ?? 'say what to look at'}`}
              />
            ))}
          </SimpleGrid>
          <Text c="dimmed">
            Jobs that wait for long mean that no worker takes them: see{' '}
            <PageLink to="/operator" underline="always">
              Status
            </PageLink>
            .
          </Text>
        </Section>
      )}
    </Page>
  );
}
