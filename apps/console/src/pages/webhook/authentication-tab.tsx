import { ApiError } from '@callout/client';
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { type WebhookAddress, webhookParams, webhookPath } from '../../api/entities.ts';
import { keyOf } from '../../api/webhook.ts';
import { submitting, useFocusInvalid } from '../../parts/form/form.ts';
import { Loaded, Problem } from '../../parts/loaded.tsx';
import { receiverBody, type ReceiverDraft } from '../../parts/receiver-form/receiver-draft.ts';
import { ReceiverInputs } from '../../parts/receiver-form/receiver-inputs.tsx';
import { type StoredWebhook, storedWebhookQuery } from '../../parts/webhook-form/stored-webhook-query.ts';
import { receiverSummary } from '../../parts/webhook-form/summaries.ts';
import { LeaveWarning } from '../../parts/window/leave-warning.tsx';

/** What the calls of a webhook carry beside the signature. Secrets are written here and never shown. */
export default function AuthenticationTab({ address }: { readonly address: WebhookAddress }) {
  return (
    <Loaded query={useQuery(storedWebhookQuery(address))} label="the settings">
      {(webhook) => <AuthenticationForm address={address} webhook={webhook} />}
    </Loaded>
  );
}

interface FormProps {
  readonly address: WebhookAddress;
  readonly webhook: StoredWebhook;
}

function AuthenticationForm({ address, webhook: { receiver: stored, etag } }: FormProps) {
  const queryClient = useQueryClient();
  const [edited, setEdited] = useState<ReceiverDraft | null>(null);
  /** What was stored when the edit began, and the version that a person knows: that, or what a refusal has shown since. */
  const [begun, setBegun] = useState({ stored, etag });
  const draft = edited ?? stored;
  const save = useMutation({
    mutationFn: () =>
      api.PATCH(webhookPath(address, ''), {
        params: { ...webhookParams(address), header: { 'If-Match': isSame(begun.stored, stored) ? etag : begun.etag } },
        body: receiverBody(draft) as never,
      }),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: keyOf(address) });
      setEdited(null);
    },
    async onError(error) {
      await queryClient.invalidateQueries({ queryKey: keyOf(address) });
      const present = queryClient.getQueryData(storedWebhookQuery(address).queryKey);
      if (isOtherVersion(error) && present !== undefined) setBegun({ ...begun, etag: present.etag });
    },
    meta: { done: 'The authentication is saved.' },
  });
  const hasMet = edited !== null && !save.isPending && (isOtherVersion(save.error) || !isSame(begun.stored, stored));
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
          set={(change) => {
            if (edited === null) setBegun({ stored, etag });
            setEdited({ ...draft, ...change });
          }}
          error={save.error}
        />
        {hasMet && (
          <Alert color="orange" title="This webhook was changed while you were editing it" role="alert" data-is-problem>
            <Text>Now: {receiverSummary(stored).summary}.</Text>
            <Text>Yours: {receiverSummary(draft).summary}.</Text>
            <Text>Saving again replaces what is there now; Discard keeps it.</Text>
          </Alert>
        )}
        {save.isError && !isOtherVersion(save.error) && (
          <Problem title="The authentication was not saved" error={save.error} />
        )}
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

const isSame = (one: ReceiverDraft, other: ReceiverDraft) => JSON.stringify(one) === JSON.stringify(other);

/** Whether the webhook has been changed since it was read. */
const isOtherVersion = (error: unknown): boolean => error instanceof ApiError && error.status === 412;
