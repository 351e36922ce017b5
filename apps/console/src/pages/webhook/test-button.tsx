import { Alert, Button, Stack, Text } from '@mantine/core';
import { Modal } from '../../parts/window/modal.tsx';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { pathOf } from '../../api/entities.ts';
import { Problem } from '../../parts/problem.tsx';
import { StateBadge } from '../../parts/show/state-badge.tsx';
import type { WebhookAddress } from './webhook-queries.ts';

/** Sends a signed test callout and shows what the receiver answered. */
export function TestButton({ address }: { readonly address: WebhookAddress }) {
  const queryClient = useQueryClient();
  const test = useMutation({
    mutationFn: async () => {
      const path = pathOf(address.entity.collection, '/v1.0/CompanyWebhooks/{id}/test');
      return (await api.POST(path, { params: { path: { id: address.id } } })).data;
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['webhook', address.entity.type, address.id] }),
  });
  const attempt = test.data?.attempt;
  return (
    <>
      <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
        Send a test
      </Button>
      <Modal opened={test.isSuccess || test.isError} onClose={() => test.reset()} title="Test callout">
        {test.isError && <Problem title="The test was not sent" error={test.error} />}
        {test.data && (
          <Stack>
            <div>
              <StateBadge state={test.data.state} />
            </div>
            {attempt ? (
              <Text>
                {attempt.status === null ? 'No answer' : `The receiver answered ${attempt.status}`} after{' '}
                {attempt.durationMs.toLocaleString()} ms.
              </Text>
            ) : (
              <Text>It has not been sent yet: no worker took it within a few seconds.</Text>
            )}
            {attempt?.failure != null && <Alert color="red">{attempt.failure}</Alert>}
          </Stack>
        )}
      </Modal>
    </>
  );
}
