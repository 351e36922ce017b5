import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { ChangePreview } from '../../../parts/condition-form/change-preview.tsx';
import { ConditionEditor } from '../../../parts/condition-form/condition-editor.tsx';
import { errorsAt } from '../../../parts/form/field-errors.ts';
import { useFocusInvalid } from '../../../parts/form/use-focus-invalid.ts';
import { LeaveWarning } from '../../../parts/window/leave-warning.tsx';
import { notify } from '../../../parts/notify.tsx';
import { isUnreadable, Problem } from '../../../parts/problem.tsx';
import { Reading } from '../../../parts/reading.tsx';
import { Section } from '../../../parts/section.tsx';
import { DigestInput } from '../../../parts/webhook-form/digest-input.tsx';
import { ExcludedEditor } from '../../../parts/webhook-form/excluded-editor.tsx';
import { FieldsEditor } from '../../../parts/webhook-form/fields-editor.tsx';
import { PayloadInputs } from '../../../parts/webhook-form/payload-inputs.tsx';
import { PayloadPreview } from '../../../parts/webhook-form/payload-preview.tsx';
import {
  ActionInputs,
  AddressInputs,
  MailInputs,
  MergeInput,
  RateInputs,
} from '../../../parts/webhook-form/settings-inputs.tsx';
import { storedWebhookQuery, type StoredWebhook } from '../../../parts/webhook-form/stored-webhook-query.ts';
import type { WebhookDraft, WebhookSettings } from '../../../parts/webhook-form/webhook-draft.ts';
import type { WebhookAddress } from '../webhook-queries.ts';
import { changesOf, countOf, rebased } from './changes.ts';
import { LifeSection } from './life-section.tsx';
import { PartRefused, saveChanges } from './save-changes.ts';

/** Everything about a webhook that can be edited, its secret apart. */
export default function SettingsTab({ address }: { readonly address: WebhookAddress }) {
  const stored = useQuery(storedWebhookQuery(address.entity, address.id));
  if (isUnreadable(stored)) {
    return <Problem title="The settings could not be read" error={stored.error} retry={() => void stored.refetch()} />;
  }
  return stored.data === undefined ? (
    <Reading label="the settings" />
  ) : (
    <SettingsForm address={address} stored={stored.data} />
  );
}

interface SettingsFormProps {
  readonly address: WebhookAddress;
  readonly stored: StoredWebhook;
}

function SettingsForm({ address, stored }: SettingsFormProps) {
  const { entity, id } = address;
  const queryClient = useQueryClient();
  const [edit, setEdit] = useState<{ readonly base: WebhookDraft; readonly draft: WebhookDraft } | null>(null);
  const draft = edit === null ? stored.draft : rebased(edit.base, edit.draft, stored.draft);
  const changes = changesOf(stored.draft, draft);
  const count = countOf(changes);
  const save = useMutation({
    mutationFn: () => saveChanges(address, stored, changes),
    onSuccess: (warnings) => {
      notify({ message: 'The webhook is saved.' });
      for (const message of warnings) notify({ message, color: 'yellow', autoClose: false });
    },
    // After a refusal too: what came before it is stored.
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['webhook', entity.type, id] }),
  });
  const formRef = useFocusInvalid(save.error);
  const refusal = save.error instanceof PartRefused ? save.error : undefined;
  const errorOf = (part: PartRefused['part']) => (refusal?.part === part ? refusal.cause : undefined);
  const set = (change: Partial<WebhookDraft>) => setEdit({ base: stored.draft, draft: { ...draft, ...change } });
  const settings = {
    settings: draft.settings,
    set: (change: Partial<WebhookSettings>) => set({ settings: { ...draft.settings, ...change } }),
    error: errorOf('settings'),
  };

  function submit(event: FormEvent): void {
    event.preventDefault();
    save.mutate();
  }

  return (
    <Stack maw={760} gap={36}>
      <form onSubmit={submit} ref={formRef}>
        <Stack gap={36}>
          <LeaveWarning hasChanges={count > 0} />
          <Section title="Where callouts go">
            <AddressInputs {...settings} />
          </Section>
          <Section title="What makes a callout">
            <ActionInputs {...settings} />
            <MergeInput {...settings} />
          </Section>
          <FieldsEditor
            entity={entity}
            fields={draft.fields}
            set={(fields) => set({ fields })}
            isForUpdates={draft.settings.isSubscribedToUpdateEvents}
            error={errorOf('fields')?.message}
          />
          <Section title="What callouts look like">
            <PayloadInputs {...settings} />
          </Section>
          <ConditionEditor
            entity={entity}
            condition={draft.settings.condition}
            set={(condition) => settings.set({ condition })}
            error={errorsAt(settings.error, 'condition')}
          />
          <PayloadPreview entity={entity} draft={draft} receiver={stored.receiver} />
          <ChangePreview entity={entity} id={id} draft={draft} />
          <ExcludedEditor
            excluded={draft.excluded}
            set={(excluded) => set({ excluded })}
            error={errorsAt(errorOf('excluded'), 'resourceID') ?? errorOf('excluded')?.message}
          />
          <RateInputs {...settings} />
          <MailInputs {...settings} />
          <DigestInput {...settings} />
          {save.isError && (
            <Problem
              title="Not everything is saved; your changes are still here"
              error={refusal?.cause ?? save.error}
            />
          )}
          {count > 0 && (
            <Paper withBorder shadow="md" p="sm" className="save-bar" component="section" aria-label="Unsaved changes">
              <Group justify="space-between">
                <Text size="sm">{count === 1 ? '1 unsaved change' : `${count} unsaved changes`}</Text>
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
        </Stack>
      </form>
      <LifeSection address={address} name={stored.draft.settings.name} isActive={stored.draft.settings.isActive} />
    </Stack>
  );
}
