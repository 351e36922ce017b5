import { Button, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { entityOfType, pathOf } from '../../api/entities.ts';
import { notify } from '../../parts/notify.tsx';
import { problemOf } from '../../parts/problem.tsx';
import type { Attention } from './overview-queries.ts';

/** What can be done about one thing, by one click. */
export function RemedyButton({ item }: { readonly item: Attention }) {
  const { entityType, webhookID, remedy } = item;
  const entity = entityOfType(entityType);
  if (webhookID === null) {
    return (
      <Button component={Link} to="/thresholds" size="xs" variant="default">
        Show the threshold
      </Button>
    );
  }
  const page = `/webhooks/${entityType}/${webhookID}`;
  if (entity !== undefined && (remedy.kind === 'test' || remedy.kind === 'activate')) {
    return <ActButton item={item} path={{ collection: entity.collection, id: webhookID }} />;
  }
  return (
    <Button
      component={Link}
      to={page}
      {...(remedy.kind === 'edit' && { search: { tab: 'settings' } as never })}
      size="xs"
      variant="default"
    >
      {remedy.kind === 'edit' ? remedy.label : 'Open the webhook'}
    </Button>
  );
}

interface ActButtonProps {
  readonly item: Attention;
  readonly path: {
    readonly collection: NonNullable<ReturnType<typeof entityOfType>>['collection'];
    readonly id: number;
  };
}

/** Sends a test or activates the webhook, and shows the result. */
function ActButton({ item: { remedy, name }, path: { collection, id } }: ActButtonProps) {
  const queryClient = useQueryClient();
  const act = useMutation({
    mutationFn: async () => {
      const params = { path: { id } };
      if (remedy.kind === 'activate') {
        await api.PATCH(pathOf(collection, '/v1.0/CompanyWebhooks/{id}'), { params, body: { isActive: true } });
        return { isGood: true, text: 'It is active again: changes from now on make callouts.' };
      }
      const { data } = await api.POST(pathOf(collection, '/v1.0/CompanyWebhooks/{id}/test'), { params });
      const attempt = data?.attempt;
      if (!attempt) return { isGood: false, text: 'The test has not been sent yet: no worker took it.' };
      if (attempt.failure === null) return { isGood: true, text: `The receiver answered ${attempt.status}: it works.` };
      return { isGood: false, text: attempt.failure };
    },
    // What is mended leaves the list, and its row with it.
    onSuccess: ({ isGood, text }) => isGood && notify({ title: name, message: text, color: 'green' }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['overview'] }),
  });
  return (
    <Stack gap={4} align="flex-end">
      <Button size="xs" variant="default" loading={act.isPending} onClick={() => act.mutate()}>
        {remedy.label}
      </Button>
      {(act.isError || act.data?.isGood === false) && (
        <Text size="sm" role="alert" maw={320} ta="right" className="break-anywhere">
          {act.isError ? problemOf(act.error) : act.data?.text}
        </Text>
      )}
    </Stack>
  );
}
