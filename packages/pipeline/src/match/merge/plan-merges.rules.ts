import { bodyOf } from '@callout/domain/callout/callout-body';
import { recordName, type RecordOfWebhook } from '@callout/domain/callout/claimed';
import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import type { PayloadInput } from '@callout/domain/callout/payload';
import { type StoredLayout, storedLayoutOf } from '../layout.rules.ts';
import type { NewCallout, WebhookMatch } from '../match-events.rules.ts';
import { type Carried, carriedBy, mergeEvent } from './net-change.rules.ts';
import { nothingKnown, type Confirmed } from '../sent-values.rules.ts';

/** An open callout that may still change: the last of its record, which has not been tried. */
export interface MergeableCallout extends RecordOfWebhook {
  readonly id: string;
  readonly tenantId: number;
  readonly sequenceNumber: number;
  readonly state: string;
  /** Of the configuration that made it. */
  readonly version: number;
  readonly carried: Carried;
}

/** A callout whose change another one carries, or of which nothing was left. */
export interface MergedCallout extends NewCallout {
  /** Null: nothing was left of what it carried. */
  readonly mergedInto: string | null;
}

/** A callout that was stored earlier and carries more now. */
export interface ChangedCallout extends MergeableCallout {
  readonly body: string;
}

export interface MergePlan {
  /** To be stored as open. */
  readonly callouts: readonly NewCallout[];
  /** To be stored as ended. */
  readonly merged: readonly MergedCallout[];
  readonly changed: readonly ChangedCallout[];
  /** Stored earlier, and nothing is left to send of what they carried. */
  readonly undone: readonly MergeableCallout[];
  /** Those of `callouts` and `changed` that are the last of their record: they may still change. */
  readonly carriers: readonly MergeableCallout[];
  /** Records of which it matters what their receivers have confirmed. */
  readonly asked: readonly (RecordOfWebhook & { readonly tenantId: number })[];
}

export interface PlanOptions {
  readonly catalogue: Catalogue;
  /** Callouts that were stored earlier and may still change, by `recordName`. */
  readonly mergeable: ReadonlyMap<string, MergeableCallout>;
  /** By `recordName`; absent: not looked for. */
  readonly confirmed: ReadonlyMap<string, Confirmed>;
}

/** A callout that carries, while this is planned. */
interface Carrier {
  readonly callout: MergeableCallout;
  /** Null: it was stored earlier. */
  readonly made: NewCallout | null;
}

/**
 * Merges the new callouts of webhooks that merge into the last one of their record, as long as that has not been tried;
 * the first of them that cannot be merged carries from then on.
 * @param callouts one for each match, from `makeCallouts`.
 */
export function planMerges(
  matches: readonly WebhookMatch[],
  callouts: readonly NewCallout[],
  { catalogue, mergeable, confirmed }: PlanOptions,
): MergePlan {
  const carriers = new Map<string, Carrier>();
  for (const [name, callout] of mergeable) carriers.set(name, { callout, made: null });
  /** The state of the next callout of a record whose last one was undone. */
  const stateOfNext = new Map<string, NewCallout['state']>();
  const made = new Map<string, NewCallout>();
  const merged: MergedCallout[] = [];
  const changed = new Map<string, ChangedCallout>();
  const undone: MergeableCallout[] = [];
  const asked = new Map<string, MergePlan['asked'][number]>();

  function carry(name: string, callout: NewCallout, { event, subscription }: WebhookMatch, layout: StoredLayout): void {
    const own = { ...callout, state: stateOfNext.get(name) ?? callout.state };
    stateOfNext.delete(name);
    made.set(own.id, own);
    const carried = carriedBy({ ...event, eventId: callout.publicEventId }, layout.layout);
    carriers.set(name, { made: own, callout: { ...own, version: subscription.version, carried } });
  }

  function carryMore(name: string, { callout, made: own }: Carrier, carried: Carried, body: string): void {
    const next = { ...callout, carried };
    if (own === null) {
      changed.set(next.id, { ...next, body });
      carriers.set(name, { callout: next, made: null });
      return;
    }
    // Its bytes are no longer made from its event alone.
    const more = { ...own, action: carried.action, body, bodyBytes: Buffer.byteLength(body), layout: null };
    made.set(more.id, more);
    carriers.set(name, { callout: next, made: more });
  }

  function undo(name: string, { callout, made: own }: Carrier): void {
    carriers.delete(name);
    stateOfNext.set(name, callout.state === 'waiting' ? 'waiting' : 'due');
    if (own === null) {
      changed.delete(callout.id);
      undone.push(callout);
      return;
    }
    made.delete(own.id);
    merged.push({ ...own, mergedInto: null });
  }

  for (const [at, match] of matches.entries()) {
    const { event, subscription } = match;
    const callout = callouts[at];
    const entity = catalogue.byEntityType(event.entityType);
    if (callout === undefined || entity === undefined) throw new Error(`event ${event.id} has no callout`);
    if (subscription.mergesWhileWaiting !== true) {
      made.set(callout.id, callout);
      continue;
    }
    const name = recordName(callout);
    const layout = storedLayoutOf(subscription, entity);
    const carrier = carriers.get(name);
    if (carrier?.callout.version !== subscription.version) {
      carry(name, callout, match, layout);
      continue;
    }
    // While an earlier one of the record is open, nobody knows what the receiver will have been shown.
    const known = carrier.callout.state === 'waiting' ? nothingKnown : confirmed.get(name);
    const next = { ...event, eventId: callout.publicEventId };
    const change = mergeEvent(carrier.callout.carried, next, layout.layout, known, () => asked.set(name, callout));
    if (change.kind === 'apart') {
      carry(name, callout, match, layout);
      continue;
    }
    merged.push({ ...callout, mergedInto: carrier.callout.id });
    if (change.kind === 'nothing') undo(name, carrier);
    else {
      const { carried, input } = change;
      carryMore(name, carrier, carried, bodyOfCarrier({ ...carrier.callout, carried }, match, layout, input));
    }
  }
  return {
    callouts: [...made.values()],
    merged,
    changed: [...changed.values()],
    undone,
    carriers: [...carriers.values()].flatMap(({ callout, made: own }) =>
      own !== null || changed.has(callout.id) ? [callout] : [],
    ),
    asked: [...asked.values()],
  };
}

/** The body of a callout that carries several events: the values of the last one. */
function bodyOfCarrier(
  { id, recordId, sequenceNumber, carried: { action, eventIds } }: MergeableCallout,
  { event: { entityType, eventTime, personId }, subscription: { webhookGuid } }: WebhookMatch,
  { layout }: StoredLayout,
  input: PayloadInput,
): string {
  const envelope = { id, action, webhookGuid, entityType, recordId, eventTime, sequenceNumber, personId };
  return bodyOf({ ...envelope, mergedEventIds: eventIds }, input, layout);
}
