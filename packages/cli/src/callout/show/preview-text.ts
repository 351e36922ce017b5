import type { Schemas } from '@callout/client';

/** What a webhook, new or changed, would make of the newest events: counts, the events that differ, and bodies. */
export function previewText({ webhookID, eventID, comparison, request, message }: Schemas['EventOutcome']): string {
  if (comparison === null) return message;
  const { events, calloutsBefore, calloutsAfter, changes, bodyBefore } = comparison;
  const isNew = webhookID === null;
  const counts = isNew
    ? `${calloutsAfter} would make a callout. Nothing is created.`
    : `${calloutsBefore} make a callout now, and ${calloutsAfter} would after the change. Nothing is changed.`;
  const shown = `The callout of ${eventID ?? 'a sample record'}`;
  const after = request?.body ?? '-';
  return [
    `Of the last ${events} events, ${counts}`,
    ...changes.map(({ eventID: id, recordID, getsCalloutAfter: getsCallout, ruleAfter, ruleBefore }) => {
      const line = `${getsCallout ? '+' : '-'} ${id} of record ${recordID}`;
      return isNew ? line : `${line} (${getsCallout ? `now: ${ruleBefore}` : ruleAfter})`;
    }),
    ...(isNew || eventID === null ? [`${shown}:`, after] : [`${shown} now and after:`, bodyBefore ?? '-', after]),
  ].join('\n');
}
