import { Button, Group, Switch } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { type Entity, pathOf } from '../../api/entities.ts';
import { EntityInput } from './entity-input.tsx';
import { errorsAt, inputsOf, submitting, useDraft, useFocusInvalid } from '../../parts/form/form.ts';
import { SecretInput } from '../../parts/form/secret-input.tsx';
import { Problem } from '../../parts/loaded.tsx';
import { keepSecret } from '../../parts/secret/new-secrets.ts';
import { settingsForEntity, type WebhookSettings } from '../../parts/settings-form/form-settings.ts';
import { newSecretSummary } from '../../parts/webhook-form/summaries.ts';
import { createBody, type WebhookDraft } from '../../parts/webhook-form/webhook-draft.ts';
import { WebhookInputs } from '../../parts/webhook-form/webhook-inputs.tsx';
import { LeaveWarning } from '../../parts/window/leave-warning.tsx';

/** What the form holds. */
export interface NewWebhook extends WebhookDraft {
  readonly entity: Entity;
  readonly secretKey: string;
}

/** A created webhook. */
export interface MadeWebhook {
  readonly id: number;
  readonly warnings: readonly string[];
}

/**
 * Creates the webhook with fields and exclusions: everything is stored, or nothing. Throws ApiError naming the inputs.
 */
export async function createWebhook({ entity, secretKey, ...draft }: NewWebhook): Promise<MadeWebhook> {
  const { webhookUrl, deactivationUrl } = draft.settings;
  const addresses = { webhookUrl, deactivationUrl: deactivationUrl.trim() === '' ? webhookUrl : deactivationUrl };
  const { data } = await api.POST(pathOf(entity.collection, '/v1.0/CompanyWebhooks'), {
    body: { ...createBody(draft), ...addresses, secretKey } as never,
  });
  return { id: data.itemId, warnings: data.warnings ?? [] };
}

/** The form of a new webhook. Each refusal stands at the input, in the words of the API. */
export function NewWebhookForm({ begin }: { readonly begin: NewWebhook }) {
  const [form, set] = useDraft(begin);
  const { secretKey: generated } = begin;
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: createWebhook,
    async onSuccess({ id, warnings }, { entity, secretKey }) {
      const webhook = `${entity.type}/${id}`;
      keepSecret({ webhook, secretKey, cause: 'created', warnings });
      await navigate({ to: `/webhooks/${webhook}`, ignoreBlocker: true, replace: true });
    },
    meta: { changes: ['webhooks'] },
  });
  const formRef = useFocusInvalid(create.error);
  const settings = {
    settings: form.settings,
    set: (change: Partial<WebhookSettings>) => set({ settings: { ...form.settings, ...change } }),
    error: create.error,
  };

  return (
    <form ref={formRef} onSubmit={submitting(() => create.mutate(form))}>
      <LeaveWarning hasChanges={form !== begin} />
      <WebhookInputs
        entity={form.entity}
        draft={form}
        storedReceiver={begin.receiver}
        set={set}
        settings={settings}
        first={
          <EntityInput
            entity={form.entity}
            set={(entity) => {
              if (entity === form.entity) return;
              set({ entity, fields: [], settings: settingsForEntity(entity.type, form.settings) });
            }}
          />
        }
        secret={{
          inputs: (
            <SecretInput
              label="Secret"
              value={form.secretKey}
              set={(secretKey) => set({ secretKey })}
              error={errorsAt(create.error, 'secretKey')}
            />
          ),
          summary: newSecretSummary(form.settings, form.secretKey, generated),
        }}
      >
        {create.isError && (
          <Problem title="The webhook was not created; what you entered is still here" error={create.error} />
        )}
        <Group>
          <Button type="submit" loading={create.isPending}>
            Create webhook
          </Button>
          <Switch
            label="Active from now on"
            {...inputsOf(settings.settings, settings.set, settings.error).check('isActive')}
          />
        </Group>
      </WebhookInputs>
    </form>
  );
}
