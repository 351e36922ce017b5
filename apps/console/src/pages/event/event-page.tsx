import { Alert, Anchor, Badge, Group, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { entityOfType } from '../../api/entities.ts';
import { Fact } from '../../parts/fact.tsx';
import { Page } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { RecordsTable } from '../../parts/records-table.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { Explanation } from './explanation.tsx';
import { eventQuery } from './event-query.ts';

const route = getRouteApi('/events/$eventId');

/** One event: what changed, and the verdict about every webhook, with the rule that decided. */
export default function EventPage() {
  const { eventId } = route.useParams() as { eventId: string };
  const { webhook } = route.useSearch() as { webhook?: string };
  const event = useQuery(eventQuery(eventId));
  if (event.isError) {
    return <Problem title="The event could not be read" error={event.error} retry={() => void event.refetch()} />;
  }
  if (!event.data) return null;
  const { action, entityType = '', recordID, state, changedFields = [], changedUserDefinedFields = [] } = event.data;
  const changed = [...changedFields, ...changedUserDefinedFields];
  return (
    <Page
      title={`${action ?? 'Update'} of ${entityOfType(entityType)?.one ?? entityType} ${recordID ?? ''}`}
      lead={event.data.eventID}
    >
      <Group gap="xl" align="flex-start">
        <Fact label="State">
          <StateBadge state={state} />
        </Fact>
        {event.data.eventTime !== undefined && (
          <Fact label="Changed">
            <Time value={event.data.eventTime} />
          </Fact>
        )}
        <Fact label="Accepted">
          <Time value={event.data.createDateTime} />
        </Fact>
        {event.data.resourceID !== undefined && <Fact label="By resource">{event.data.resourceID}</Fact>}
        <Fact label="Changed fields">
          {changed.length === 0
            ? 'none'
            : changed.map((name) => (
                <Badge key={name} variant="default" tt="none" mr={4}>
                  {name}
                </Badge>
              ))}
        </Fact>
      </Group>
      {state === 'unchanged' && (
        <Alert color="gray" title="Nothing changed">
          The values were already so: no event was made, and no webhook is owed a callout.
        </Alert>
      )}
      {state === 'pending' && (
        <Alert title="Not matched yet">A worker decides in a moment which webhooks are owed a callout.</Alert>
      )}
      <Title order={2}>What came of it</Title>
      <RecordsTable
        label="Verdicts"
        rows={event.data.verdicts ?? []}
        keyOf={({ webhookGUID }) => webhookGUID}
        empty={{ title: 'No webhook was asked', description: 'No webhook of this entity existed at that time.' }}
        columns={[
          {
            title: 'Webhook',
            cell: ({ webhookID }) => (
              <Anchor component={Link} to={`/webhooks/${entityType}/${webhookID}`} size="sm">
                {webhookID}
              </Anchor>
            ),
          },
          {
            title: 'Callout',
            cell: ({ callout }) =>
              callout ? (
                <Group gap="xs">
                  <Anchor component={Link} to={`/callouts/${callout.id}`} size="sm">
                    {callout.sequenceNumber}
                  </Anchor>
                  <StateBadge state={callout.state} />
                </Group>
              ) : (
                <Text size="sm" c="dimmed">
                  none
                </Text>
              ),
          },
          { title: 'Why', cell: ({ message }) => message },
          {
            title: '',
            cell: ({ webhookGUID }) => (
              <Anchor component={Link} to={`/events/${encodeURIComponent(eventId)}?webhook=${webhookGUID}`} size="sm">
                Explain
              </Anchor>
            ),
          },
        ]}
      />
      {webhook !== undefined && <Explanation eventID={eventId} webhookGUID={webhook} />}
    </Page>
  );
}
