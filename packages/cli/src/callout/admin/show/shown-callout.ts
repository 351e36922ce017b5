import type { calloutDetailsItem, calloutItem } from '@callout/db/log';
import { redactedHeaders, redactedUrl } from './redacted.ts';
import { pairs, table } from '../../show/show.ts';

type Listed = ReturnType<typeof calloutItem>;
type Detailed = ReturnType<typeof calloutDetailsItem>;

const columns = ['made', 'id', 'webhook', 'number', 'action', 'recordID', 'state', 'attempts', 'waitsFor'];

/** Callouts as a table; `nameOf` names the webhook of one. */
export function calloutTable(items: readonly Listed[], nameOf: (item: Listed) => string, most?: number): string {
  const rows = items.map((item) => ({
    made: item.createDateTime,
    id: item.id,
    webhook: nameOf(item),
    number: item.sequenceNumber,
    action: item.kind === 'test' ? 'test' : item.action,
    recordID: item.recordID,
    state: item.state,
    attempts: item.attemptsMade,
    waitsFor: item.waitsFor?.reason,
  }));
  return table(rows, columns, 'There are no such callouts.', most);
}

/** A callout with both sides of every attempt, without signatures and other secrets. */
export function withoutSecrets<Item extends Detailed>(item: Item): Item {
  const attempts = item.attempts.map((attempt) => ({
    ...attempt,
    url: redactedUrl(attempt.url),
    requestHeaders: redactedHeaders(attempt.requestHeaders),
    responseHeaders: redactedHeaders(attempt.responseHeaders),
  }));
  return { ...item, attempts };
}

/** The same for people. */
export function calloutText(
  { attempts, pauses, body, waitsFor, cancelledBecause, ...item }: Detailed,
  webhook: string,
): string {
  const head = pairs({ webhook, ...item, waitsFor: waitsFor?.message, cancelledBecause: cancelledBecause?.message });
  const exchanges = attempts.map((attempt) =>
    [
      `Attempt ${attempt.number}, ${attempt.startDateTime}, ${attempt.durationMs} ms`,
      `  POST ${attempt.url}`,
      ...headerLines(attempt.requestHeaders),
      attempt.status === null ? '  no answer' : `  answered ${attempt.status}`,
      ...headerLines(attempt.responseHeaders ?? {}),
      ...(attempt.responseBody === null ? [] : [indented(attempt.responseBody)]),
      ...(attempt.failure === null ? [] : [`  ${attempt.failure}`]),
      ...(attempt.note === null ? [] : [`  ${attempt.note}`]),
      ...(attempt.nextAttemptDateTime === null ? [] : [`  The next attempt: ${attempt.nextAttemptDateTime}`]),
    ].join('\n'),
  );
  const pauseLines = pauses.map(({ changeDateTime, message }) => `${changeDateTime}  ${message}`);
  return [
    head,
    `Body:\n${indented(body)}`,
    ...(exchanges.length > 0 ? exchanges : ['No attempt was made yet.']),
    ...(pauseLines.length > 0 ? [`Pauses of its receiver:\n${pauseLines.join('\n')}`] : []),
  ].join('\n\n');
}

function headerLines(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).map(([name, value]) => `    ${name}: ${value}`);
}

/** Line by line, without what a receiver could steer the terminal with. */
function indented(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => `    ${line.replaceAll(/\p{Cc}/gu, '·')}`)
    .join('\n');
}
