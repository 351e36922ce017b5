import { Button, List, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FailedFilter, failedKey, redeliverFailed } from './failed-queries.ts';
import { Problem } from '../../parts/loaded.tsx';
import { notify } from '../../parts/notify.tsx';
import { calloutsText } from '../../parts/show/number-text.ts';
import { Dialog } from '../../parts/window/dialog.tsx';

interface RedeliverProps {
  readonly filter: FailedFilter;
  /** Only the callouts with the ids; empty: all callouts within the filter. */
  readonly calloutIDs: readonly string[];
  readonly onDone: () => void;
}

/** Redelivers what failed, after the number and the meaning for order. */
export function RedeliverFailed(props: RedeliverProps) {
  const [isOpen, { open: openDialog, close }] = useDisclosure();
  const { length } = props.calloutIDs;
  return (
    <>
      <Button size="xs" onClick={openDialog}>
        {length > 0 ? `Redeliver ${length.toLocaleString()} selected` : 'Redeliver all …'}
      </Button>
      {isOpen && <RedeliverDialog {...props} close={close} />}
    </>
  );
}

function RedeliverDialog({ filter, calloutIDs, onDone, close }: RedeliverProps & { readonly close: () => void }) {
  const forecast = useQuery({
    queryKey: [...failedKey, 'forecast', filter, calloutIDs],
    queryFn: () => redeliverFailed(filter, calloutIDs, true),
    // The forecast is about the present moment.
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const act = useMutation({
    mutationFn: () => redeliverFailed(filter, calloutIDs, false),
    onSuccess({ queued, order }) {
      close();
      notify({ message: `${calloutsText(queued)} ${queued === 1 ? 'is' : 'are'} sent again. ${order.message}` });
      onDone();
    },
    meta: { changes: failedKey },
  });
  const { queued = 0, order, skipped = [] } = forecast.data ?? {};
  return (
    <Dialog
      title="Redeliver failed callouts"
      isOpen
      onClose={close}
      action={queued > 0 ? `Redeliver ${queued.toLocaleString()}` : 'Redeliver'}
      refusal="Leave them"
      isDisabled={queued === 0}
      mutation={act}
    >
      <Text fw={600} component="output">
        {forecast.isPending ? 'Counting …' : queued > 0 ? `${calloutsText(queued)} will be sent again.` : ''}
      </Text>
      {order !== undefined && <Text>{order.message}</Text>}
      {skipped.length > 0 && (
        <List size="sm">
          {skipped.map(({ webhookGUID, webhookName, count, message }) => (
            <List.Item key={webhookGUID}>
              {webhookName}: {calloutsText(count)} left as they are. {message}
            </List.Item>
          ))}
        </List>
      )}
      <Text c="dimmed">
        With the same body and webhook-id, to the present URL. Callouts of the same record are sent in order.
      </Text>
      {forecast.isError && <Problem title="They could not be counted" error={forecast.error} />}
    </Dialog>
  );
}
