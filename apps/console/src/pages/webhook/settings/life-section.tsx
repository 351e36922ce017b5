import { Button, Group, List, Stack, Text } from '@mantine/core';
import { Modal } from '../../../parts/window/modal.tsx';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { api } from '../../../api/client.ts';
import { pathOf } from '../../../api/entities.ts';
import { sessionQuery } from '../../../api/session.ts';
import { notify } from '../../../parts/notify.tsx';
import { Problem } from '../../../parts/problem.tsx';
import { Section } from '../../../parts/section.tsx';
import { calloutCountQuery, type WebhookAddress } from '../webhook-queries.ts';

interface LifeProps {
  readonly address: WebhookAddress;
  readonly name: string;
  readonly isActive: boolean;
}

/** Activating, deactivating, copying and deleting: each at once, after saying what is lost. */
export function LifeSection(props: LifeProps) {
  const { address, isActive } = props;
  const { data: session } = useQuery(sessionQuery);
  const mayCreate = session?.kind !== 'operator' && session?.rights.canCreateWebhooks === true;
  return (
    <Section title={mayCreate ? 'Activate, duplicate, delete' : 'Activate, delete'}>
      <Group>
        {isActive ? <DeactivateButton {...props} /> : <ActivateButton {...props} />}
        {mayCreate && (
          <Button variant="default" component={Link} to={`/webhooks/new?from=${address.entity.type}/${address.id}`}>
            Duplicate
          </Button>
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
      return (await api.PATCH(path, { params: { path: { id } }, body: { isActive } })).data?.warnings ?? [];
    },
    onSuccess: async (warnings) => {
      const message = isActive
        ? 'The webhook is active: changes make callouts from now on.'
        : 'The webhook is inactive.';
      notify({ message });
      for (const warning of warnings) notify({ message: warning, color: 'yellow', autoClose: false });
      await queryClient.invalidateQueries({ queryKey: ['webhook', entity.type, id] });
      await queryClient.invalidateQueries({ queryKey: ['webhooks'] });
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
      <Modal opened={isOpen} onClose={close} title={`Deactivate ${props.name}?`}>
        <Stack>
          <List size="sm" spacing="xs">
            <Owed address={props.address} />
            <List.Item>
              Changes of records cause no callout while it is inactive, and none later for that time.
            </List.Item>
            <List.Item>Its deactivation URL is notified.</List.Item>
            <List.Item>
              Settings, fields and the delivery log stay. After activating it again you can redeliver what was
              cancelled.
            </List.Item>
          </List>
          {deactivate.isError && <Problem title="It was not deactivated" error={deactivate.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Leave it active
            </Button>
            <Button
              color="red"
              loading={deactivate.isPending}
              onClick={() => deactivate.mutate(undefined, { onSuccess: close })}
            >
              Deactivate
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}

function DeleteButton({ address, name, isActive }: LifeProps) {
  const [isOpen, { open, close }] = useDisclosure();
  const { entity, id } = address;
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: async () => {
      const path = pathOf(entity.collection, '/v1.0/CompanyWebhooks/{id}');
      await api.DELETE(path, { params: { path: { id } } });
    },
    onSuccess: async () => {
      notify({ message: `${name} is deleted.` });
      await navigate({ to: '/webhooks', ignoreBlocker: true });
      queryClient.removeQueries({ queryKey: ['webhook', entity.type, id] });
      await queryClient.invalidateQueries({ queryKey: ['webhooks'] });
    },
  });
  return (
    <>
      <Button variant="light" color="red" onClick={open}>
        Delete
      </Button>
      <Modal opened={isOpen} onClose={close} title={`Delete ${name}?`}>
        <Stack>
          <Text size="sm">This cannot be undone.</Text>
          <List size="sm" spacing="xs">
            {isActive && <Owed address={address} />}
            <List.Item>
              Its settings, fields, excluded resources and secret are lost, and its id is not used again.
            </List.Item>
            <List.Item>Its deactivation URL is notified.</List.Item>
            <List.Item>What was delivered stays in the delivery log until it is old enough to be removed.</List.Item>
          </List>
          {remove.isError && <Problem title="It was not deleted" error={remove.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Keep it
            </Button>
            <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
              Delete
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}

/** How many callouts it is still owed, all of which are cancelled. */
function Owed({ address }: { readonly address: WebhookAddress }) {
  const { data, isError } = useQuery(calloutCountQuery(address, { state: 'waiting,held,due', kind: 'event' }));
  if (isError) return <List.Item>Callouts that are still owed are cancelled.</List.Item>;
  if (data === undefined) return <List.Item>Counting what is still owed …</List.Item>;
  if (data === 0) return <List.Item>No callout is owed at this moment.</List.Item>;
  return (
    <List.Item>
      <strong>
        {data.toLocaleString()} {data === 1 ? 'callout that is still owed is' : 'callouts that are still owed are'}{' '}
        cancelled.
      </strong>
    </List.Item>
  );
}
