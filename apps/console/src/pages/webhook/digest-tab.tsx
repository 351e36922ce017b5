import { Button, Group, Stack } from '@mantine/core';
import { infiniteQueryOptions, useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { type WebhookAddress, webhookParams, webhookPath } from '../../api/entities.ts';
import { keyOf } from '../../api/webhook.ts';
import { useNotSendable } from '../../parts/callouts/not-sendable.tsx';
import { Loaded, Problem } from '../../parts/loaded.tsx';
import { notify } from '../../parts/notify.tsx';
import { Section } from '../../parts/page.tsx';
import { Fact } from '../../parts/show/fact.tsx';
import { PageLink } from '../../parts/show/links.tsx';
import { Time } from '../../parts/show/time.tsx';
import { RecordsTable } from '../../parts/table/records-table.tsx';

const digestQuery = (address: WebhookAddress) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(address), 'digest'],
    initialPageParam: undefined as number | undefined,
    queryFn: async ({ pageParam }) => {
      const query = pageParam === undefined ? {} : { fromSequence: pageParam };
      return (await api.GET(webhookPath(address, '/Digest'), { params: { ...webhookParams(address), query } })).data
        .item;
    },
    getNextPageParam: ({ nextFromSequenceNumber }) => nextFromSequenceNumber ?? undefined,
  });

type Digest = Awaited<ReturnType<NonNullable<ReturnType<typeof digestQuery>['queryFn']>>>;
type Run = Digest['notDelivered'][number];

/** Which callouts were delivered, and where the digests stand. */
export default function DigestTab({ address }: { readonly address: WebhookAddress }) {
  const digest = useInfiniteQuery(digestQuery(address));
  return (
    <Loaded query={digest} label="the digest">
      {({ pages }) => {
        const [first] = pages;
        const last = pages.at(-1);
        if (first === undefined || last === undefined) return null;
        return (
          <Stack gap={36}>
            <Section
              title="Digests"
              lead="A digest tells the receiver which callouts were delivered, so that it can prove that none is missing."
            >
              <Facts digest={last} address={address} />
            </Section>
            <Section title="Not delivered" lead={checkedText(first, last)}>
              <Missing address={address} runs={pages.flatMap(({ notDelivered }) => notDelivered)} />
              {digest.hasNextPage && (
                <Button
                  variant="default"
                  mr="auto"
                  loading={digest.isFetchingNextPage}
                  onClick={() => void digest.fetchNextPage()}
                >
                  Check the callouts after number {last.lastSequenceNumber.toLocaleString()}
                </Button>
              )}
            </Section>
          </Stack>
        );
      }}
    </Loaded>
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
            <PageLink to={page} search={{ tab: 'settings' }}>
              choose in the settings
            </PageLink>
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
          <PageLink to={page} search={{ action: 'Digest' }}>
            all digests
          </PageLink>
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
function checkedText(first: Digest, last: Digest): string {
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
  const unsendable = useNotSendable(address);
  const redeliver = useMutation({
    mutationFn: async ({ fromSequenceNumber, toSequenceNumber, state }: Run) => {
      const body = {
        fromSequence: fromSequenceNumber,
        toSequence: toSequenceNumber,
        states: [state === 'cancelled' ? ('cancelled' as const) : ('failed' as const)],
      };
      return (await api.POST(webhookPath(address, '/redeliver'), { params: webhookParams(address), body })).data.queued;
    },
    onSuccess: (queued) => notify({ message: `Callouts to be sent now: ${queued.toLocaleString()}.` }),
    meta: { changes: keyOf(address) },
  });
  return (
    <>
      {redeliver.isError && <Problem title="Nothing was redelivered" error={redeliver.error} />}
      {runs.some(mayRedeliver) && unsendable.note}
      <RecordsTable
        label="Not delivered"
        rows={[...runs]}
        keyOf={({ fromSequenceNumber }) => String(fromSequenceNumber)}
        empty={{ title: 'Complete', description: 'Every one of these callouts was delivered.' }}
        columns={[
          { title: 'Callouts', cell: (run) => numbersOf(run) },
          { title: 'State', cell: ({ state }) => state },
          { title: 'Why', cell: ({ state }) => meanings[state] },
          {
            title: 'What to do',
            cell: (run) =>
              mayRedeliver(run) && (
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={`Redeliver ${numbersOf(run)}`}
                  {...unsendable.props}
                  loading={redeliver.isPending && redeliver.variables === run}
                  onClick={() => redeliver.mutate(run)}
                >
                  Redeliver
                </Button>
              ),
          },
        ]}
      />
    </>
  );
}

const mayRedeliver = ({ state }: Run): boolean => state === 'failed' || state === 'cancelled';

function numbersOf({ fromSequenceNumber: from, toSequenceNumber: to }: Run): string {
  return from === to ? from.toLocaleString() : `${from.toLocaleString()} to ${to.toLocaleString()}`;
}
