import { Button, Checkbox, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { type WebhookAddress, webhookParams, webhookPath } from '../../../api/entities.ts';
import { keyOf } from '../../../api/webhook.ts';
import type { Chosen } from './use-chosen.ts';
import { calloutCountQuery, type CalloutState, openStates } from '../webhook-queries.ts';
import { Problem } from '../../../parts/loaded.tsx';
import { notify } from '../../../parts/notify.tsx';
import { calloutsText } from '../../../parts/show/number-text.ts';
import { Dialog } from '../../../parts/window/dialog.tsx';

interface RepairProps {
  readonly address: WebhookAddress;
  readonly chosen: Chosen;
  readonly onDone: () => void;
}

/**
 * Sends waiting callouts now, sends ended callouts again, or cancels open callouts, with the number first.
 * @param kinds the useful repairs: see `repairsOf`.
 */
export function RepairButtons({ kinds, ...props }: RepairProps & { readonly kinds: readonly Repair[] }) {
  return (
    <Group gap="xs">
      {kinds.map((kind) => (
        <RepairButton key={kind} {...props} kind={kind} />
      ))}
    </Group>
  );
}

/** The useful repairs of callouts in some states. @param isSendable whether the webhook gets callouts. */
export function repairsOf(states: ReadonlySet<CalloutState>, isSendable: boolean): Repair[] {
  const has = (...some: CalloutState[]) => some.some((state) => states.has(state));
  return [
    ...(isSendable && has('due') ? (['retryNow'] as const) : []),
    ...(isSendable && has('delivered', 'failed', 'cancelled') ? (['redeliver'] as const) : []),
    ...(has(...openStates) ? (['cancel'] as const) : []),
  ];
}

const missed = ['failed', 'cancelled'] as const satisfies readonly CalloutState[];
const texts = {
  retryNow: {
    verb: 'Send now',
    done: 'sent now',
    nothing: 'Nothing here waits for its next attempt.',
    explanation:
      'The next attempt is made now. Callouts of the same record are sent in order. Callouts that are held or wait for an earlier one are sent later, automatically.',
  },
  redeliver: {
    verb: 'Redeliver',
    done: 'sent again',
    nothing: 'Nothing here can be sent again.',
    explanation:
      'With the same body and webhook-id, to the present URL. Callouts of the same record are sent in order. Open callouts stay as they are.',
  },
  cancel: {
    verb: 'Cancel',
    done: 'cancelled',
    nothing: 'Nothing here is open.',
    explanation:
      'The receiver does not get them; they can be redelivered later. One that is being sent at this moment may still arrive.',
  },
} as const;

function RepairButton({ kind, ...props }: RepairProps & { readonly kind: Repair }) {
  const [isOpen, { open: openDialog, close }] = useDisclosure();
  const { chosen } = props;
  return (
    <>
      <Button size="xs" variant="default" onClick={openDialog}>
        {chosen.kind === 'rows'
          ? labelOf(kind, `${chosen.rows.length.toLocaleString()} selected`)
          : `${labelOf(kind, 'all')} …`}
      </Button>
      {isOpen && <RepairDialog {...props} kind={kind} close={close} />}
    </>
  );
}

interface RepairDialogProps extends RepairProps {
  readonly kind: Repair;
  readonly close: () => void;
}

function RepairDialog({ address, chosen, kind, close, onDone }: RepairDialogProps) {
  const { verb, done, nothing, explanation } = texts[kind];
  const isNarrowedToDelivered = chosen.kind === 'filter' && chosen.filter.state === 'delivered';
  const [withDelivered, setWithDelivered] = useState(chosen.kind === 'rows' || isNarrowedToDelivered);
  const [withInactive, setWithInactive] = useState(false);
  const wanted = wantedStates[kind](withDelivered);
  const states = statesWithin(chosen, wanted);
  const count = useCount(address, kind, chosen, states, withInactive);
  const act = useMutation({
    mutationFn: () => repair(address, kind, chosen, states, withInactive),
    onSuccess(changed) {
      close();
      notify({ message: `${calloutsText(changed)} ${changed === 1 ? 'is' : 'are'} ${done}.` });
      onDone();
    },
    meta: { changes: keyOf(address) },
  });
  return (
    <Dialog
      title={`${verb} callouts`}
      isOpen
      onClose={close}
      action={count.data ? labelOf(kind, count.data.toLocaleString()) : verb}
      refusal="Leave them"
      isDangerous={kind === 'cancel'}
      isDisabled={!count.data}
      mutation={act}
    >
      <Text>{meantOf(chosen)}</Text>
      <Text fw={600}>
        {count.isPending && states.length > 0
          ? 'Counting …'
          : count.data
            ? `${calloutsText(count.data)} will be ${done}.`
            : nothing}
      </Text>
      {kind === 'redeliver' && !isNarrowedToDelivered && (
        <Checkbox
          label="Those that were delivered too"
          checked={withDelivered}
          onChange={(event) => setWithDelivered(event.currentTarget.checked)}
        />
      )}
      {kind === 'redeliver' && chosen.kind === 'filter' && chosen.filter.state === undefined && (
        <Checkbox
          label="Changes made while the webhook was inactive, too"
          description="By the present configuration; their callouts get new numbers."
          checked={withInactive}
          onChange={(event) => setWithInactive(event.currentTarget.checked)}
        />
      )}
      {count.order !== undefined && count.data ? <Text>{count.order}</Text> : null}
      <Text c="dimmed">{explanation}</Text>
      {count.isError && <Problem title="They could not be counted" error={count.error} />}
    </Dialog>
  );
}

const wantedStates: Readonly<Record<Repair, (withDelivered: boolean) => readonly CalloutState[]>> = {
  retryNow: () => ['due'],
  redeliver: (withDelivered) => (withDelivered ? [...missed, 'delivered'] : missed),
  cancel: () => openStates,
};

/** Such as `Redeliver 2 selected` and `Send 2 selected now`. */
function labelOf(kind: Repair, what: string): string {
  return kind === 'retryNow' ? `Send ${what} now` : `${texts[kind].verb} ${what}`;
}

function meantOf(chosen: Chosen): string {
  if (chosen.kind === 'rows') return `Of the ${calloutsText(chosen.rows.length)} that you have selected:`;
  return Object.keys(chosen.filter).length === 0 ? 'Of all callouts of this webhook:' : 'Of all that match the filter:';
}

/** The states within the filter. */
function statesWithin(chosen: Chosen, states: readonly CalloutState[]): readonly CalloutState[] {
  const only = chosen.kind === 'filter' ? chosen.filter.state : undefined;
  return only === undefined ? states : states.filter((state) => state === only);
}

interface Count {
  /** Undefined: not known yet. */
  readonly data: number | undefined;
  readonly isPending: boolean;
  readonly isError: boolean;
  readonly error: Error | null;
  /** What a redelivery means for order, as a sentence. */
  readonly order?: string | undefined;
}

/** How many are meant: as a redelivery counts; else of rows as they are shown, and of a filter as the API counts. */
function useCount(
  address: WebhookAddress,
  kind: Repair,
  chosen: Chosen,
  states: readonly CalloutState[],
  withInactive: boolean,
): Count {
  const filter = chosen.kind === 'filter' ? chosen.filter : {};
  const isRedelivery = kind === 'redeliver';
  const named = chosen.kind === 'rows' ? chosen.rows.map(({ id }) => id) : filter;
  const forecast = useQuery({
    queryKey: [...keyOf(address), 'forecast', named, states, withInactive],
    queryFn: () => forecastOf(address, chosen, states, withInactive),
    // The forecast is about the present moment.
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

export type Repair = 'retryNow' | 'redeliver' | 'cancel';

/**
 * Sends now, redelivers or cancels the chosen callouts in one of `states`.
 * @param withInactive also for changes while the webhook was inactive; only of a filter.
 * @returns how many. Throws ApiError.
 */
export async function repair(
  address: WebhookAddress,
  kind: Repair,
  chosen: Chosen,
  states: readonly CalloutState[],
  withInactive = false,
): Promise<number> {
  const body = { ...rangeOf(chosen), states: [...states], ...missedOf(chosen, withInactive) } as never;
  const { data } = await api.POST(webhookPath(address, `/${kind}`), { params: webhookParams(address), body });
  return 'queued' in data ? data.queued : data.cancelled;
}

/** How many of the chosen callouts a redelivery would send again, and the meaning for order. Throws ApiError. */
export async function forecastOf(
  address: WebhookAddress,
  chosen: Chosen,
  states: readonly CalloutState[],
  withInactive = false,
) {
  const missedWhile = missedOf(chosen, withInactive);
  const body = { ...rangeOf(chosen), states: [...states], ...missedWhile, dryRun: true } as never;
  const { data } = await api.POST(webhookPath(address, '/redeliver'), { params: webhookParams(address), body });
  return { count: data.queued, order: data.order?.message };
}

function rangeOf(chosen: Chosen) {
  if (chosen.kind === 'rows') return { calloutIDs: chosen.rows.map(({ id }) => id) };
  const { action, ...range } = chosen.filter;
  return { ...(action !== undefined && { actions: [action] }), recordID: range.recordID, since: range.since };
}

/** All stored changes while the webhook was inactive, unless the filter has a time. */
function missedOf(chosen: Chosen, withInactive: boolean): object {
  if (!withInactive || chosen.kind === 'rows') return {};
  return { include: ['inactive'], since: chosen.filter.since ?? new Date(0).toISOString() };
}
