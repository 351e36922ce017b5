import { Button, Group, List, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { notify } from '../../parts/notify.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Modal } from '../../parts/window/modal.tsx';
import type { FailedFilter } from './failed-filter.ts';
import { failedKey, redeliverFailed } from './failed-queries.ts';

interface RedeliverProps {
  readonly filter: FailedFilter;
  /** Only these; none: all that the filter means. */
  readonly calloutIDs: readonly string[];
  readonly onDone: () => void;
}

/** Redelivers what was given up, after the number and what that means for order. */
export function RedeliverFailed(props: RedeliverProps) {
  const [isOpen, { open, close }] = useDisclosure();
  const { length } = props.calloutIDs;
  return (
    <>
      <Button size="xs" onClick={open}>
        {length > 0 ? `Redeliver ${length.toLocaleString()} selected` : 'Redeliver all …'}
      </Button>
      <Modal opened={isOpen} onClose={close} title="Redeliver failed callouts">
        <RedeliverForm {...props} close={close} />
      </Modal>
    </>
  );
}

const calloutsOf = (count: number): string => `${count.toLocaleString()} ${count === 1 ? 'callout' : 'callouts'}`;

function RedeliverForm({ filter, calloutIDs, onDone, close }: RedeliverProps & { readonly close: () => void }) {
  const queryClient = useQueryClient();
  const forecast = useQuery({
    queryKey: [...failedKey, 'forecast', filter, calloutIDs],
    queryFn: () => redeliverFailed(filter, calloutIDs, true),
    // What it says is about this moment.
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const act = useMutation({
    mutationFn: () => redeliverFailed(filter, calloutIDs, false),
    onSuccess: async ({ queued, order }) => {
      close();
      notify({ message: `${calloutsOf(queued)} ${queued === 1 ? 'is' : 'are'} sent again. ${order.message}` });
      onDone();
      await queryClient.invalidateQueries({ queryKey: failedKey });
    },
  });
  const { queued = 0, order, skipped = [] } = forecast.data ?? {};
  return (
    <Stack>
      <Text fw={600} component="output">
        {forecast.isPending ? 'Counting …' : queued > 0 ? `${calloutsOf(queued)} will be sent again.` : ''}
      </Text>
      {order !== undefined && <Text size="sm">{order.message}</Text>}
      {skipped.length > 0 && (
        <List size="sm">
          {skipped.map(({ webhookGUID, webhookName, count, message }) => (
            <List.Item key={webhookGUID}>
              {webhookName}: {calloutsOf(count)} left as they are. {message}
            </List.Item>
          ))}
        </List>
      )}
      <Text size="sm" c="dimmed">
        With the same body and webhook-id, to the present URL, those of a record in order.
      </Text>
      {forecast.isError && <Problem title="They could not be counted" error={forecast.error} />}
      {act.isError && <Problem title="Nothing was changed" error={act.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          Leave them
        </Button>
        <Button disabled={queued === 0} loading={act.isPending} onClick={() => act.mutate()}>
          {queued > 0 ? `Redeliver ${queued.toLocaleString()}` : 'Redeliver'}
        </Button>
      </Group>
    </Stack>
  );
}
