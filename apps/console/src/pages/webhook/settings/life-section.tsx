import { Button, Group, List, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../../../api/client.ts';
import { type WebhookAddress, webhookParams, webhookPath } from '../../../api/entities.ts';
import { useMember } from '../../../api/session.ts';
import { keyOf } from '../../../api/webhook.ts';
import { calloutCountQuery } from '../webhook-queries.ts';
import { Problem } from '../../../parts/loaded.tsx';
import { Section } from '../../../parts/page.tsx';
import { PageButton } from '../../../parts/show/links.tsx';
import { useActivation } from '../../../parts/webhook-versions/use-activation.ts';
import { useWebhookWrite } from '../../../parts/webhook-versions/use-webhook-write.tsx';
import { Dialog } from '../../../parts/window/dialog.tsx';

interface LifeProps {
  readonly address: WebhookAddress;
  readonly name: string;
  readonly isActive: boolean;
}

/** Activating, deactivating, copying and deleting: each at once, after saying what is lost. */
export function LifeSection(props: LifeProps) {
  const { address, isActive } = props;
  const mayCreate = useMember()?.rights.canCreateWebhooks === true;
  return (
    <Section title={mayCreate ? 'Activate, duplicate, delete' : 'Activate, delete'}>
      <Group>
        {isActive ? <DeactivateButton {...props} /> : <ActivateButton {...props} />}
        {mayCreate && (
          <PageButton variant="default" to="/webhooks/new" search={{ from: `${address.entity.type}/${address.id}` }}>
            Duplicate
          </PageButton>
        )}
        <DeleteButton {...props} />
      </Group>
    </Section>
  );
}

function ActivateButton(props: LifeProps) {
  const activate = useActivation(props, true);
  return (
    <>
      <Button loading={activate.isPending} onClick={() => activate.mutate()}>
        Activate
      </Button>
      {activate.error && <Problem title="It was not activated" error={activate.error} />}
      {activate.met}
    </>
  );
}

function DeactivateButton(props: LifeProps) {
  const [isOpen, { open: openDialog, close }] = useDisclosure();
  const deactivate = useActivation(props, false);
  return (
    <>
      <Button variant="default" onClick={openDialog}>
        Deactivate
      </Button>
      <Dialog
        title={`Deactivate ${props.name}?`}
        isOpen={isOpen}
        onClose={close}
        action="Deactivate"
        refusal="Leave it active"
        isDangerous
        mutation={deactivate}
      >
        {deactivate.met}
        <List size="sm" spacing="xs">
          <OpenCallouts address={props.address} />
          <List.Item>Changes of records cause no callout while it is inactive, and none later for that time.</List.Item>
          <List.Item>Its deactivation URL is notified.</List.Item>
          <List.Item>
            Settings, fields and the delivery log stay. After activating it again you can redeliver what was cancelled.
          </List.Item>
        </List>
      </Dialog>
    </>
  );
}

function DeleteButton({ address, name, isActive }: LifeProps) {
  const [isOpen, { open: openDialog, close }] = useDisclosure();
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
    <>
      <Button variant="light" color="red" onClick={openDialog}>
        Delete
      </Button>
      <Dialog
        title={`Delete ${name}?`}
        isOpen={isOpen}
        onClose={close}
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
    </>
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
