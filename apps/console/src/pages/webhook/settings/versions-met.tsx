import { Alert, Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Entity } from '../../../api/entities.ts';
import type { ReceiverDraft } from '../../../parts/receiver-form/receiver-draft.ts';
import { ResourceName } from '../../../parts/show/resource-name.tsx';
import { RecordsTable } from '../../../parts/table/records-table.tsx';
import { fieldChoicesQuery } from '../../../parts/webhook-form/field-choices-query.ts';
import { receiverSummary } from '../../../parts/webhook-form/summaries.ts';
import type { WebhookSettings } from '../../../parts/webhook-form/webhook-draft.ts';
import type { Meeting, PartValue } from './meetings.ts';

interface VersionsMetProps {
  readonly entity: Entity;
  readonly meetings: readonly Meeting[];
  /** Drops the edit of one part. */
  readonly takeTheirs: (part: Meeting['part']) => void;
}

/** What others have changed while a webhook was edited, beside what is about to be saved. */
export function VersionsMet({ entity, meetings, takeTheirs }: VersionsMetProps) {
  return (
    <Alert
      color="orange"
      title="This webhook was changed while you were editing it"
      role="alert"
      tabIndex={-1}
      data-is-problem
    >
      <Stack gap="xs">
        <Text>
          {meetings.length === 0
            ? 'It was something that is not part of these settings, such as its secret. Your changes are still here: save them again.'
            : 'Your changes are still here. Where both have changed something, saving again replaces theirs, unless you use it.'}
        </Text>
        {meetings.length > 0 && (
          <RecordsTable
            label="Changes of others"
            rows={meetings}
            keyOf={({ part }) => JSON.stringify(part)}
            columns={[
              { title: 'Setting', cell: ({ part }) => <PartName entity={entity} part={part} /> },
              { title: 'Was', cell: ({ part, was }) => textOf(part, was) },
              { title: 'Now', cell: ({ part, theirs }) => textOf(part, theirs) },
              { title: 'Yours', cell: ({ part, mine }) => (mine === undefined ? 'as it is now' : textOf(part, mine)) },
              {
                title: 'Choose',
                cell: ({ part, mine }) =>
                  mine !== undefined && (
                    <Button size="xs" variant="default" onClick={() => takeTheirs(part)}>
                      Use theirs
                    </Button>
                  ),
              },
            ]}
            empty={{ title: '', description: '' }}
          />
        )}
      </Stack>
    </Alert>
  );
}

const names: Readonly<Record<keyof WebhookSettings, string>> = {
  name: 'Name',
  webhookUrl: 'URL',
  deactivationUrl: 'Deactivation URL',
  isActive: 'Active',
  isSubscribedToCreateEvents: 'Created records',
  isSubscribedToUpdateEvents: 'Changed fields',
  isSubscribedToDeleteEvents: 'Deleted records',
  notificationEmailAddress: 'Mail also to',
  sendThresholdExceededNotification: 'Mail about thresholds',
  includePreviousValues: 'Previous values',
  payloadFormat: 'Format',
  signatureKind: 'Signature',
  alertFormat: 'Who reads them',
  alertRoutingKey: 'Integration key',
  condition: 'Condition',
  mergeWhileWaiting: 'Merge while waiting',
  maxCallsPerSecond: 'Calls per second',
  maxConcurrentCalls: 'Calls at once',
};

function PartName({ entity, part }: { readonly entity: Entity; readonly part: Meeting['part'] }) {
  const choices = useQuery({ ...fieldChoicesQuery(entity), enabled: part.kind === 'field' });
  if (part.kind === 'setting') return names[part.key];
  if (part.kind === 'receiver') return 'Authentication and headers';
  if (part.kind === 'field') return `Field ${choices.data?.find(({ key }) => key === part.key)?.label ?? part.key}`;
  return (
    <>
      Exclusion of <ResourceName id={part.resourceID} />
    </>
  );
}

function textOf({ kind }: Meeting['part'], value: PartValue): string {
  if (kind === 'receiver') return receiverSummary(JSON.parse(String(value)) as ReceiverDraft).summary;
  if (value === null || value === '') return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return value.toLocaleString();
}
