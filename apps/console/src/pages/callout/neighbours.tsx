import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { entities, entityOfType } from '../../api/entities.ts';
import { type CalloutDetails, neighboursQuery } from './callout-query.ts';
import { PageLink } from '../../parts/show/links.tsx';

interface NeighboursProps {
  readonly callout: CalloutDetails;
  /** Whether the address of the page names the webhook: the addresses of the neighbours then do, too. */
  readonly isBelowWebhook: boolean;
}

/** Leads to the callouts of the record before and after, in the order of delivery. */
export function Neighbours({ callout, isBelowWebhook }: NeighboursProps) {
  const { entityType, webhookID, recordID } = callout;
  const entity = entityOfType(entityType);
  const { data } = useQuery(neighboursQuery(entity ?? entities[0], callout));
  if (recordID === null || data === undefined) return null;
  const addressOf = (id: string) =>
    isBelowWebhook ? `/webhooks/${entityType}/${webhookID}/callouts/${id}` : `/callouts/${id}`;
  return (
    <Group
      component="nav"
      gap="xl"
      aria-label={`Callouts of ${entity?.one ?? entityType} ${recordID}`}
      className="no-print"
    >
      {data.previous === null ? (
        <Text c="dimmed">
          The first of {entity?.one ?? entityType} {recordID}
        </Text>
      ) : (
        <PageLink to={addressOf(data.previous.id)}>
          ← Before it: {data.previous.sequenceNumber}, {data.previous.state}
        </PageLink>
      )}
      {data.next && (
        <PageLink to={addressOf(data.next.id)}>
          After it: {data.next.sequenceNumber}, {data.next.state} →
        </PageLink>
      )}
    </Group>
  );
}
