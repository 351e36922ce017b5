import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { addressOf, webhookPath } from '../../api/entities.ts';
import type { CalloutDetails } from './callout-query.ts';
import { Problem } from '../../parts/loaded.tsx';
import { notify } from '../../parts/notify.tsx';

type Verb = 'retryNow' | 'redeliver' | 'cancel';

const labels: Readonly<Record<Verb, string>> = { retryNow: 'Send now', redeliver: 'Redeliver', cancel: 'Cancel' };
const done: Readonly<Record<Verb, string>> = {
  retryNow: 'The callout is sent now.',
  redeliver: 'The callout will be sent again.',
  cancel: 'The callout is cancelled.',
};

/** Whether it only waits for the time of its next attempt, or for the end of a pause. */
const mayRetry = ({ kind, waitsFor }: CalloutDetails): boolean =>
  kind === 'event' && (waitsFor?.reason === 'nextAttempt' || waitsFor?.reason === 'receiver');

/** Sends an ended callout again; sends an open one now that waits for its next attempt, or cancels it. */
export function CalloutActions({ callout }: { readonly callout: CalloutDetails }) {
  const { id: calloutID, entityType, webhookID, kind, finishedDateTime } = callout;
  const isOpen = finishedDateTime === null;
  const act = useMutation({
    mutationFn: async (verb: Verb) => {
      const address = addressOf(entityType, String(webhookID));
      if (address === undefined) return undefined;
      const path = webhookPath(address, `/Callouts/{calloutID}/${verb}`);
      return (await api.POST(path, { params: { path: { id: webhookID, calloutID } } })).data;
    },
    onSuccess(answer, verb) {
      const wasSent = answer !== undefined && 'queued' in answer && answer.queued === 0;
      notify({ message: wasSent ? 'The callout is sent already.' : done[verb] });
    },
    meta: { changes: ['callout', calloutID] },
  });
  if (kind === 'deactivation' || (kind === 'test' && !isOpen) || callout.state === 'merged') return null;
  const verbs: readonly Verb[] = isOpen ? (mayRetry(callout) ? ['retryNow', 'cancel'] : ['cancel']) : ['redeliver'];
  return (
    <>
      {act.isError && <Problem title="Nothing was changed" error={act.error} />}
      {verbs.map((verb) => (
        <Button
          key={verb}
          variant={verb === 'cancel' ? 'default' : 'filled'}
          loading={act.isPending && act.variables === verb}
          disabled={act.isPending}
          onClick={() => act.mutate(verb)}
        >
          {labels[verb]}
        </Button>
      ))}
    </>
  );
}
