import { Alert, Paper, SegmentedControl, Stack, Tabs, Text, useMatches } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '@callout/client';
import { settingsOf, type SettingValues } from '@callout/webhooks/settings/settings';
import { api } from '../../api/client.ts';
import { type Entity, pathOf } from '../../api/entities.ts';
import { problemOf, Reading } from '../loaded.tsx';
import { Section } from '../page.tsx';
import type { ReceiverDraft } from '../receiver-form/receiver-draft.ts';
import { BodyView, HeadersTable } from '../show/code.tsx';
import type { WebhookSettings } from '../settings-form/form-settings.ts';
import { createBody, type WebhookDraft } from './webhook-draft.ts';

interface PayloadPreviewProps {
  readonly entity: Entity;
  readonly draft: WebhookDraft;
  readonly receiver: ReceiverDraft;
}

const labels: Readonly<Record<SampleAction, string>> = {
  Create: 'Record created',
  Update: 'Fields changed',
  Delete: 'Record deleted',
};

/** The very request that the draft would cause, made by the API with sample values, before anything is saved. */
export function PayloadPreview({ entity, draft, receiver }: PayloadPreviewProps) {
  const [action, setAction] = useState<SampleAction>('Update');
  const [settled] = useDebouncedValue(draft, 300);
  const [settledReceiver] = useDebouncedValue(receiver, 300);
  // Side by side they are wider than a telephone.
  const orientation = useMatches<'vertical' | 'horizontal'>({ base: 'vertical', sm: 'horizontal' });
  const { data, error } = useQuery(simulationQuery(entity, settled, settledReceiver, action));
  if (data === null) return null;
  return (
    <Section title="What your receiver gets" lead="The real request for a sample record. Nothing is sent.">
      <SegmentedControl
        aria-label="Sample event"
        orientation={orientation}
        value={action}
        onChange={setAction}
        data={sampleActions.map((value) => ({ value, label: labels[value] }))}
        style={{ alignSelf: 'flex-start' }}
      />
      {error && (
        <Alert color="yellow" title="There is nothing to show yet">
          {problemOf(error)}
        </Alert>
      )}
      {data === undefined && !error && <Reading label="the sample" />}
      {data && !data.getsCallout && draft.fields.length > 0 && (
        <Alert color="yellow" title="No callout is sent">
          {data.message}
        </Alert>
      )}
      {data && !data.getsCallout && draft.fields.length === 0 && (
        <Text>Add a field to see the request: a webhook without fields gets no callouts.</Text>
      )}
      {data?.request && (
        <Paper withBorder p="md">
          <Tabs defaultValue="body" keepMounted={false}>
            <Tabs.List>
              <Tabs.Tab value="body">Body</Tabs.Tab>
              <Tabs.Tab value="headers">Headers</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="body" pt="sm">
              <BodyView text={data.request.body} label="Sample body" />
            </Tabs.Panel>
            <Tabs.Panel value="headers" pt="sm">
              <Stack>
                <HeadersTable headers={data.request.headers} />
              </Stack>
            </Tabs.Panel>
          </Tabs>
        </Paper>
      )}
    </Section>
  );
}

export const sampleActions = ['Create', 'Update', 'Delete'] as const;
export type SampleAction = (typeof sampleActions)[number];

/** What an event of a sample record would make of the draft; null: the session may not ask. */
export function simulationQuery(entity: Entity, draft: WebhookDraft, receiver: ReceiverDraft, action: SampleAction) {
  const { fields, udfFields } = createBody(draft);
  const body = {
    webhook: {
      ...sampledOf(entity.type, draft.settings),
      ...namesOf(receiver),
      fields,
      ...(udfFields && { udfFields }),
    },
    event: { action },
  };
  return queryOptions({
    queryKey: ['simulate', entity.type, body],
    placeholderData: keepPreviousData,
    queryFn: async () => {
      try {
        const path = pathOf(entity.collection, '/v1.0/CompanyWebhooks/simulate');
        return (await api.POST(path, { body: body as never })).data.item;
      } catch (error) {
        // A portal for one webhook creates none.
        if (error instanceof ApiError && error.status === 403) return null;
        throw error;
      }
    },
  });
}

/** The names of the headers that its calls carry beside the signature. Their values are secrets, and a sample needs none. */
function namesOf({ auth, headers }: ReceiverDraft) {
  const isAuthorized = auth.kind === 'basic' || auth.kind === 'bearer' || auth.kind === 'oauth2';
  return {
    requestHeaders: headers.flatMap(({ name }) => (name.trim() === '' ? [] : [{ name, value: 'unseen' }])),
    // Which of these kinds it is does not show in a header.
    receiverAuth: isAuthorized ? { kind: 'bearer', token: 'unseen' } : { kind: 'none' },
  };
}

/** The settings with an effect on the request. A secret is replaced: PagerDuty needs a key, which the sample does not show. */
function sampledOf(entityType: string, settings: WebhookSettings) {
  const sampled = settingsOf(entityType).filter(
    ({ key, readBy, form }) =>
      readBy.includes('payload') || form.section === 'subscriptions' || key === 'signatureKind',
  );
  const values = settings as SettingValues;
  const shown = sampled.filter(({ isSecret, form }) => isSecret !== true || form.isShown?.(values) === true);
  return Object.fromEntries(shown.map(({ key, isSecret }) => [key, isSecret === true ? 'unseen' : values[key]]));
}
