import { toWireInstant } from '@callout/domain/values/instant';
import type { EventDetails, ListedEvent, LoggedEvent } from '@callout/history/log/event-log';
import type { LoggedVerdict } from '@callout/history/log/event-verdicts';
import type { UserDefinedFields } from '../events/user-defined-fields.ts';
import { verdictSentence, type JudgedEvent } from './verdict-sentences.ts';

const noCallouts = { made: 0, open: 0, delivered: 0, failed: 0, cancelled: 0, merged: 0 };

/** An event in lists. */
export function listedEventItem(event: ListedEvent) {
  return { ...eventItem(event), callouts: event.callouts ?? noCallouts };
}

function eventItem(event: LoggedEvent) {
  return {
    eventID: publicEventId(event),
    serviceEventID: event.id,
    entityType: event.entityType,
    action: event.action,
    recordID: event.recordId,
    // Callout itself is 0.
    resourceID: event.personId || null,
    eventTime: toWireInstant(event.eventTime),
    createDateTime: event.acceptedAt.toISOString(),
    state: event.isPending ? 'pending' : 'matched',
  };
}

/** The eventID of the caller, else of the service. */
export function publicEventId({ id, eventKey }: LoggedEvent): string {
  return eventKey ?? id;
}

/** An event, and the result for every webhook at the time of the match. */
export function eventDetailsItem(event: EventDetails, udfs: UserDefinedFields) {
  return {
    ...eventItem(event),
    changedFields: event.changedFields,
    changedUserDefinedFields: event.changedUdfs.map((id) => udfName(udfs, id)),
    fields: event.fields,
    userDefinedFields: Object.fromEntries(
      Object.entries(event.udfFields).map(([id, value]) => [udfName(udfs, Number(id)), value]),
    ),
    matchedDateTime: event.matchedAt === null ? null : event.matchedAt.toISOString(),
    verdicts: event.verdicts.map((verdict) => verdictItem(event, verdict)),
  };
}

/** The names of existing definitions; of a deleted definition only the id is known. */
export function udfName(udfs: UserDefinedFields, id: number): string {
  return udfs.all.find((one) => one.id === id)?.name ?? `deleted user-defined field ${id}`;
}

function verdictItem(event: EventDetails, verdict: LoggedVerdict) {
  const { webhookId, webhookGuid, webhookName, rule, version, presentVersion, isDeleted, callout } = verdict;
  return {
    webhookID: webhookId,
    webhookGUID: webhookGuid,
    webhookName,
    getsCallout: rule === 'passed',
    rule,
    message: verdictMessage(event, verdict),
    hasConfigurationChanged: isDeleted || presentVersion !== version,
    callout: callout && calloutOfEvent(callout),
  };
}

/** Sentences: the rule that decided, and for a merged callout the reason. */
export function verdictMessage(event: JudgedEvent, { rule, callout }: LoggedVerdict): string {
  const sentence = verdictSentence(rule, event);
  return callout?.merge ? `${sentence} ${callout.merge.message}` : sentence;
}

export function calloutOfEvent({ id, sequenceNumber, state, merge }: NonNullable<LoggedVerdict['callout']>) {
  return { id, sequenceNumber, state, mergedInto: merge?.into ?? null };
}
