import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { WebhookAddress } from '../../../api/entities.ts';
import { keyOf } from '../../../api/webhook.ts';
import { changesOf, countOf, rebased } from './changes.ts';
import { LifeSection } from './life-section.tsx';
import { saveChanges } from './save-changes.ts';
import { submitting, useFocusInvalid } from '../../../parts/form/form.ts';
import { Loaded, Problem } from '../../../parts/loaded.tsx';
import { notifyWarnings } from '../../../parts/notify.tsx';
import { type StoredWebhook, storedWebhookQuery } from '../../../parts/webhook-form/stored-webhook-query.ts';
import type { WebhookDraft, WebhookSettings } from '../../../parts/webhook-form/webhook-draft.ts';
import { WebhookInputs } from '../../../parts/webhook-form/webhook-inputs.tsx';
import { LeaveWarning } from '../../../parts/window/leave-warning.tsx';

/** Everything about a webhook that can be edited, its secret apart. */
export default function SettingsTab({ address }: { readonly address: WebhookAddress }) {
  return (
    <Loaded query={useQuery(storedWebhookQuery(address))} label="the settings">
      {(stored) => <SettingsForm address={address} stored={stored} />}
    </Loaded>
  );
}

interface SettingsFormProps {
  readonly address: WebhookAddress;
  readonly stored: StoredWebhook;
}

function SettingsForm({ address, stored }: SettingsFormProps) {
  const { entity, id } = address;
  const [edit, setEdit] = useState<{ readonly base: WebhookDraft; readonly draft: WebhookDraft } | null>(null);
  const draft = edit === null ? stored.draft : rebased(edit.base, edit.draft, stored.draft);
  const changes = changesOf(stored.draft, draft);
  const count = countOf(changes);
  const save = useMutation({
    mutationFn: () => saveChanges(address, stored, changes),
    onSuccess: notifyWarnings,
    meta: { changes: keyOf(address), done: 'The webhook is saved.' },
  });
  const formRef = useFocusInvalid(save.error);
  const set = (change: Partial<WebhookDraft>) => setEdit({ base: stored.draft, draft: { ...draft, ...change } });
  const settings = {
    settings: draft.settings,
    set: (change: Partial<WebhookSettings>) => set({ settings: { ...draft.settings, ...change } }),
    error: save.error,
  };

  return (
    <Stack gap={36}>
      <form ref={formRef} onSubmit={submitting(() => save.mutate())}>
        <LeaveWarning hasChanges={count > 0} />
        <WebhookInputs entity={entity} id={id} draft={draft} receiver={stored.receiver} set={set} settings={settings}>
          {save.isError && <Problem title="Not everything is saved; your changes are still here" error={save.error} />}
          {count > 0 && (
            <Paper
              withBorder
              shadow="md"
              p="sm"
              pos="sticky"
              bottom={16}
              style={{ zIndex: 2 }}
              component="section"
              aria-label="Unsaved changes"
            >
              <Group justify="space-between">
                <Text>{count === 1 ? '1 unsaved change' : `${count} unsaved changes`}</Text>
                <Group gap="xs">
                  <Button
                    variant="default"
                    onClick={() => {
                      setEdit(null);
                      save.reset();
                    }}
                  >
                    Discard
                  </Button>
                  <Button type="submit" loading={save.isPending}>
                    Save
                  </Button>
                </Group>
              </Group>
            </Paper>
          )}
        </WebhookInputs>
      </form>
      <LifeSection address={address} name={stored.draft.settings.name} isActive={stored.draft.settings.isActive} />
    </Stack>
  );
}
