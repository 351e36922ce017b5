import { Group } from '@mantine/core';
import { useMember } from '../../api/session.ts';
import type { CalloutDetails } from './callout-query.ts';
import { Fact } from '../../parts/show/fact.tsx';
import { PageLink } from '../../parts/show/links.tsx';
import { RecordName } from '../../parts/show/record-name.tsx';
import { StateBadge, stateOfCallout } from '../../parts/show/state-badge.tsx';
import { Time } from '../../parts/show/time.tsx';

/** What a callout is about, at a glance. */
export function CalloutFacts({ callout }: { readonly callout: CalloutDetails }) {
  const { id, entityType, recordID, eventID, action, createDateTime, finishedDateTime, nextAttemptDateTime, replayed } =
    callout;
  // A portal shows no events.
  const hasEvents = useMember()?.isPortal === false;
  return (
    <Group className="facts">
      <Fact label="State">
        <StateBadge state={stateOfCallout(callout)} />
      </Fact>
      <Fact label="Action">
        {recordID === null ? (
          action
        ) : (
          <>
            {action} of <RecordName entityType={entityType} recordID={recordID} />
          </>
        )}
      </Fact>
      <Fact label="Created">
        <Time value={createDateTime} />
      </Fact>
      {replayed && <Fact label="Reason">on request: the webhook was inactive when the change was made</Fact>}
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
      {eventID !== null && hasEvents && (
        <Fact label="Event">
          <PageLink to={`/events/${encodeURIComponent(eventID)}`}>{eventID}</PageLink>
        </Fact>
      )}
      <Fact label="webhook-id">{id}</Fact>
    </Group>
  );
}
