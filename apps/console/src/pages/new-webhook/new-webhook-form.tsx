import { Button, Group, Stack, Switch } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { ChangePreview } from '../../parts/condition-form/change-preview.tsx';
import { ConditionEditor } from '../../parts/condition-form/condition-editor.tsx';
import { errorsAt } from '../../parts/form/field-errors.ts';
import { useFocusInvalid } from '../../parts/form/use-focus-invalid.ts';
import { keepSecret } from '../../parts/secret/new-secrets.ts';
import { LeaveWarning } from '../../parts/window/leave-warning.tsx';
import { Problem } from '../../parts/problem.tsx';
import { ReceiverInputs } from '../../parts/receiver-form/receiver-inputs.tsx';
import { SecretInput } from '../../parts/form/secret-input.tsx';
import { Section } from '../../parts/section.tsx';
import { SignatureInput } from '../../parts/signing-keys/signature-input.tsx';
import { DigestInput } from '../../parts/webhook-form/digest-input.tsx';
import { ExcludedEditor } from '../../parts/webhook-form/excluded-editor.tsx';
import { FieldsEditor } from '../../parts/webhook-form/fields-editor.tsx';
import { PayloadInputs } from '../../parts/webhook-form/payload-inputs.tsx';
import { PayloadPreview } from '../../parts/webhook-form/payload-preview.tsx';
import {
  ActionInputs,
  AddressInputs,
  MailInputs,
  MergeInput,
  RateInputs,
} from '../../parts/webhook-form/settings-inputs.tsx';
import type { WebhookSettings } from '../../parts/webhook-form/webhook-draft.ts';
import { EntityInput } from './entity-input.tsx';
import { createWebhook, type NewWebhook } from './new-webhook.ts';

/** The form of a new webhook. What the API refuses stands at its input, in the words of the API. */
export function NewWebhookForm({ begin }: { readonly begin: NewWebhook }) {
  const [form, setForm] = useState(begin);
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: createWebhook,
    async onSuccess({ id, warnings }, { entity, secretKey }) {
      const webhook = `${entity.type}/${id}`;
      keepSecret({ webhook, secretKey, cause: 'created', warnings });
      await queryClient.invalidateQueries({ queryKey: ['webhooks'] });
      await navigate({ to: `/webhooks/${webhook}`, ignoreBlocker: true, replace: true });
    },
  });
  const formRef = useFocusInvalid(create.error);
  const set = (change: Partial<NewWebhook>) => setForm((before) => ({ ...before, ...change }));
  const settings = {
    settings: form.settings,
    set: (change: Partial<WebhookSettings>) => set({ settings: { ...form.settings, ...change } }),
    error: create.error,
  };

  function submit(event: FormEvent): void {
    event.preventDefault();
    create.mutate(form);
  }

  return (
    <form onSubmit={submit} ref={formRef}>
      <Stack maw={760} gap={36}>
        <LeaveWarning hasChanges={form !== begin} />
        <Section title="What it watches">
          <EntityInput
            entity={form.entity}
            set={(entity) => {
              if (entity === form.entity) return;
              const { alertFormat: _format, alertRoutingKey: _key, ...others } = form.settings;
              const alert = entity.type === 'WebhookHealth' ? ({ alertFormat: 'json' } as const) : {};
              set({ entity, fields: [], settings: { ...others, ...alert, condition: '' } });
            }}
          />
          <ActionInputs {...settings} />
          <MergeInput {...settings} />
        </Section>
        <FieldsEditor
          entity={form.entity}
          fields={form.fields}
          set={(fields) => set({ fields })}
          isForUpdates={form.settings.isSubscribedToUpdateEvents}
          error={errorsAt(create.error, 'fields') ?? errorsAt(create.error, 'udfFields')}
        />
        <Section title="What callouts look like">
          <PayloadInputs {...settings} />
        </Section>
        <ConditionEditor
          entity={form.entity}
          condition={form.settings.condition}
          set={(condition) => settings.set({ condition })}
          error={errorsAt(create.error, 'condition')}
        />
        <PayloadPreview entity={form.entity} draft={form} receiver={form.receiver} />
        <ChangePreview entity={form.entity} draft={form} />
        <Section title="Where callouts go">
          <AddressInputs
            {...settings}
            onUrlLeft={() => {
              if (form.settings.deactivationUrl === '') settings.set({ deactivationUrl: form.settings.webhookUrl });
            }}
          />
          <SecretInput
            label="Secret"
            value={form.secretKey}
            set={(secretKey) => set({ secretKey })}
            error={errorsAt(create.error, 'secretKey')}
          />
          <SignatureInput
            value={form.settings.signatureKind}
            set={(signatureKind) => settings.set({ signatureKind })}
            error={errorsAt(create.error, 'signatureKind')}
          />
        </Section>
        <ReceiverInputs
          draft={form.receiver}
          stored={begin.receiver}
          set={(change) => set({ receiver: { ...form.receiver, ...change } })}
          error={create.error}
        />
        <ExcludedEditor
          excluded={form.excluded}
          set={(excluded) => set({ excluded })}
          error={errorsAt(create.error, 'excludedResources')}
        />
        <RateInputs {...settings} />
        <MailInputs {...settings} />
        <DigestInput {...settings} />
        <Switch
          label="Active from now on"
          checked={form.settings.isActive}
          onChange={(event) => settings.set({ isActive: event.currentTarget.checked })}
          error={errorsAt(create.error, 'isActive')}
        />
        {create.isError && (
          <Problem title="The webhook was not created; what you entered is still here" error={create.error} />
        )}
        <Group>
          <Button type="submit" loading={create.isPending}>
            Create webhook
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
