import { Alert, Button, Checkbox, Group, MultiSelect, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { entities, type Entity } from '../../api/entities.ts';
import { errorsAt } from '../../parts/field-errors.ts';
import { generateSecret } from '../../parts/generate-secret.ts';
import { Copy } from '../../parts/copy.tsx';
import { Page } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { fieldChoicesQuery, type FieldChoice } from './field-choices-query.ts';
import { createWebhook, type NewWebhook } from './new-webhook.ts';

const [first] = entities;

const empty: NewWebhook = {
  entity: first,
  name: '',
  webhookUrl: '',
  deactivationUrl: '',
  secretKey: '',
  isSubscribedToCreateEvents: true,
  isSubscribedToUpdateEvents: true,
  isSubscribedToDeleteEvents: true,
  notificationEmailAddress: '',
  sendThresholdExceededNotification: false,
  subscribed: [],
  displayed: [],
  isActive: true,
};

/** Makes a webhook in a minute. What the API refuses stands at its input, in the words of the API. */
export default function NewWebhookPage() {
  const [form, setForm] = useState<NewWebhook>(empty);
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const create = useMutation({
    mutationFn: createWebhook,
    onSuccess: async (id, { entity }) => {
      await queryClient.invalidateQueries({ queryKey: ['webhooks'] });
      await navigate({ to: `/webhooks/${entity.type}/${id}` });
    },
  });
  const set = (change: Partial<NewWebhook>) => setForm((before) => ({ ...before, ...change }));
  const text = (key: 'name' | 'webhookUrl' | 'deactivationUrl' | 'notificationEmailAddress' | 'secretKey') => ({
    value: form[key],
    error: errorsAt(create.error, key),
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      set({ [key]: event.currentTarget.value }),
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    create.mutate(form);
  }

  return (
    <Page title="New webhook" lead="It tells your program when records change.">
      <form onSubmit={submit}>
        <Stack maw={640}>
          {create.isError && <Problem title="The webhook was not made" error={create.error} />}
          <div>
            <Text size="sm" fw={500} id="entity">
              Records
            </Text>
            <SegmentedControl
              aria-labelledby="entity"
              value={form.entity.type}
              onChange={(type) =>
                set({ entity: entities.find((one) => one.type === type) ?? first, subscribed: [], displayed: [] })
              }
              data={entities.map(({ type, label }) => ({ value: type, label }))}
            />
          </div>
          <TextInput label="Name" required maxLength={50} {...text('name')} />
          <TextInput
            label="URL"
            description="Where callouts are posted"
            required
            type="url"
            maxLength={500}
            {...text('webhookUrl')}
          />
          <TextInput
            label="Deactivation URL"
            description="Is told when the webhook becomes inactive or is deleted"
            required
            type="url"
            maxLength={500}
            {...text('deactivationUrl')}
          />
          <Group align="flex-end">
            <TextInput
              flex={1}
              label="Secret"
              description="Signs every callout. It is not shown again: copy it into your receiver"
              required
              maxLength={64}
              {...text('secretKey')}
            />
            <Button variant="default" onClick={() => set({ secretKey: generateSecret() })}>
              Generate
            </Button>
          </Group>
          {form.secretKey !== '' && (
            <div>
              <Copy value={form.secretKey} label="Copy the secret" />
            </div>
          )}
          <Checkbox.Group label="Tell of" value={actionsOf(form)} onChange={(actions) => set(subscriptionsOf(actions))}>
            <Group mt={4}>
              <Checkbox value="Create" label="created records" />
              <Checkbox value="Update" label="changed fields" />
              <Checkbox value="Delete" label="deleted records" />
            </Group>
          </Checkbox.Group>
          <FieldInputs entity={form.entity} form={form} set={set} error={create.error} />
          <TextInput
            label="Mail also to"
            description="Beside the owner, when something is wrong"
            type="email"
            maxLength={150}
            {...text('notificationEmailAddress')}
          />
          <Checkbox
            label="Mail when the hourly threshold holds callouts back"
            checked={form.sendThresholdExceededNotification}
            onChange={(event) => set({ sendThresholdExceededNotification: event.currentTarget.checked })}
          />
          <Checkbox
            label="Active from now on"
            checked={form.isActive}
            onChange={(event) => set({ isActive: event.currentTarget.checked })}
          />
          <Group>
            <Button type="submit" loading={create.isPending}>
              Make the webhook
            </Button>
          </Group>
        </Stack>
      </form>
    </Page>
  );
}

interface FieldInputsProps {
  readonly entity: Entity;
  readonly form: NewWebhook;
  readonly set: (change: Partial<NewWebhook>) => void;
  readonly error: unknown;
}

function FieldInputs({ entity, form, set, error }: FieldInputsProps) {
  const choices = useQuery(fieldChoicesQuery(entity));
  const all = choices.data ?? [];
  const data = all.map(({ value, label }) => ({ value, label }));
  const chosen = (values: readonly string[]): FieldChoice[] => all.filter(({ value }) => values.includes(value));
  const common = { data, searchable: true, clearable: true, limit: 200, nothingFoundMessage: 'No field has this name' };
  if (choices.isError) {
    return <Problem title="The fields could not be read" error={choices.error} retry={() => void choices.refetch()} />;
  }
  return (
    <>
      <MultiSelect
        {...common}
        label="Fields that matter"
        description="A change of one of them makes a callout. Search by name or label."
        value={form.subscribed.map(({ value }) => value)}
        onChange={(values) => set({ subscribed: chosen(values) })}
        error={errorsAt(error, 'fields') ?? errorsAt(error, 'udfFields')}
      />
      <MultiSelect
        {...common}
        label="Fields that always come along"
        description="Their values are in every callout, changed or not."
        value={form.displayed.map(({ value }) => value)}
        onChange={(values) => set({ displayed: chosen(values) })}
      />
      {form.isSubscribedToUpdateEvents && form.subscribed.length === 0 && (
        <Alert color="yellow">No field matters yet, so changed records make no callout. Choose at least one.</Alert>
      )}
    </>
  );
}

function actionsOf(form: NewWebhook): string[] {
  return [
    ...(form.isSubscribedToCreateEvents ? ['Create'] : []),
    ...(form.isSubscribedToUpdateEvents ? ['Update'] : []),
    ...(form.isSubscribedToDeleteEvents ? ['Delete'] : []),
  ];
}

function subscriptionsOf(actions: readonly string[]): Partial<NewWebhook> {
  return {
    isSubscribedToCreateEvents: actions.includes('Create'),
    isSubscribedToUpdateEvents: actions.includes('Update'),
    isSubscribedToDeleteEvents: actions.includes('Delete'),
  };
}
