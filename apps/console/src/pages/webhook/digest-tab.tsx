import { Button, Group, Stack, Text } from '@mantine/core';
import { infiniteQueryOptions, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { pathOf } from '../../api/entities.ts';
import { notify } from '../../parts/notify.tsx';
import { isUnreadable, Problem } from '../../parts/problem.tsx';
import { Reading } from '../../parts/reading.tsx';
import { Section } from '../../parts/section.tsx';
import { Fact } from '../../parts/show/fact.tsx';
import { Time } from '../../parts/show/time.tsx';
import { RecordsTable } from '../../parts/table/records-table.tsx';
import { keyOf, type WebhookAddress } from './webhook-queries.ts';

function digestQuery(address: WebhookAddress) {
  const { entity, id } = address;
  return infiniteQueryOptions({
    queryKey: [...keyOf(address), 'digest'],
    initialPageParam: undefined as number | undefined,
    queryFn: async ({ pageParam }) => {
      const query = pageParam === undefined ? {} : { fromSequence: pageParam };
      const path = pathOf(entity.collection, '/v1.0/CompanyWebhooks/{id}/Digest');
      const { data } = await api.GET(path, { params: { path: { id }, query } });
      if (!data) throw new Error('The API returned no digest.');
      return data.item;
    },
    getNextPageParam: ({ nextFromSequenceNumber }) => nextFromSequenceNumber ?? undefined,
  });
}

type Digest = Awaited<ReturnType<NonNullable<ReturnType<typeof digestQuery>['queryFn']>>>;
type Run = Digest['notDelivered'][number];

/** Which callouts were delivered, and where the digests stand. */
export default function DigestTab({ address }: { readonly address: WebhookAddress }) {
  const digest = useInfiniteQuery(digestQuery(address));
  if (isUnreadable(digest)) {
    return <Problem title="The digest could not be read" error={digest.error} retry={() => void digest.refetch()} />;
  }
  const [first] = digest.data?.pages ?? [];
  const last = digest.data?.pages.at(-1);
  if (first === undefined || last === undefined) return <Reading label="the digest" />;
  const runs = digest.data?.pages.flatMap(({ notDelivered }) => notDelivered) ?? [];
  return (
    <Stack gap={36}>
      <Section
        title="Digests"
        lead="A digest tells the receiver which callouts were delivered, so that it can prove that none is missing."
      >
        <Facts digest={last} address={address} />
      </Section>
      <Section title="Not delivered" lead={<Checked first={first} last={last} />}>
        <Missing address={address} runs={runs} />
        {digest.hasNextPage && (
          <Group>
            <Button variant="default" loading={digest.isFetchingNextPage} onClick={() => void digest.fetchNextPage()}>
              Check the callouts after number {last.lastSequenceNumber.toLocaleString()}
            </Button>
          </Group>
        )}
      </Section>
    </Stack>
  );
}

const periods = { none: 'No digests are sent', hour: 'Every full hour (UTC)', day: 'Every midnight (UTC)' } as const;

function Facts({ digest, address }: { readonly digest: Digest; readonly address: WebhookAddress }) {
  const { digestEvery, nextDigestDateTime, lastDigest } = digest;
  const page = `/webhooks/${address.entity.type}/${address.id}`;
  return (
    <Group className="facts">
      <Fact label="When">
        {periods[digestEvery]}
        {digestEvery === 'none' && (
          <>
            {': '}
            <Link to={`${page}?tab=settings`}>choose in the settings</Link>
          </>
        )}
      </Fact>
      {nextDigestDateTime !== null && (
        <Fact label="Next">
          <Time value={nextDigestDateTime} />
        </Fact>
      )}
      {lastDigest !== null && (
        <Fact label="Last">
          number {lastDigest.sequenceNumber.toLocaleString()}, <Time value={lastDigest.createDateTime} />
          {', '}
          <Link to={`${page}?tab=deliveries&action=Digest`}>all digests</Link>
        </Fact>
      )}
      {digest.count > 0 && digestEvery !== 'none' && (
        <Fact label={`Chain at number ${digest.lastSequenceNumber.toLocaleString()}`}>
          <code>{digest.chain}</code>
        </Fact>
      )}
    </Group>
  );
}

/** Which numbers the list is about. */
function Checked({ first, last }: { readonly first: Digest; readonly last: Digest }) {
  if (last.lastSequenceNumber < first.firstSequenceNumber) return 'No callout is kept.';
  const [from, to] = [first.firstSequenceNumber, last.lastSequenceNumber].map((number) => number.toLocaleString());
  const later = last.latestSequenceNumber - last.lastSequenceNumber;
  const after = later > 0 ? `; ${later.toLocaleString()} came after them` : '';
  return `Of the callouts ${from} to ${to}${after}.${first.firstSequenceNumber > 1 ? ' What is before is no longer kept.' : ''}`;
}

const meanings: Readonly<Record<string, string>> = {
  open: 'still to be delivered',
  failed: 'its attempts are used up',
  cancelled: 'cancelled',
  merged: 'a later callout of its record carries its changes',
  deactivation: 'deactivation call, delivered to the deactivation URL',
};

function Missing({ address, runs }: { readonly address: WebhookAddress; readonly runs: readonly Run[] }) {
  const queryClient = useQueryClient();
  const redeliver = useMutation({
    mutationFn: async ({ fromSequenceNumber, toSequenceNumber, state }: Run) => {
      const path = pathOf(address.entity.collection, '/v1.0/CompanyWebhooks/{id}/redeliver');
      const body = {
        fromSequence: fromSequenceNumber,
        toSequence: toSequenceNumber,
        states: [state === 'cancelled' ? ('cancelled' as const) : ('failed' as const)],
      };
      return (await api.POST(path, { params: { path: { id: address.id } }, body })).data?.queued ?? 0;
    },
    onSuccess: (queued) => notify({ message: `Callouts to be sent now: ${queued.toLocaleString()}.` }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: keyOf(address) }),
  });
  return (
    <>
      {redeliver.isError && <Problem title="Nothing was redelivered" error={redeliver.error} />}
      <RecordsTable
        label="Not delivered"
        rows={[...runs]}
        keyOf={({ fromSequenceNumber }) => String(fromSequenceNumber)}
        empty={{ title: 'Complete', description: 'Every one of these callouts was delivered.' }}
        columns={[
          { title: 'Callouts', cell: (run) => numbersOf(run) },
          { title: 'State', cell: ({ state }) => state },
          { title: 'Why', cell: ({ state }) => <Text size="sm">{meanings[state]}</Text> },
          {
            title: 'What to do',
            cell: (run) =>
              run.state === 'failed' || run.state === 'cancelled' ? (
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={`Redeliver ${numbersOf(run)}`}
                  loading={redeliver.isPending && redeliver.variables === run}
                  onClick={() => redeliver.mutate(run)}
                >
                  Redeliver
                </Button>
              ) : (
                ''
              ),
          },
        ]}
      />
    </>
  );
}

function numbersOf({ fromSequenceNumber: from, toSequenceNumber: to }: Run): string {
  return from === to ? from.toLocaleString() : `${from.toLocaleString()} to ${to.toLocaleString()}`;
}
