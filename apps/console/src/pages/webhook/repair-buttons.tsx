import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { pathOf } from '../../api/entities.ts';
import { Problem } from '../../parts/problem.tsx';
import type { calloutStates } from './deliveries-tab.tsx';
import type { WebhookAddress } from './webhook-queries.ts';

type CalloutState = (typeof calloutStates)[number];

const ended = ['failed', 'cancelled'] as const satisfies readonly CalloutState[];
const open = ['waiting', 'held', 'due'] as const satisfies readonly CalloutState[];

interface RepairProps {
  readonly address: WebhookAddress;
  /** The state that the list shows; null: all. */
  readonly state: string | null;
}

/** Redelivers what ended without success, or cancels what is open, after saying how many that is. */
export function RepairButtons({ address, state }: RepairProps) {
  const isIn = (states: readonly string[]) => state !== null && states.includes(state);
  const redelivered = isIn([...ended, 'delivered']) ? [state as CalloutState] : [...ended];
  const cancelled = isIn(open) ? [state as CalloutState] : [...open];
  return (
    <Group gap="xs">
      <RepairButton address={address} repair="redeliver" states={redelivered} />
      <RepairButton address={address} repair="cancel" states={cancelled} />
    </Group>
  );
}

const texts = {
  redeliver: { button: 'Redeliver', title: 'Redeliver callouts', color: 'callout', done: 'are sent again' },
  cancel: { button: 'Cancel open', title: 'Cancel callouts', color: 'red', done: 'were cancelled' },
} as const;

interface RepairButtonProps {
  readonly address: WebhookAddress;
  readonly repair: keyof typeof texts;
  readonly states: readonly CalloutState[];
}

function RepairButton({ address, repair, states }: RepairButtonProps) {
  const [isOpen, { open: ask, close }] = useDisclosure();
  const { button, title, color, done } = texts[repair];
  const queryClient = useQueryClient();
  const { collection, type } = address.entity;
  const params = { path: { id: address.id } };
  const count = useQuery({
    queryKey: ['webhook', type, address.id, 'count', states],
    enabled: isOpen,
    staleTime: 0,
    queryFn: async () => {
      const path = pathOf(collection, '/v1.0/CompanyWebhooks/{id}/Callouts/query/count');
      const query = { state: states.join(',') } as never;
      return (await api.GET(path, { params: { ...params, query } })).data?.queryCount ?? 0;
    },
  });
  const act = useMutation({
    mutationFn: async () => {
      const body = { states: [...states] };
      if (repair === 'redeliver') {
        const path = pathOf(collection, '/v1.0/CompanyWebhooks/{id}/redeliver');
        return (await api.POST(path, { params, body })).data?.queued ?? 0;
      }
      const path = pathOf(collection, '/v1.0/CompanyWebhooks/{id}/cancel');
      return (await api.POST(path, { params, body })).data?.cancelled ?? 0;
    },
    onSuccess: async (changed) => {
      close();
      notifications.show({ message: `${changed.toLocaleString()} ${changed === 1 ? 'callout' : 'callouts'} ${done}.` });
      await queryClient.invalidateQueries({ queryKey: ['webhook', type, address.id] });
    },
  });
  return (
    <>
      <Button size="xs" variant="default" onClick={ask}>
        {button}
      </Button>
      <Modal opened={isOpen} onClose={close} title={title}>
        <Stack>
          <Text>
            {count.data === undefined
              ? 'Counting …'
              : `${count.data.toLocaleString()} ${count.data === 1 ? 'callout is' : 'callouts are'} ${states.join(' or ')}.`}
          </Text>
          {count.isError && <Problem title="They could not be counted" error={count.error} />}
          {act.isError && <Problem title="Nothing was changed" error={act.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Leave them
            </Button>
            <Button color={color} disabled={!count.data} loading={act.isPending} onClick={() => act.mutate()}>
              {title}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
