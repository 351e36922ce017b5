import { Button, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { addressOf, type WebhookAddress, webhookParams, webhookPath } from '../../api/entities.ts';
import type { Attention } from './overview-queries.ts';
import { problemOf } from '../../parts/loaded.tsx';
import { notify } from '../../parts/notify.tsx';
import { PageButton } from '../../parts/show/links.tsx';

/** What can be done about one thing, by one click. */
export function RemedyButton({ item }: { readonly item: Attention }) {
  const { entityType, webhookID, remedy } = item;
  if (webhookID === null) {
    return (
      <PageButton to="/thresholds" size="xs" variant="default">
        Show the threshold
      </PageButton>
    );
  }
  const address = addressOf(entityType, String(webhookID));
  if (address !== undefined && (remedy.kind === 'test' || remedy.kind === 'activate')) {
    return <ActButton item={item} address={address} />;
  }
  const isEdit = remedy.kind === 'edit';
  return (
    <PageButton
      to={`/webhooks/${entityType}/${webhookID}`}
      search={isEdit ? { tab: 'settings' } : {}}
      size="xs"
      variant="default"
    >
      {isEdit ? remedy.label : 'Open the webhook'}
    </PageButton>
  );
}

interface ActButtonProps {
  readonly item: Attention;
  readonly address: WebhookAddress;
}

/** Sends a test or activates the webhook, and shows the result. */
function ActButton({ item: { remedy, name }, address }: ActButtonProps) {
  const act = useMutation({
    mutationFn: async () => {
      const params = webhookParams(address);
      if (remedy.kind === 'activate') {
        await api.PATCH(webhookPath(address, ''), { params, body: { isActive: true } });
        return { isGood: true, text: 'It is active again: changes from now on make callouts.' };
      }
      const { attempt, notMadeBecause } = (await api.POST(webhookPath(address, '/test'), { params })).data;
      if (!attempt) return { isGood: false, text: `The test has not been sent yet. ${notMadeBecause}` };
      if (attempt.failure === null) return { isGood: true, text: `The receiver answered ${attempt.status}: it works.` };
      return { isGood: false, text: attempt.failure };
    },
    // What is mended leaves the list, and its row with it.
    onSuccess: ({ isGood, text }) => isGood && notify({ title: name, message: text, color: 'green' }),
    meta: { changes: ['overview'] },
  });
  return (
    <Stack gap={4} align="flex-end">
      <Button size="xs" variant="default" loading={act.isPending} onClick={() => act.mutate()}>
        {remedy.label}
      </Button>
      {(act.isError || act.data?.isGood === false) && (
        <Text role="alert" maw={320} ta="right" className="break-anywhere">
          {act.isError ? problemOf(act.error) : act.data?.text}
        </Text>
      )}
    </Stack>
  );
}
