import { Anchor, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { entityOfType } from '../../api/entities.ts';
import { sessionQuery } from '../../api/session.ts';
import { Fact } from '../../parts/show/fact.tsx';
import { StateBadge, stateOfCallout } from '../../parts/show/state-badge.tsx';
import { Time } from '../../parts/show/time.tsx';
import type { CalloutDetails } from './callout-query.ts';

/** What a callout is about, at a glance. */
export function CalloutFacts({ callout }: { readonly callout: CalloutDetails }) {
  const { id, entityType, recordID, eventID, action, createDateTime, finishedDateTime, nextAttemptDateTime } = callout;
  // A portal shows no events.
  const session = useQuery(sessionQuery);
  return (
    <Group className="facts">
      <Fact label="State">
        <StateBadge state={stateOfCallout(callout)} />
      </Fact>
      <Fact label="Action">
        {recordID === null ? action : `${action} of ${entityOfType(entityType)?.one ?? entityType} ${recordID}`}
      </Fact>
      <Fact label="Created">
        <Time value={createDateTime} />
      </Fact>
      {finishedDateTime !== null && (
        <Fact label="Ended">
          <Time value={finishedDateTime} />
        </Fact>
      )}
      {nextAttemptDateTime !== null && (
        <Fact label="Next attempt">
          <Time value={nextAttemptDateTime} />
        </Fact>
      )}
      {eventID !== null && session.data?.isPortal === false && (
        <Fact label="Event">
          <Anchor component={Link} to={`/events/${encodeURIComponent(eventID)}`} size="sm">
            {eventID}
          </Anchor>
        </Fact>
      )}
      <Fact label="webhook-id">{id}</Fact>
    </Group>
  );
}
