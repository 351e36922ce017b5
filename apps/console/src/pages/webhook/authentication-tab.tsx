import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { type WebhookAddress, webhookParams, webhookPath } from '../../api/entities.ts';
import { keyOf, webhookQuery } from '../../api/webhook.ts';
import { submitting, useFocusInvalid } from '../../parts/form/form.ts';
import { Loaded, Problem } from '../../parts/loaded.tsx';
import { receiverBody, receiverDraft, type ReceiverDraft } from '../../parts/receiver-form/receiver-draft.ts';
import { ReceiverInputs } from '../../parts/receiver-form/receiver-inputs.tsx';
import { LeaveWarning } from '../../parts/window/leave-warning.tsx';

/** What the calls of a webhook carry beside the signature. Secrets are written here and never shown. */
export default function AuthenticationTab({ address }: { readonly address: WebhookAddress }) {
  return (
    <Loaded query={useQuery(webhookQuery(address))} label="the settings">
      {(webhook) => <AuthenticationForm address={address} stored={receiverDraft(webhook)} />}
    </Loaded>
  );
}

interface FormProps {
  readonly address: WebhookAddress;
  readonly stored: ReceiverDraft;
}

function AuthenticationForm({ address, stored }: FormProps) {
  const queryClient = useQueryClient();
  const [edited, setEdited] = useState<ReceiverDraft | null>(null);
  const draft = edited ?? stored;
  const save = useMutation({
    mutationFn: () =>
      api.PATCH(webhookPath(address, ''), { params: webhookParams(address), body: receiverBody(draft) as never }),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: keyOf(address) });
      setEdited(null);
    },
    meta: { done: 'The authentication is saved.' },
  });
  const formRef = useFocusInvalid(save.error);
  return (
    <form ref={formRef} onSubmit={submitting(() => save.mutate())}>
      <Stack maw={760} gap={36}>
        <LeaveWarning hasChanges={edited !== null} />
        <Text>
          Every callout is signed. If your receiver, or a gateway in front of it, asks for more, it is set here. Secrets
          are stored encrypted and are not shown again.
        </Text>
        <ReceiverInputs
          draft={draft}
          stored={stored}
          set={(change) => setEdited({ ...draft, ...change })}
          error={save.error}
        />
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
