import { Alert, Button, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { type WebhookAddress, webhookParams, webhookPath } from '../../api/entities.ts';
import { keyOf } from '../../api/webhook.ts';
import { useIsSendable } from '../../parts/callouts/is-sendable.ts';
import { Problem } from '../../parts/loaded.tsx';
import { StateBadge } from '../../parts/show/state-badge.tsx';
import { Modal } from '../../parts/window/modal.tsx';

/** Sends a signed test callout and shows what the receiver answered; absent where nothing can be sent. */
export function TestButton({ address }: { readonly address: WebhookAddress }) {
  const test = useMutation({
    mutationFn: async () => (await api.POST(webhookPath(address, '/test'), { params: webhookParams(address) })).data,
    meta: { changes: keyOf(address) },
  });
  const attempt = test.data?.attempt;
  const isSendable = useIsSendable(address);
  return (
    <>
      {isSendable && (
        <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
          Send a test
        </Button>
      )}
      <Modal opened={test.isSuccess || test.isError} onClose={() => test.reset()} title="Test callout">
        {test.isError && <Problem title="The test was not sent" error={test.error} />}
        {test.data && (
          <Stack align="flex-start">
            <StateBadge state={test.data.state} />
            <Text>
              {!attempt
                ? `It has not been sent yet. ${test.data.notMadeBecause}`
                : `${attempt.status === null ? 'No answer' : `The receiver answered ${attempt.status}`} after ${attempt.durationMs.toLocaleString()} ms.`}
            </Text>
            {attempt?.failure != null && <Alert color="red">{attempt.failure}</Alert>}
          </Stack>
        )}
      </Modal>
    </>
  );
}
