import { Anchor, Badge, Group, Text } from '@mantine/core';
import type { EventDetails } from './event-query.ts';
import { Note } from '../../parts/show/fact.tsx';
import { PageLink } from '../../parts/show/links.tsx';
import { StateBadge } from '../../parts/show/state-badge.tsx';
import { RecordsTable } from '../../parts/table/records-table.tsx';

interface VerdictsProps {
  readonly event: EventDetails;
  readonly onExplain: (webhookGUID: string) => void;
}

/** The result of the event for each webhook, in words. */
export function Verdicts({ event: { entityType, verdicts }, onExplain }: VerdictsProps) {
  return (
    <RecordsTable
      label="Verdicts"
      rows={verdicts ?? []}
      keyOf={({ webhookGUID }) => webhookGUID}
      empty={{
        title: 'No webhook was asked',
        description: 'No webhook of this entity existed when the event was matched.',
      }}
      columns={[
        {
          title: 'Webhook',
          cell: ({ webhookID, webhookName }) => (
            <PageLink to={`/webhooks/${entityType}/${webhookID}`}>{webhookName}</PageLink>
          ),
        },
        {
          title: 'Callout',
          cell: ({ callout, getsCallout }) =>
            callout ? (
              <Group gap="xs" wrap="nowrap">
                <PageLink to={`/callouts/${callout.id}`}>{callout.sequenceNumber}</PageLink>
                <StateBadge state={callout.state} />
              </Group>
            ) : (
              <Badge variant="default" tt="none" className="one-line">
                {getsCallout ? 'no longer kept' : 'none'}
              </Badge>
            ),
        },
        {
          title: 'Why',
          cell: ({ message, hasConfigurationChanged }) => (
            <>
              <Text>{message}</Text>
              {hasConfigurationChanged && <Note>The webhook has been changed since then.</Note>}
            </>
          ),
        },
        {
          title: 'More',
          cell: ({ webhookGUID }) => (
            <Anchor component="button" type="button" onClick={() => onExplain(webhookGUID)}>
              Explain
            </Anchor>
          ),
        },
      ]}
    />
  );
}
