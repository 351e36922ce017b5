import type { Action } from '@callout/domain/event';
import { noPreviousValues, previousValues, type StoredPrevious } from '@callout/domain/previous-values';
import { bodyOf } from '@callout/domain/callout/callout-body';
import type { PayloadInput, PayloadLayout } from '@callout/domain/callout/payload';
import type { Client } from '@callout/database/connection/database';
import { statementFrom, statements } from '@callout/database/connection/statement/statement';
import { boundsOf, idNear } from '@callout/database/schema/ids';
import type { ClaimedCallout } from '@callout/domain/callout/claimed';

/** A stored body, or the data that the body is made from. */
export interface BodyRow extends Omit<PayloadInput, 'action' | 'previous'> {
  readonly id: string;
  readonly sequenceNumber: number;
  readonly entityType: string;
  readonly recordId: number;
  readonly action: Action;
  readonly webhookKey: number;
  readonly webhookGuid: string;
  readonly eventTime: Date;
  readonly personId: number;
  /** Null: the body is stored. */
  readonly layoutId: string | null;
  /** Null but for a single callout of each webhook and layout. */
  readonly layout: PayloadLayout | null;
  /** Null: the body is made, or no longer stored. */
  readonly body: string | null;
  readonly previous: StoredPrevious | null;
  /** Null: the event is no longer stored. */
  readonly fields: PayloadInput['fields'];
  /** Not read, since the callouts before are too long together: neither a body nor values. */
  readonly isLeft: boolean;
}

const read = statementFrom<BodyRow>('payload/payload_read_bodies');

const hourMs = 3_600_000;
/**
 * How much older than the callout an event may be where the body is made from the event. Each further day costs a
 * statement time, and the days of events are dropped a day after the days of callouts.
 */
const longestPendingMs = 20 * hourMs;
/** Ids come from the clocks of several machines. */
const clockSlackMs = hourMs;

/** Whether `readBodies` finds the event. Otherwise the body of the callout has to be stored. */
export function isEventNear(calloutId: string, eventId: string): boolean {
  return eventId >= idNear(calloutId, -longestPendingMs) && eventId < idNear(calloutId, clockSlackMs);
}

/** The statement that reads rows for `bodiesOf`. */
export const readBodiesSql = statements.get('payload_read_bodies') ?? '';

/**
 * The parameters of `readBodiesSql`.
 * @param most characters that are read at once, but for the last callout; unless given, all are read.
 */
export function bodyParameters(ids: readonly string[], most: number = Number.MAX_SAFE_INTEGER): unknown[] {
  return [...idBounds(ids), most];
}

function idBounds(ids: readonly string[]): unknown[] {
  const [lowest, highest] = boundsOf(ids);
  const events = [lowest && idNear(lowest, -longestPendingMs), highest && idNear(highest, clockSlackMs)];
  return [ids, lowest, highest, ...events];
}

/** Characters of bodies, or of the events behind the bodies, that are read at once, but for the last body. */
const mostCharacters = 4 * 1024 * 1024;

/**
 * The bodies of callouts by their ids: equal bytes each time. Bodies that are no longer stored are absent. Of long
 * events only some are in memory at once.
 */
export async function readBodies(client: Client, ids: readonly string[]): Promise<Map<string, string>> {
  const bodies = new Map<string, string>();
  for (let unreadIds = ids; unreadIds.length > 0;) {
    const rows = await read(client, bodyParameters(unreadIds, mostCharacters));
    for (const [id, body] of bodiesOf(rows)) bodies.set(id, body);
    unreadIds = rows.flatMap(({ id, isLeft }) => (isLeft ? id : []));
  }
  return bodies;
}

const readSizes = statementFrom<{ id: string; length: number }>('payload/payload_read_sizes');

/**
 * Divides items that need bodies into parts whose bodies are in memory at once, in order.
 * @param idsOf the callouts of an item, whose bodies are needed together.
 * @returns at least an item in each part.
 */
export async function partsByBodies<Item>(
  client: Client,
  items: readonly Item[],
  idsOf: (item: Item) => readonly string[],
): Promise<Item[][]> {
  const ids = items.flatMap(idsOf);
  const rows = ids.length === 0 ? [] : await readSizes(client, idBounds(ids));
  const lengths = new Map(rows.map(({ id, length }) => [id, length]));
  const parts: Item[][] = [];
  let freeCharacters = 0;
  for (const item of items) {
    if (freeCharacters <= 0) {
      parts.push([]);
      freeCharacters = mostCharacters;
    }
    parts.at(-1)?.push(item);
    freeCharacters -= idsOf(item).reduce((sum, id) => sum + (lengths.get(id) ?? 0), 0);
  }
  return parts;
}

/** The bodies that rows of `payload_read_bodies` have or make, by the ids of the callouts. */
export function bodiesOf(rows: readonly BodyRow[]): Map<string, string> {
  const layouts = new Map<string, PayloadLayout>();
  const nameOf = ({ webhookKey, layoutId }: BodyRow) => `${webhookKey}/${layoutId}`;
  for (const row of rows) if (row.layout !== null) layouts.set(nameOf(row), row.layout);
  const bodies = new Map<string, string>();
  for (const row of rows) {
    if (row.isLeft) continue;
    const body = row.body ?? bodyFrom(row, layouts.get(nameOf(row)));
    if (body !== null) bodies.set(row.id, body);
  }
  return bodies;
}

function bodyFrom(row: BodyRow, layout: PayloadLayout | undefined): string | null {
  if (layout === undefined || row.eventTime === null) return null;
  const { action, fields, udfFields, changedFields, changedUdfs } = row;
  const previous = layout.withPrevious === true ? previousValues(row, row.previous) : noPreviousValues;
  return bodyOf(row, { action, fields, udfFields, changedFields, changedUdfs, previous }, layout);
}

/** Callouts with bodies; without the callouts whose bodies are no longer stored. */
export async function withBodies<Row extends { readonly id: string }>(
  client: Client,
  rows: readonly Row[],
): Promise<(Row & { readonly body: string })[]> {
  const bodies = await readBodies(
    client,
    rows.map(({ id }) => id),
  );
  return rows.flatMap((row) => {
    const body = bodies.get(row.id);
    return body === undefined ? [] : [{ ...row, body }];
  });
}

const fix = statementFrom<Pick<ClaimedCallout, 'id' | 'action'> & { isRead: boolean }>('payload/payload_fix');

/**
 * Makes the bytes of claimed callouts final, which must be done before the first attempt of a webhook that merges: no
 * later change is merged from then on.
 * @returns for each, in order, what is to be sent; null: the callout is not open under the lease any more.
 */
export async function fixBodies<Callout extends ClaimedCallout>(
  client: Client,
  callouts: readonly Callout[],
): Promise<(Callout | null)[]> {
  const rows = await fix(client, [callouts.map(({ id }) => id), callouts.map(({ leaseOwner }) => leaseOwner)]);
  const fixed = new Map(rows.map((row) => [row.id, row]));
  // Only now can nothing be merged any more.
  const bodies = await readBodies(
    client,
    rows.flatMap(({ id, isRead }) => (isRead ? id : [])),
  );
  return callouts.map((callout) => {
    const row = fixed.get(callout.id);
    if (row === undefined) return null;
    return { ...callout, action: row.action, body: bodies.get(callout.id) ?? callout.body };
  });
}
