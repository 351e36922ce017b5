import { Anchor, Badge, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { RecordsTable } from '../../parts/table/records-table.tsx';
import { StateBadge } from '../../parts/show/state-badge.tsx';
import type { EventDetails } from './event-query.ts';
import type { WebhookName } from '../../parts/webhook-form/webhook-names-query.ts';

interface VerdictsProps {
  readonly event: EventDetails;
  readonly webhooks: readonly WebhookName[];
  readonly onExplain: (webhookGUID: string) => void;
}

/** The result of the event for each webhook, in words. */
export function Verdicts({ event: { entityType, verdicts }, webhooks, onExplain }: VerdictsProps) {
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
          cell: ({ webhookID, webhookGUID }) => (
            <Anchor component={Link} to={`/webhooks/${entityType}/${webhookID}`} size="sm">
              {webhooks.find((one) => one.webhookGUID === webhookGUID)?.name ?? `Webhook ${webhookID}`}
            </Anchor>
          ),
        },
        {
          title: 'Callout',
          cell: ({ callout, owed }) =>
            callout ? (
              <Group gap="xs" wrap="nowrap">
                <Anchor component={Link} to={`/callouts/${callout.id}`} size="sm">
                  {callout.sequenceNumber}
                </Anchor>
                <StateBadge state={callout.state} />
              </Group>
            ) : (
              <Badge variant="default" tt="none" className="one-line">
                {owed ? 'no longer kept' : 'none owed'}
              </Badge>
            ),
        },
        {
          title: 'Why',
          cell: ({ message, hasConfigurationChanged }) => (
            <>
              <Text size="sm">{message}</Text>
              {hasConfigurationChanged && (
                <Text size="xs" c="dimmed">
                  The webhook has been changed since then.
                </Text>
              )}
            </>
          ),
        },
        {
          title: 'More',
          cell: ({ webhookGUID }) => (
            <Anchor component="button" type="button" size="sm" onClick={() => onExplain(webhookGUID)}>
              Explain
            </Anchor>
          ),
        },
      ]}
    />
  );
}
