import { Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { Modal } from '../../../parts/window/modal.tsx';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { notify } from '../../../parts/notify.tsx';
import { Problem } from '../../../parts/problem.tsx';
import { calloutCountQuery, keyOf, openStates, type CalloutState, type WebhookAddress } from '../webhook-queries.ts';
import { forecastOf, repair, type Repair } from './repair.ts';
import type { Chosen } from './use-chosen.ts';

interface RepairProps {
  readonly address: WebhookAddress;
  readonly chosen: Chosen;
  readonly onDone: () => void;
}

/** Sends now what waits for its next attempt, sends again what has ended, or cancels what is open, with the number first. */
export function RepairButtons({ kinds, ...props }: RepairProps & { readonly kinds: readonly Repair[] }) {
  return (
    <Group gap="xs">
      {kinds.map((kind) => (
        <RepairButton key={kind} {...props} kind={kind} />
      ))}
    </Group>
  );
}

const missed = ['failed', 'cancelled'] as const satisfies readonly CalloutState[];
const texts = {
  retryNow: {
    verb: 'Send now',
    color: 'callout',
    done: 'sent now',
    nothing: 'Nothing here waits for its next attempt.',
  },
  redeliver: { verb: 'Redeliver', color: 'callout', done: 'sent again', nothing: 'Nothing here can be sent again.' },
  cancel: { verb: 'Cancel', color: 'red', done: 'cancelled', nothing: 'Nothing here is open.' },
} as const;

function RepairButton({ address, chosen, onDone, kind }: RepairProps & { readonly kind: Repair }) {
  const [isOpen, { open, close }] = useDisclosure();
  const { verb } = texts[kind];
  return (
    <>
      <Button size="xs" variant="default" onClick={open}>
        {chosen.kind === 'rows'
          ? labelOf(kind, `${chosen.rows.length.toLocaleString()} selected`)
          : `${labelOf(kind, 'all')} …`}
      </Button>
      <Modal opened={isOpen} onClose={close} title={`${verb} callouts`}>
        <RepairForm address={address} chosen={chosen} kind={kind} close={close} onDone={onDone} />
      </Modal>
    </>
  );
}

interface RepairFormProps extends RepairProps {
  readonly kind: Repair;
  readonly close: () => void;
}

function RepairForm({ address, chosen, kind, close, onDone }: RepairFormProps) {
  const { verb, color, done, nothing } = texts[kind];
  const queryClient = useQueryClient();
  const isNarrowedToDelivered = chosen.kind === 'filter' && chosen.filter.state === 'delivered';
  const [withDelivered, setWithDelivered] = useState(chosen.kind === 'rows' || isNarrowedToDelivered);
  const mayChoose = kind === 'redeliver' && !isNarrowedToDelivered;
  const wanted = wantedStates[kind](withDelivered);
  const states = statesWithin(chosen, wanted);
  const count = useCount(address, kind, chosen, states);
  const act = useMutation({
    mutationFn: () => repair(address, kind, chosen, states),
    onSuccess: async (changed) => {
      close();
      notify({ message: `${calloutsOf(changed)} ${changed === 1 ? 'is' : 'are'} ${done}.` });
      onDone();
      await queryClient.invalidateQueries({ queryKey: keyOf(address) });
    },
  });
  return (
    <Stack>
      <Text size="sm">{meantOf(chosen)}</Text>
      <Text fw={600}>
        {count.isPending && states.length > 0
          ? 'Counting …'
          : count.data
            ? `${calloutsOf(count.data)} will be ${done}.`
            : nothing}
      </Text>
      {mayChoose && (
        <Checkbox
          label="Those that were delivered too"
          checked={withDelivered}
          onChange={(event) => setWithDelivered(event.currentTarget.checked)}
        />
      )}
      {count.order !== undefined && count.data ? <Text size="sm">{count.order}</Text> : null}
      <Text size="sm" c="dimmed">
        {explanations[kind]}
      </Text>
      {count.isError && <Problem title="They could not be counted" error={count.error} />}
      {act.isError && <Problem title="Nothing was changed" error={act.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          Leave them
        </Button>
        <Button color={color} disabled={!count.data} loading={act.isPending} onClick={() => act.mutate()}>
          {count.data ? labelOf(kind, count.data.toLocaleString()) : verb}
        </Button>
      </Group>
    </Stack>
  );
}

const wantedStates: Readonly<Record<Repair, (withDelivered: boolean) => readonly CalloutState[]>> = {
  retryNow: () => ['due'],
  redeliver: (withDelivered) => (withDelivered ? [...missed, 'delivered'] : missed),
  cancel: () => openStates,
};

const explanations: Readonly<Record<Repair, string>> = {
  retryNow:
    'Without waiting for the time of the next attempt. Those of a record are sent in order; those that are held, or wait behind an earlier one, follow by themselves.',
  redeliver:
    'With the same body and webhook-id, to the present URL, those of a record in order. Open ones stay as they are.',
  cancel:
    'The receiver does not get them; they can be redelivered later. One that is being sent at this moment may still arrive.',
};

/** Such as `Redeliver 2 selected` and `Send 2 selected now`. */
function labelOf(kind: Repair, what: string): string {
  return kind === 'retryNow' ? `Send ${what} now` : `${texts[kind].verb} ${what}`;
}

const calloutsOf = (count: number): string => `${count.toLocaleString()} ${count === 1 ? 'callout' : 'callouts'}`;

function meantOf(chosen: Chosen): string {
  if (chosen.kind === 'rows') return `Of the ${calloutsOf(chosen.rows.length)} that you have selected:`;
  return Object.keys(chosen.filter).length === 0 ? 'Of all callouts of this webhook:' : 'Of all that match the filter:';
}

/** Those of the states that the filter, where it names one, lets through. */
function statesWithin(chosen: Chosen, states: readonly CalloutState[]): readonly CalloutState[] {
  const only = chosen.kind === 'filter' ? chosen.filter.state : undefined;
  return only === undefined ? states : states.filter((state) => state === only);
}

interface Count {
  /** Undefined: it is not known. */
  readonly data: number | undefined;
  readonly isPending: boolean;
  readonly isError: boolean;
  readonly error: Error | null;
  /** What a redelivery means for order, as a sentence. */
  readonly order?: string | undefined;
}

/** How many are meant: as a redelivery counts; else of rows as they are shown, and of a filter as the API counts. */
function useCount(address: WebhookAddress, kind: Repair, chosen: Chosen, states: readonly CalloutState[]): Count {
  const filter = chosen.kind === 'filter' ? chosen.filter : {};
  const isRedelivery = kind === 'redeliver';
  const named = chosen.kind === 'rows' ? chosen.rows.map(({ id }) => id) : filter;
  const forecast = useQuery({
    queryKey: [...keyOf(address), 'forecast', named, states],
    queryFn: () => forecastOf(address, chosen, states),
    // What it says is about this moment.
    gcTime: 0,
    enabled: isRedelivery && states.length > 0,
  });
  const counted = useQuery({
    ...calloutCountQuery(address, { ...filter, state: states.join(','), kind: 'event' }),
    enabled: !isRedelivery && chosen.kind === 'filter' && states.length > 0,
  });
  if (isRedelivery) {
    const { data, isPending, isError, error } = forecast;
    return { data: data?.count, order: data?.order, isPending, isError, error };
  }
  if (chosen.kind === 'filter') return counted;
  const data = chosen.rows.filter(({ state }) => states.includes(state)).length;
  return { data, isPending: false, isError: false, error: null };
}
