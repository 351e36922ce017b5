import { Button, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Suspense } from 'react';
import { api } from '../../api/client.ts';
import { addressOf, type WebhookAddress, webhookParams, webhookPath } from '../../api/entities.ts';
import type { Attention } from './overview-queries.ts';
import { lazyPart } from '../../parts/lazy-part.tsx';
import { problemOf } from '../../parts/loaded.tsx';
import { notify } from '../../parts/notify.tsx';
import { PageButton } from '../../parts/show/links.tsx';

// Few overviews have an inactive webhook, and the table of both versions is large.
const ActivateButton = lazyPart(() => import('./activate-button.tsx'));

/** The remedy for an item, by one click. */
export function RemedyButton({ item }: { readonly item: Attention }) {
  const { entityType, webhookID, name, remedy } = item;
  if (webhookID === null) {
    return (
      <PageButton to="/thresholds" size="xs" variant="default">
        Show the threshold
      </PageButton>
    );
  }
  const address = addressOf(entityType, String(webhookID));
  if (address !== undefined && remedy.kind === 'test') return <TestButton item={item} address={address} />;
  if (address !== undefined && remedy.kind === 'activate') {
    return (
      <Suspense fallback={null}>
        <ActivateButton address={address} name={name ?? 'The webhook'} label={remedy.label} />
      </Suspense>
    );
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

interface TestButtonProps {
  readonly item: Attention;
  readonly address: WebhookAddress;
}

/** Sends a test, and shows the result. */
function TestButton({ item: { remedy, name }, address }: TestButtonProps) {
  const test = useMutation({
    mutationFn: async () => {
      const params = webhookParams(address);
      const { attempt, notMadeBecause } = (await api.POST(webhookPath(address, '/test'), { params })).data;
      if (!attempt) return { isGood: false, text: `The test has not been sent yet. ${notMadeBecause}` };
      if (attempt.failure === null) return { isGood: true, text: `The receiver answered ${attempt.status}: it works.` };
      return { isGood: false, text: attempt.failure };
    },
    // A mended item leaves the list, together with the row.
    onSuccess: ({ isGood, text }) => isGood && notify({ title: name, message: text, color: 'green' }),
    meta: { changes: ['overview'] },
  });
  return (
    <Stack gap={4} align="flex-end">
      <Button size="xs" variant="default" loading={test.isPending} onClick={() => test.mutate()}>
        {remedy.label}
      </Button>
      {(test.isError || test.data?.isGood === false) && (
        <Text role="alert" maw={320} ta="right" className="break-anywhere">
          {test.isError ? problemOf(test.error) : test.data?.text}
        </Text>
      )}
    </Stack>
  );
}
