import type { Schemas } from '@callout/client';
import { printable, printableLines } from '../../printable.ts';
import { redactedHeaders, redactedUrl } from './redacted.ts';
import type { Shown } from '../context.ts';
import { hasValue, headOf, isWithin, pairs, table } from './show.ts';

interface Cause {
  readonly cause: { readonly calloutID: string; readonly sequenceNumber: number } | null;
}

/** A callout as the delivery log has it, read from the database or from the API. */
type Listed = Pick<
  Schemas['Callout'],
  'id' | 'sequenceNumber' | 'kind' | 'recordID' | 'state' | 'attemptsMade' | 'createDateTime'
> & { readonly action: string; readonly waitsFor: (Cause & { readonly reason: string }) | null };
type Attempt = Omit<Schemas['CalloutDetails']['attempts'][number], 'failureReason' | 'responseBodyEncoding'>;
type Detailed = Listed & {
  readonly attempts: readonly Attempt[];
  readonly pauses: readonly { readonly changeDateTime: string; readonly message: string }[];
  readonly body: string;
  readonly waitsFor: (Cause & { readonly message: string }) | null;
  readonly cancelledBecause: { readonly message: string } | null;
};

const columns = ['createdUTC', 'id', 'webhook', 'number', 'action', 'recordID', 'state', 'attempts', 'waitsFor'];

/** Columns that a narrow terminal shows while there is space, the most useful first. */
const expendable = ['waitsFor', 'recordID', 'action', 'number', 'attempts'];

/**
 * Callouts as a table, with a single row for all callouts that wait for the same callout; `nameOf` names the webhook of
 * a callout.
 * @param most columns of the terminal: further columns are left out, with a note. Undefined: all are shown.
 */
export function calloutTable<Item extends Listed>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  most?: number,
): Pick<Shown, 'text' | 'note'> {
  // A program that reads the lines gets each callout.
  const groups = most === undefined ? items.map((item): [Item] => [item]) : groupsOf(items);
  const rows = groups.map(([item, ...furtherCallouts]) => ({
    // On a terminal the ids leave no space for more; a cut time would be useless.
    createdUTC: most === undefined ? item.createDateTime : item.createDateTime.slice(5, 19).replace('T', ' '),
    id: item.id,
    webhook: nameOf(item),
    number: item.sequenceNumber,
    action: item.kind === 'test' ? 'test' : item.action,
    recordID: item.recordID,
    state: item.state,
    attempts: item.attemptsMade,
    waitsFor: waitOf(item, furtherCallouts.length),
  }));
  const none = 'There are no such callouts.';
  if (rows.length === 0 || isWithin(rows, columns, most)) return { text: table(rows, columns, none, most) };
  // Commands accept this name, too.
  const short = rows.map((row) => ({ ...row, webhook: row.webhook.replace('Webhooks/', '/') }));
  const withValues = columns.filter((column) => hasValue(short, column));
  let shown = withValues.filter((column) => !expendable.includes(column));
  for (const added of expendable) {
    const wider = withValues.filter((column) => column === added || shown.includes(column));
    if (isWithin(short, wider, most)) shown = wider;
  }
  const hiddenColumns = withValues.filter((column) => !shown.includes(column));
  const text = table(short, shown, none, most);
  if (hiddenColumns.length === 0) return { text };
  return { text, note: `No room for ${hiddenColumns.map(headOf).join(', ')}: see --json.` };
}

/** Callouts grouped by the callout that they wait for, in the order of the first of each group. */
function groupsOf<Item extends Listed>(items: readonly Item[]): [Item, ...Item[]][] {
  const groups = new Map<string, [Item, ...Item[]]>();
  for (const item of items) {
    const key = item.waitsFor?.cause?.calloutID ?? `itself ${item.id}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return [...groups.values()];
}

function waitOf({ waitsFor }: Listed, furtherCallouts: number): string | undefined {
  const cause = waitsFor?.cause ?? null;
  if (cause === null) return waitsFor?.reason;
  return `callout ${cause.sequenceNumber}${furtherCallouts === 0 ? '' : `, as do ${furtherCallouts} more`}`;
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
  const cause = waitsFor?.cause && `callout deliveries show ${waitsFor.cause.calloutID}`;
  const head = pairs({
    webhook,
    ...item,
    waitsFor: waitsFor?.message,
    cause,
    cancelledBecause: cancelledBecause?.message,
  });
  const exchanges = attempts.map((attempt) =>
    [
      `${attempt.number === 0 ? 'Probe' : `Attempt ${attempt.number}`}, ${attempt.startDateTime}, ${attempt.durationMs} ms`,
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
  return Object.entries(headers).map(([name, value]) => `    ${printable(`${name}: ${value}`)}`);
}

function indented(text: string): string {
  return printableLines(text)
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');
}
