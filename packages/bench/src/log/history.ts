/** Of one callout in the history, everything that answers are checked by. */
export interface MadeCallout {
  readonly id: string;
  /** Position among all webhooks; 0 is the one that owns the largest share. */
  readonly webhook: number;
  readonly sequenceNumber: number;
  readonly state: 'delivered' | 'failed' | 'cancelled';
  readonly attempts: number;
}

/**
 * A history that is worked out, not kept: what is where follows from its number alone, here as in the SQL that fills it.
 *
 * Of three events in a row, two are of the large tenant, and each of those is owed to its large webhook and to one of its 33
 * others; the third is of one of the small tenants, and is owed to one of their webhooks. So the large webhook has two
 * callouts of five. A tenant's events go through its records in turn: the first round creates them, one of 1,000 later
 * events is a deletion, and all others are updates.
 */
export interface History {
  readonly events: number;
  /** Of the large tenant. */
  readonly ownEvents: number;
  readonly callouts: number;
  readonly records: number;
  /** When event 0 was accepted, in ms since 1970, and how much later each other one is than the one before. */
  readonly baseMs: number;
  readonly stepMs: number;
  /** Events before this one are of the time in which callouts were cancelled. */
  readonly cancelledBefore: number;
  readonly small: SmallTenants;
}

/** The tenants that share the third event, in turn, and their webhooks together: a multiple of the tenants. */
export interface SmallTenants {
  readonly tenants: number;
  readonly webhooks: number;
}

export const DAYS = 30;
export const WEBHOOKS_OF_LARGE_TENANT = 34;
/** Those that `--log` has. */
export const FEW_SMALL_TENANTS: SmallTenants = { tenants: 2, webhooks: 66 };
const dayMs = 86_400_000;
/** The last event was accepted this long ago, so that no attempt is of the future. */
const AGO_MS = 60_000;
/** Events of a record. */
const EVENTS_PER_RECORD = 20;
/** By the shares of `outcomeOf`, about. */
const ATTEMPTS_PER_EVENT = 1.787;

/** A history with about so many attempts that ends at `nowMs`. */
export function historyOf(attempts: number, nowMs: number, small = FEW_SMALL_TENANTS): History {
  const thirds = Math.max(1, Math.round(attempts / ATTEMPTS_PER_EVENT / 3));
  const events = 3 * thirds;
  const stepMs = Math.max(1, Math.floor((DAYS * dayMs) / events));
  return {
    events,
    ownEvents: 2 * thirds,
    callouts: 5 * thirds,
    records: Math.max(1, Math.floor((2 * thirds) / EVENTS_PER_RECORD)),
    stepMs,
    baseMs: nowMs - AGO_MS - (events - 1) * stepMs,
    cancelledBefore: thirds,
    small,
  };
}

/** How a callout went: 2 % failed after 3 attempts, 4 % took 2, and once 2 % were cancelled before the first. */
export function outcomeOf(
  { cancelledBefore }: History,
  event: number,
  sequenceNumber: number,
): Pick<MadeCallout, 'state' | 'attempts'> {
  const turn = sequenceNumber % 50;
  if (turn === 30 && event < cancelledBefore) return { state: 'cancelled', attempts: 0 };
  if (turn === 25) return { state: 'failed', attempts: 3 };
  return { state: 'delivered', attempts: turn === 10 || turn === 40 ? 2 : 1 };
}

/** The number among all events of the large tenant's event `own`. */
export function eventOfOwn(own: number): number {
  return Math.floor(own / 2) * 3 + (own % 2);
}

export function momentOf({ baseMs, stepMs }: History, event: number): number {
  return baseMs + event * stepMs;
}

/** What the large tenant's event `own` did to its record. */
export function actionOf({ records }: History, own: number): 'Create' | 'Update' | 'Delete' {
  if (own < records) return 'Create';
  return own % 1000 === 999 ? 'Delete' : 'Update';
}

/** The callouts of the large tenant's event `own`: of the large webhook, and of another one. */
export function calloutsOfOwn(history: History, own: number): readonly [MadeCallout, MadeCallout] {
  const event = eventOfOwn(own);
  const others = WEBHOOKS_OF_LARGE_TENANT - 1;
  const made = (place: 0 | 1, webhook: number, sequenceNumber: number): MadeCallout => ({
    id: idOf(momentOf(history, event), '7001', event * 2 + place),
    webhook,
    sequenceNumber,
    ...outcomeOf(history, event, sequenceNumber),
  });
  return [made(0, 0, own + 1), made(1, 1 + (own % others), Math.floor(own / others) + 1)];
}

export function eventIdOfOwn(history: History, own: number): string {
  const event = eventOfOwn(own);
  return idOf(momentOf(history, event), '7000', event);
}

/** A UUID of version 7. @param version four digits that also tell events from callouts. */
function idOf(ms: number, version: '7000' | '7001', number: number): string {
  const time = ms.toString(16).padStart(12, '0');
  const rest = `8${number.toString(16).padStart(15, '0')}`;
  return [time.slice(0, 8), time.slice(8), version, rest.slice(0, 4), rest.slice(4)].join('-');
}
