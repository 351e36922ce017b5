import { Alert, Group, Select, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { entityOfType } from '../../api/entities.ts';
import { type EventDetails, eventQuery } from './event-query.ts';
import { Explanation } from './explanation.tsx';
import { Values } from './values.tsx';
import { Verdicts } from './verdicts.tsx';
import { textIn, useSearchFilter } from '../../parts/filter/search-filter.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Fact } from '../../parts/show/fact.tsx';
import { PageLink, webhookNamesQuery } from '../../parts/show/links.tsx';
import { ResourceName } from '../../parts/show/resource-name.tsx';
import { StateBadge } from '../../parts/show/state-badge.tsx';
import { Time } from '../../parts/show/time.tsx';

const route = getRouteApi('/events/$eventId');

/** An event: the values, what changed, and the verdict about every webhook, with the deciding rule. */
export default function EventPage() {
  const { eventId } = route.useParams() as { eventId: string };
  return (
    <Loaded query={useQuery(eventQuery(eventId))} label="the event">
      {(event) => <EventOf event={event} eventID={eventId} />}
    </Loaded>
  );
}

function EventOf({ event, eventID }: { readonly event: EventDetails; readonly eventID: string }) {
  const { action, entityType, recordID, state } = event;
  const webhooks = useQuery(webhookNamesQuery(entityType)).data ?? [];
  const [{ webhook }, setFilter] = useSearchFilter((search) => ({ webhook: textIn(search['webhook']) }));
  const entity = entityType === undefined ? undefined : entityOfType(entityType);
  if (state === 'unchanged') {
    return (
      <Page title="An update that changed nothing" lead={event.eventID}>
        <Alert color="gray" title="No event was made">
          The values were already so, so no webhook gets a callout. It was accepted at{' '}
          <Time value={event.createDateTime} />.
        </Alert>
      </Page>
    );
  }
  return (
    <Page title={`${action} of ${entity?.one ?? entityType} ${recordID}`} lead={event.eventID}>
      <Group className="facts">
        <Fact label="State">
          <StateBadge state={state} />
        </Fact>
        {event.eventTime !== undefined && (
          <Fact label="Changed">
            <Time value={event.eventTime} />
          </Fact>
        )}
        <Fact label="Accepted">
          <Time value={event.createDateTime} />
        </Fact>
        {event.resourceID != null && (
          <Fact label="By resource">
            <ResourceName id={event.resourceID} />
          </Fact>
        )}
        <Fact label="Of the same record">
          <PageLink to="/events" search={{ entityType, recordID }}>
            All events of {entity?.one ?? entityType} {recordID}
          </PageLink>
        </Fact>
      </Group>
      <Title order={2}>Result</Title>
      {state === 'pending' ? (
        <Alert title="Not matched yet">A worker decides in a moment which webhooks get a callout.</Alert>
      ) : (
        <Stack>
          <Verdicts event={event} onExplain={(guid) => setFilter({ webhook: guid })} />
          <Select
            className="no-print"
            label="Explain for"
            placeholder="A webhook"
            searchable
            clearable
            maw={360}
            limit={50}
            data={webhooks.map(({ webhookGUID, name, webhookID }) => ({
              value: webhookGUID,
              label: `${name} (${webhookID})`,
            }))}
            value={webhook ?? null}
            onChange={(guid) => setFilter({ webhook: guid })}
          />
          {webhook !== undefined && (
            <Explanation
              eventID={eventID}
              webhookGUID={webhook}
              name={event.verdicts?.find((one) => one.webhookGUID === webhook)?.webhookName}
            />
          )}
        </Stack>
      )}
      <Title order={2}>Values</Title>
      <Values event={event} />
    </Page>
  );
}
