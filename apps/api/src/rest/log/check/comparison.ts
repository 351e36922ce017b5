import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { toWireInstant } from '@callout/domain/values/instant';
import type { ReplayedEvent } from '@callout/history/log/newest-events';
import type { JudgedWebhook } from '@callout/history/log/simulation';
import { judgeEvent, type CompiledSubscription } from '@callout/pipeline/match/match.rules';
import type { EventOutcome } from './event-outcome.ts';
import { calloutBodyOf, type AskedEvent } from './outcome-of.ts';

/** A webhook before and after a change. */
interface Compared {
  readonly before: CompiledSubscription;
  readonly after: CompiledSubscription;
}

interface Result {
  /** The newest event whose callout the change alters most; undefined: no event makes a callout. */
  readonly shown: ReplayedEvent | undefined;
  readonly comparison: NonNullable<EventOutcome['comparison']>;
}

/** Judges events in turn, newest first, and keeps the values of a single event. */
export interface ComparisonInMaking {
  add(event: ReplayedEvent): void;
  result(): Result;
}

/** Judges events by the present and the changed webhook, with the functions that match events and make bodies. */
export function comparing(
  webhook: Pick<JudgedWebhook, 'nextSequenceNumber'>,
  { before, after }: Compared,
  entity: EntityDefinition,
): ComparisonInMaking {
  const bodyBy = (event: ReplayedEvent, subscription: CompiledSubscription) =>
    calloutBodyOf(askedOf(event, null), { ...webhook, subscription }, entity);
  const counts = { events: 0, calloutsBefore: 0, calloutsAfter: 0 };
  const changes: Result['comparison']['changes'] = [];
  let shown: { readonly rank: number; readonly event: ReplayedEvent; readonly bodyBefore: string | null } | undefined;
  return {
    add(event) {
      const judged = { before: judgeEvent(event, before), after: judgeEvent(event, after) };
      const [getsCalloutBefore, getsCalloutAfter] = [judged.before.getsCallout, judged.after.getsCallout];
      counts.events += 1;
      counts.calloutsBefore += Number(getsCalloutBefore);
      counts.calloutsAfter += Number(getsCalloutAfter);
      if (getsCalloutBefore !== getsCalloutAfter) {
        changes.push({
          eventID: event.eventKey ?? event.id,
          action: event.action,
          recordID: event.recordId,
          eventTime: toWireInstant(event.eventTime),
          getsCalloutBefore,
          ruleBefore: judged.before.rule,
          getsCalloutAfter,
          ruleAfter: judged.after.rule,
        });
      }
      // Bodies are made only while a better example may come.
      if ((shown?.rank ?? 0) >= rankOf(getsCalloutBefore, getsCalloutAfter, true)) return;
      const bodyBefore = getsCalloutBefore ? bodyBy(event, before) : null;
      const differs = getsCalloutBefore && getsCalloutAfter && bodyBefore !== bodyBy(event, after);
      const rank = rankOf(getsCalloutBefore, getsCalloutAfter, differs);
      if (rank > (shown?.rank ?? 0)) shown = { rank, event, bodyBefore };
    },
    result: () => ({
      shown: shown?.event,
      comparison: { ...counts, changes, bodyBefore: shown?.bodyBefore ?? null },
    }),
  };
}

/** A stored event of a question. */
export function askedOf(event: ReplayedEvent, personEmail: string | null): AskedEvent {
  return { ...event, eventID: event.eventKey ?? event.id, personEmail };
}

/** How much a payload shows, in this order: altered by the change, unaltered, made on a single side, absent. */
function rankOf(getsCalloutBefore: boolean, getsCalloutAfter: boolean, differs: boolean): number {
  if (getsCalloutBefore && getsCalloutAfter) return differs ? 3 : 2;
  return getsCalloutBefore || getsCalloutAfter ? 1 : 0;
}
