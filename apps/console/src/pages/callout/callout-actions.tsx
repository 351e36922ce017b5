import { Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { addressOf, type WebhookAddress, webhookParams, webhookPath } from '../../api/entities.ts';
import type { CalloutDetails } from './callout-query.ts';
import { useIsSendable } from '../../parts/callouts/is-sendable.ts';
import { Problem } from '../../parts/loaded.tsx';
import { notify } from '../../parts/notify.tsx';
import { Modal } from '../../parts/window/modal.tsx';

type Verb = 'retryNow' | 'redeliver' | 'cancel';

const labels: Readonly<Record<Verb, string>> = { retryNow: 'Send now', redeliver: 'Redeliver', cancel: 'Cancel' };
const done: Readonly<Record<Verb, string>> = {
  retryNow: 'The callout is sent now.',
  redeliver: 'The callout will be sent again.',
  cancel: 'The callout is cancelled.',
};

/** Whether the callout only waits for the time of the next attempt, or for the end of a pause. */
const mayRetry = ({ kind, waitsFor }: CalloutDetails): boolean =>
  kind === 'event' && (waitsFor?.reason === 'nextAttempt' || waitsFor?.reason === 'receiver');

/** What a redelivery of the callout would mean for order, as a sentence; undefined: no receiver notices. Throws ApiError. */
async function warningOf({ id, state }: CalloutDetails, address: WebhookAddress): Promise<string | undefined> {
  const body = { calloutIDs: [id], states: [state], dryRun: true } as never;
  const { data } = await api.POST(webhookPath(address, '/redeliver'), { params: webhookParams(address), body });
  return (data?.order?.older ?? 0) > 0 ? data?.order?.message : undefined;
}

/**
 * Sends an ended callout again, after a question where the receiver gets an older value last; sends an open callout
 * before the time of the next attempt, or cancels an open callout.
 */
export function CalloutActions({ callout }: { readonly callout: CalloutDetails }) {
  const address = addressOf(callout.entityType, String(callout.webhookID));
  return address === undefined ? null : <ActionsAt callout={callout} address={address} />;
}

interface ActionsProps {
  readonly callout: CalloutDetails;
  readonly address: WebhookAddress;
}

function ActionsAt({ callout, address }: ActionsProps) {
  const { id: calloutID, webhookID, kind, finishedDateTime } = callout;
  const isOpen = finishedDateTime === null;
  const isSendable = useIsSendable(address);
  const [isAsking, { open: openDialog, close }] = useDisclosure();
  const act = useMutation({
    mutationFn: async (verb: Verb) => {
      const path = webhookPath(address, `/Callouts/{calloutID}/${verb}`);
      return (await api.POST(path, { params: { path: { id: webhookID, calloutID } } })).data;
    },
    onSuccess(answer, verb) {
      const { queued, order, following = 0 } = answer !== undefined && 'queued' in answer ? answer : {};
      const rest = following === 0 ? undefined : `${following.toLocaleString()} more of its record follow as it ends.`;
      const isDone = [done[verb], rest, order?.message].filter((part) => part !== undefined).join(' ');
      notify({ message: queued === 0 ? 'The callout is sent already.' : isDone });
    },
    onSettled: close,
    meta: { changes: ['callout', calloutID] },
  });
  const forecast = useMutation({
    mutationFn: () => warningOf(callout, address),
    onSuccess: (warning) => (warning === undefined ? act.mutate('redeliver') : openDialog()),
  });
  if (kind === 'deactivation' || (kind === 'test' && !isOpen) || callout.state === 'merged') return null;
  const verbs: readonly Verb[] = isOpen ? (mayRetry(callout) ? ['retryNow', 'cancel'] : ['cancel']) : ['redeliver'];
  const possible = verbs.filter((verb) => verb === 'cancel' || isSendable);
  return (
    <>
      {act.isError && <Problem title="Nothing was changed" error={act.error} />}
      {forecast.isError && <Problem title="Nothing was changed" error={forecast.error} />}
      <Group>
        {possible.map((verb) => (
          <Button
            key={verb}
            variant={verb === 'cancel' ? 'default' : 'filled'}
            loading={(act.isPending && act.variables === verb) || (verb === 'redeliver' && forecast.isPending)}
            disabled={act.isPending || forecast.isPending}
            onClick={() => (verb === 'redeliver' ? forecast.mutate() : act.mutate(verb))}
          >
            {labels[verb]}
          </Button>
        ))}
      </Group>
      <Modal opened={isAsking} onClose={close} title="Redeliver the callout">
        <Stack>
          <Text size="sm">{forecast.data}</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Leave it
            </Button>
            <Button loading={act.isPending} onClick={() => act.mutate('redeliver')}>
              Redeliver it
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
