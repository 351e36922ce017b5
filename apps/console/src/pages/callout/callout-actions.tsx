import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { entityOfType, pathOf } from '../../api/entities.ts';
import { notify } from '../../parts/notify.tsx';
import { Problem } from '../../parts/problem.tsx';
import type { CalloutDetails } from './callout-query.ts';

/** Sends an ended callout again, or cancels an open one. */
export function CalloutActions({ callout }: { readonly callout: CalloutDetails }) {
  const { id: calloutID, webhookID, kind, finishedDateTime } = callout;
  const queryClient = useQueryClient();
  const entity = entityOfType(callout.entityType);
  const isOpen = finishedDateTime === null;
  const act = useMutation({
    mutationFn: async () => {
      if (entity === undefined) return;
      const params = { path: { id: webhookID, calloutID } };
      const path = '/v1.0/CompanyWebhooks/{id}/Callouts/{calloutID}';
      await (isOpen
        ? api.POST(pathOf(entity.collection, `${path}/cancel`), { params })
        : api.POST(pathOf(entity.collection, `${path}/redeliver`), { params }));
    },
    onSuccess: () => notify({ message: isOpen ? 'The callout is cancelled.' : 'The callout will be sent again.' }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['callout', calloutID] }),
  });
  if (kind === 'deactivation' || (kind === 'test' && !isOpen)) return null;
  return (
    <>
      {act.isError && <Problem title="Nothing was changed" error={act.error} />}
      <Button variant={isOpen ? 'default' : 'filled'} loading={act.isPending} onClick={() => act.mutate()}>
        {isOpen ? 'Cancel' : 'Redeliver'}
      </Button>
    </>
  );
}
