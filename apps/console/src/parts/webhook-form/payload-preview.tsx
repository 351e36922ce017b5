import { Alert, Paper, SegmentedControl, Stack, Tabs, useMatches } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Entity } from '../../api/entities.ts';
import type { ReceiverDraft } from '../receiver-form/receiver-draft.ts';
import { BodyView } from '../show/body-view.tsx';
import { HeadersTable } from '../show/headers-table.tsx';
import { problemOf } from '../problem.tsx';
import { Reading } from '../reading.tsx';
import { Section } from '../section.tsx';
import { sampleActions, simulationQuery, type SampleAction } from './simulation-query.ts';
import type { WebhookDraft } from './webhook-draft.ts';

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
  const [settled] = useDebouncedValue({ draft, receiver }, 300);
  // Side by side they are wider than a telephone.
  const orientation = useMatches<'vertical' | 'horizontal'>({ base: 'vertical', sm: 'horizontal' });
  const { data, error } = useQuery(simulationQuery(entity, settled.draft, settled.receiver, action));
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
      {data && !data.owed && (
        <Alert color="yellow" title="No callout is sent">
          {data.message}
        </Alert>
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
