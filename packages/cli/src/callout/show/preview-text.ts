import type { Schemas } from '@callout/client';

/** What a webhook, new or changed, would make of the newest events: counts, the events that differ, and bodies. */
export function previewText({ webhookID, eventID, comparison, request, message }: Schemas['EventOutcome']): string {
  if (comparison === null) return message;
  const { events, owedBefore, owedAfter, changes, bodyBefore } = comparison;
  const isNew = webhookID === null;
  const counts = isNew
    ? `${owedAfter} would make a callout. Nothing is created.`
    : `${owedBefore} make a callout now, and ${owedAfter} would after the change. Nothing is changed.`;
  const shown = `The callout of ${eventID ?? 'a sample record'}`;
  const after = request?.body ?? '-';
  return [
    `Of the last ${events} events, ${counts}`,
    ...changes.map(({ eventID: id, recordID, owedAfter: isOwed, ruleAfter, ruleBefore }) => {
      const line = `${isOwed ? '+' : '-'} ${id} of record ${recordID}`;
      return isNew ? line : `${line} (${isOwed ? `now: ${ruleBefore}` : ruleAfter})`;
    }),
    ...(isNew || eventID === null ? [`${shown}:`, after] : [`${shown} now and after:`, bodyBefore ?? '-', after]),
  ].join('\n');
}
