import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { type WebhookAddress, webhookParams, webhookPath } from '../../api/entities.ts';
import { notifyWarnings } from '../notify.tsx';
import { useWebhookWrite } from './use-webhook-write.tsx';

interface Activation {
  readonly address: WebhookAddress;
  readonly name: string;
}

/** Activates or deactivates a webhook at once. @returns as `useWebhookWrite`. */
export function useActivation({ address, name }: Activation, isActive: boolean, onDone?: () => void) {
  const queryClient = useQueryClient();
  return useWebhookWrite(
    address,
    (header) =>
      api.PATCH(webhookPath(address, ''), { params: { ...webhookParams(address), header }, body: { isActive } }),
    {
      async onSuccess({ data: { warnings } }) {
        onDone?.();
        notifyWarnings(warnings ?? []);
        await Promise.all(['webhooks', 'overview'].map((list) => queryClient.invalidateQueries({ queryKey: [list] })));
      },
      meta: {
        done: isActive ? `${name} is active: changes make callouts from now on.` : `${name} is inactive.`,
      },
    },
  );
}
