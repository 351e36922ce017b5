import { List, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../../../api/client.ts';
import { type WebhookAddress, webhookParams, webhookPath } from '../../../api/entities.ts';
import { keyOf } from '../../../api/webhook.ts';
import { calloutCountQuery } from '../webhook-queries.ts';
import { useActivation } from '../../../parts/webhook-versions/use-activation.ts';
import { useWebhookWrite } from '../../../parts/webhook-versions/use-webhook-write.tsx';
import { Dialog } from '../../../parts/window/dialog.tsx';

interface LifeDialogProps {
  readonly address: WebhookAddress;
  readonly name: string;
  readonly isActive: boolean;
  readonly onClose: () => void;
}

/** Deactivates or deletes a webhook, after naming the consequences. */
export default function LifeDialog({ task, ...props }: LifeDialogProps & { readonly task: 'deactivate' | 'delete' }) {
  return task === 'delete' ? <DeleteDialog {...props} /> : <DeactivateDialog {...props} />;
}

function DeactivateDialog({ onClose, ...webhook }: LifeDialogProps) {
  const deactivate = useActivation(webhook, false, onClose);
  return (
    <Dialog
      title={`Deactivate ${webhook.name}?`}
      isOpen
      onClose={onClose}
      action="Deactivate"
      refusal="Leave it active"
      isDangerous
      mutation={deactivate}
    >
      {deactivate.met}
      <List size="sm" spacing="xs">
        <OpenCallouts address={webhook.address} />
        <List.Item>Changes of records cause no callout while it is inactive, and none later for that time.</List.Item>
        <List.Item>Its deactivation URL is notified.</List.Item>
        <List.Item>
          Settings, fields and the delivery log stay. After activating it again you can redeliver what was cancelled.
        </List.Item>
      </List>
    </Dialog>
  );
}

function DeleteDialog({ address, name, isActive, onClose }: LifeDialogProps) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const remove = useWebhookWrite(
    address,
    (header) => api.DELETE(webhookPath(address, ''), { params: { ...webhookParams(address), header } }),
    {
      async onSuccess() {
        await navigate({ to: '/webhooks', ignoreBlocker: true });
        queryClient.removeQueries({ queryKey: keyOf(address) });
        await queryClient.invalidateQueries({ queryKey: ['webhooks'] });
      },
      meta: { done: `${name} is deleted.` },
    },
  );
  return (
    <Dialog
      title={`Delete ${name}?`}
      isOpen
      onClose={onClose}
      action="Delete"
      refusal="Keep it"
      isDangerous
      mutation={remove}
    >
      {remove.met}
      <Text>This cannot be undone.</Text>
      <List size="sm" spacing="xs">
        {isActive && <OpenCallouts address={address} />}
        <List.Item>
          Its settings, fields, excluded resources and secret are lost, and its id is not used again.
        </List.Item>
        <List.Item>Its deactivation URL is notified.</List.Item>
        <List.Item>What was delivered stays in the delivery log until it is old enough to be removed.</List.Item>
      </List>
    </Dialog>
  );
}

/** How many callouts are still to be delivered, all of which are cancelled. */
function OpenCallouts({ address }: { readonly address: WebhookAddress }) {
  const { data, isError } = useQuery(calloutCountQuery(address, { state: 'waiting,held,due', kind: 'event' }));
  if (isError) return <List.Item>Callouts that are still to be delivered are cancelled.</List.Item>;
  if (data === undefined) return <List.Item>Counting what is still to be delivered …</List.Item>;
  if (data === 0) return <List.Item>No callout is to be delivered at this moment.</List.Item>;
  return (
    <List.Item>
      <strong>
        {data.toLocaleString()}{' '}
        {data === 1 ? 'callout that is still to be delivered is' : 'callouts that are still to be delivered are'}{' '}
        cancelled.
      </strong>
    </List.Item>
  );
}
