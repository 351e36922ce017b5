import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { WebhookAddress } from '../../../api/entities.ts';
import { keyOf } from '../../../api/webhook.ts';
import { LifeSection } from './life-section.tsx';
import { saveChanges } from './save-changes.ts';
import { submitting, useFocusInvalid } from '../../../parts/form/form.ts';
import { Loaded, Problem } from '../../../parts/loaded.tsx';
import { lazyPart } from '../../../parts/lazy-part.tsx';
import { notifyWarnings } from '../../../parts/notify.tsx';
import type { WebhookSettings } from '../../../parts/settings-form/form-settings.ts';
import { type StoredWebhook, storedWebhookQuery } from '../../../parts/webhook-form/stored-webhook-query.ts';
import { storedSecretSummary } from '../../../parts/webhook-form/summaries.ts';
import type { WebhookDraft } from '../../../parts/webhook-form/webhook-draft.ts';
import { isOtherVersion } from '../../../parts/versions/use-versioned-write.ts';
import { WebhookInputs } from '../../../parts/webhook-form/webhook-inputs.tsx';
import { changesOf, countOf, rebased } from '../../../parts/webhook-versions/changes.ts';
import { meetingsOf, withTheirs } from '../../../parts/webhook-versions/meetings.ts';
import { MeetingsOfWebhook } from '../../../parts/webhook-versions/meetings-of-webhook.tsx';
import { LeaveWarning } from '../../../parts/window/leave-warning.tsx';

// The input of a number is large.
const RotateSecret = lazyPart(() => import('./rotate-secret.tsx'));
// Few people open the section with the keys.
const SignatureKeys = lazyPart(() => import('./signature-keys.tsx'));

/** All editable settings of a webhook, in the sections of the form of a new webhook. */
export default function SettingsTab({ address }: { readonly address: WebhookAddress }) {
  return (
    <Loaded query={useQuery(storedWebhookQuery(address))} label="the settings">
      {(stored) => <SettingsForm address={address} stored={stored} />}
    </Loaded>
  );
}

interface Edit {
  /** What was stored when `draft` was set. */
  readonly base: WebhookDraft;
  readonly draft: WebhookDraft;
  /** What was stored when the edit began; null: nothing was edited since the last save. */
  readonly begun: WebhookDraft | null;
  /** The version known to the person: where the edit began, or what a refusal has shown since. */
  readonly etag: string;
}

interface SettingsFormProps {
  readonly address: WebhookAddress;
  readonly stored: StoredWebhook;
}

/** What a person edits of a webhook, on what is stored now, and how to save the edit. */
function useSettingsEdit({ address, stored }: SettingsFormProps) {
  const queryClient = useQueryClient();
  const [edit, setEdit] = useState<Edit | null>(null);
  const draft = edit === null ? stored.draft : rebased(edit.base, edit.draft, stored.draft);
  const changes = changesOf(stored.draft, draft);
  const count = countOf(changes);
  const meetings = edit?.begun ? meetingsOf(edit.begun, stored.draft, draft) : [];
  const knownTag = edit !== null && meetings.length > 0 ? edit.etag : stored.etag;
  const save = useMutation({
    // The form can be edited while the edit is being saved.
    onMutate: () => edit,
    // What has just appeared beside the edit is not known yet: the API refuses to replace it.
    mutationFn: () => saveChanges(address, { ...stored, etag: knownTag }, changes),
    onSuccess: notifyWarnings,
    onSettled(_warnings, error, _input, saved) {
      const { etag = '' } = queryClient.getQueryData(storedWebhookQuery(address).queryKey) ?? {};
      // Unless others came first, the only difference from now on is the saved edit.
      setEdit((before) => {
        // A stored secret is read as a mask, so what was saved is read anew; what was edited meanwhile stays.
        if (error === null && before?.draft === saved?.draft) return null;
        return before && (isOtherVersion(error) ? { ...before, etag } : { ...before, begun: null });
      });
    },
    meta: { changes: keyOf(address), done: 'The webhook is saved.' },
  });
  const setDraft = (changed: WebhookDraft) => {
    const { begun, etag } = edit?.begun ? edit : { begun: stored.draft, etag: stored.etag };
    setEdit({ base: stored.draft, draft: changed, begun, etag });
  };
  const discard = () => {
    setEdit(null);
    save.reset();
  };
  return { draft, setDraft, count, meetings, save, discard };
}

function SettingsForm({ address, stored }: SettingsFormProps) {
  const { entity, id } = address;
  const { draft, setDraft, count, meetings, save, discard } = useSettingsEdit({ address, stored });
  const formRef = useFocusInvalid(save.error);
  const hasMet = count > 0 && !save.isPending && (meetings.length > 0 || isOtherVersion(save.error));
  const set = (change: Partial<WebhookDraft>) => setDraft({ ...draft, ...change });
  const settings = {
    settings: draft.settings,
    set: (change: Partial<WebhookSettings>) => set({ settings: { ...draft.settings, ...change } }),
    error: save.error,
  };

  return (
    <Stack gap={36}>
      <form ref={formRef} onSubmit={submitting(() => save.mutate())}>
        <LeaveWarning hasChanges={count > 0} />
        <WebhookInputs
          entity={entity}
          id={id}
          draft={draft}
          storedReceiver={stored.draft.receiver}
          set={set}
          settings={settings}
          secret={{
            inputs: <RotateSecret address={address} />,
            below: <SignatureKeys address={address} chosen={draft.settings.signatureKind} />,
            summary: storedSecretSummary(draft.settings),
          }}
        >
          {hasMet && (
            <MeetingsOfWebhook
              entity={entity}
              meetings={meetings}
              takeTheirs={(part) => setDraft(withTheirs(draft, stored.draft, part))}
            />
          )}
          {save.isError && !isOtherVersion(save.error) && (
            <Problem title="Not everything is saved; your changes are still here" error={save.error} />
          )}
          {count > 0 && <UnsavedChanges count={count} isSaving={save.isPending} discard={discard} />}
        </WebhookInputs>
      </form>
      <LifeSection address={address} name={stored.draft.settings.name} isActive={stored.draft.settings.isActive} />
    </Stack>
  );
}

interface UnsavedChangesProps {
  readonly count: number;
  readonly isSaving: boolean;
  readonly discard: () => void;
}

/** The number of changes, always in sight, with the ways to save and to discard them. */
function UnsavedChanges({ count, isSaving, discard }: UnsavedChangesProps) {
  return (
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
          <Button variant="default" onClick={discard}>
            Discard
          </Button>
          <Button type="submit" loading={isSaving}>
            Save
          </Button>
        </Group>
      </Group>
    </Paper>
  );
}
