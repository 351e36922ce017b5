import { Button, Group, List, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../../../api/client.ts';
import { pathOf, type WebhookAddress } from '../../../api/entities.ts';
import { useMember } from '../../../api/session.ts';
import { calloutCountQuery } from '../webhook-queries.ts';
import { Problem } from '../../../parts/loaded.tsx';
import { notifyWarnings } from '../../../parts/notify.tsx';
import { Section } from '../../../parts/page.tsx';
import { PageButton } from '../../../parts/show/links.tsx';
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

/** Changes whether it is active. */
function useActivation({ address: { entity, id } }: LifeProps, isActive: boolean) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async () => {
      const path = pathOf(entity.collection, '/v1.0/CompanyWebhooks/{id}');
      return (await api.PATCH(path, { params: { path: { id } }, body: { isActive } })).data.warnings ?? [];
    },
    onSuccess(warnings) {
      notifyWarnings(warnings);
      return queryClient.invalidateQueries({ queryKey: ['webhooks'] });
    },
    meta: {
      changes: ['webhook', entity.type, id],
      done: isActive ? 'The webhook is active: changes make callouts from now on.' : 'The webhook is inactive.',
    },
  });
}

function ActivateButton(props: LifeProps) {
  const activate = useActivation(props, true);
  return (
    <>
      <Button loading={activate.isPending} onClick={() => activate.mutate()}>
        Activate
      </Button>
      {activate.isError && <Problem title="It was not activated" error={activate.error} />}
    </>
  );
}

function DeactivateButton(props: LifeProps) {
  const [isOpen, { open, close }] = useDisclosure();
  const deactivate = useActivation(props, false);
  return (
    <>
      <Button variant="default" onClick={open}>
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
  const [isOpen, { open, close }] = useDisclosure();
  const { entity, id } = address;
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => api.DELETE(pathOf(entity.collection, '/v1.0/CompanyWebhooks/{id}'), { params: { path: { id } } }),
    async onSuccess() {
      await navigate({ to: '/webhooks', ignoreBlocker: true });
      queryClient.removeQueries({ queryKey: ['webhook', entity.type, id] });
    },
    meta: { changes: ['webhooks'], done: `${name} is deleted.` },
  });
  return (
    <>
      <Button variant="light" color="red" onClick={open}>
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
