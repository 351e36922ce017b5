import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { api } from '../../api/client.ts';
import { pathOf } from '../../api/entities.ts';
import { notify } from '../../parts/notify.tsx';
import { isUnreadable, Problem } from '../../parts/problem.tsx';
import { receiverBody, receiverDraft, type ReceiverDraft } from '../../parts/receiver-form/receiver-draft.ts';
import { ReceiverInputs } from '../../parts/receiver-form/receiver-inputs.tsx';
import { Reading } from '../../parts/reading.tsx';
import { LeaveWarning } from '../../parts/window/leave-warning.tsx';
import { webhookQuery, type WebhookAddress } from './webhook-queries.ts';

/** What the calls of a webhook carry beside the signature. Secrets are written here and never shown. */
export default function AuthenticationTab({ address }: { readonly address: WebhookAddress }) {
  const stored = useQuery(webhookQuery(address));
  if (isUnreadable(stored)) {
    return <Problem title="The settings could not be read" error={stored.error} retry={() => void stored.refetch()} />;
  }
  if (stored.data === undefined) return <Reading label="the settings" />;
  return <AuthenticationForm address={address} stored={receiverDraft(stored.data)} />;
}

interface FormProps {
  readonly address: WebhookAddress;
  readonly stored: ReceiverDraft;
}

function AuthenticationForm({ address, stored }: FormProps) {
  const queryClient = useQueryClient();
  const [edited, setEdited] = useState<ReceiverDraft | null>(null);
  const draft = edited ?? stored;
  const set = (change: Partial<ReceiverDraft>) => setEdited({ ...draft, ...change });
  const save = useMutation({
    mutationFn: () => saveReceiver(address, receiverBody(draft)),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: ['webhook', address.entity.type, address.id] });
      setEdited(null);
      notify({ message: 'The authentication is saved.' });
    },
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    save.mutate();
  }

  return (
    <form onSubmit={submit}>
      <Stack maw={760} gap={36}>
        <LeaveWarning hasChanges={edited !== null} />
        <Text size="sm">
          Every callout is signed. If your receiver, or a gateway in front of it, asks for more, it is set here. Secrets
          are stored encrypted and are not shown again.
        </Text>
        <ReceiverInputs draft={draft} stored={stored} set={set} error={save.error} />
        {save.isError && <Problem title="The authentication was not saved" error={save.error} />}
        <Group>
          <Button type="submit" loading={save.isPending} disabled={edited === null}>
            Save
          </Button>
          {edited !== null && (
            <Button
              variant="default"
              onClick={() => {
                setEdited(null);
                save.reset();
              }}
            >
              Discard
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}

async function saveReceiver({ entity, id }: WebhookAddress, body: ReturnType<typeof receiverBody>): Promise<void> {
  const path = pathOf(entity.collection, '/v1.0/CompanyWebhooks/{id}');
  await api.PATCH(path, { params: { path: { id } }, body: body as never });
}
