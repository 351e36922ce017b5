import { bodyOf } from '@callout/domain/callout/callout-body';
import { recordName, type RecordOfWebhook } from '@callout/domain/callout/claimed';
import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import type { PayloadInput } from '@callout/domain/callout/payload';
import { type StoredLayout, storedLayoutOf } from '../layout.rules.ts';
import type { NewCallout, WebhookMatch } from '../match-events.rules.ts';
import { type Carried, carriedBy, mergeEvent } from './net-change.rules.ts';
import { nothingKnown, type Confirmed } from '../sent-values.rules.ts';

/** An open callout that may still change: the last callout of the record, which has not been tried. */
export interface MergeableCallout extends RecordOfWebhook {
  readonly id: string;
  readonly tenantId: number;
  readonly sequenceNumber: number;
  readonly state: string;
  /** The version of the configuration that made the callout. */
  readonly version: number;
  readonly carried: Carried;
}

/** A callout whose change another callout carries, or whose change was undone. */
export interface MergedCallout extends NewCallout {
  /** The carrier; null: the change was undone. */
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
  /** Callouts that were stored earlier, and whose changes were undone: nothing is left to send. */
  readonly undone: readonly MergeableCallout[];
  /** The last callout of each record in `callouts` and `changed`, which may still change. */
  readonly carriers: readonly MergeableCallout[];
  /** Records of which the values that receivers have confirmed matter. */
  readonly asked: readonly (RecordOfWebhook & { readonly tenantId: number })[];
}

export interface PlanOptions {
  readonly catalogue: Catalogue;
  /** Callouts that were stored earlier and may still change, by `recordName`. */
  readonly mergeable: ReadonlyMap<string, MergeableCallout>;
  /** By `recordName`; absent: not looked for. */
  readonly confirmed: ReadonlyMap<string, Confirmed>;
}

/** A callout that carries, while merges are planned. */
interface Carrier {
  readonly callout: MergeableCallout;
  /** The new callout; null: the callout was stored earlier. */
  readonly newCallout: NewCallout | null;
}

/**
 * Merges the new callouts of webhooks that merge into the last callout of their record, as long as that callout has not
 * been tried; the first new callout that cannot be merged carries from then on.
 * @param callouts a callout for each match, from `makeCallouts`.
 */
export function planMerges(
  matches: readonly WebhookMatch[],
  callouts: readonly NewCallout[],
  { catalogue, mergeable, confirmed }: PlanOptions,
): MergePlan {
  const planner = new MergePlanner(mergeable, confirmed);
  for (const [at, match] of matches.entries()) {
    const { event, subscription } = match;
    const callout = callouts[at];
    const entity = catalogue.byEntityType(event.entityType);
    if (callout === undefined || entity === undefined) throw new Error(`event ${event.id} has no callout`);
    if (subscription.mergesWhileWaiting === true) planner.merge(callout, match, storedLayoutOf(subscription, entity));
    else planner.add(callout);
  }
  return planner.plan();
}

/** Takes the new callouts of a match in turn. `recordName` makes the names of records. */
class MergePlanner {
  readonly #confirmed: PlanOptions['confirmed'];
  /** The callouts that carry now, by the names of the records. */
  readonly #carriers = new Map<string, Carrier>();
  /** The state of the next callout of a record whose last callout was undone, by the name of the record. */
  readonly #stateOfNext = new Map<string, NewCallout['state']>();
  /** New callouts that are to be stored as open, by id. */
  readonly #newCallouts = new Map<string, NewCallout>();
  readonly #merged: MergedCallout[] = [];
  readonly #changed = new Map<string, ChangedCallout>();
  readonly #undone: MergeableCallout[] = [];
  readonly #asked = new Map<string, MergePlan['asked'][number]>();

  constructor(mergeable: PlanOptions['mergeable'], confirmed: PlanOptions['confirmed']) {
    this.#confirmed = confirmed;
    for (const [name, callout] of mergeable) this.#carriers.set(name, { callout, newCallout: null });
  }

  /** A callout of a webhook that does not merge. */
  add(callout: NewCallout): void {
    this.#newCallouts.set(callout.id, callout);
  }

  /** A callout of a webhook that merges. */
  merge(callout: NewCallout, match: WebhookMatch, layout: StoredLayout): void {
    const { event, subscription } = match;
    const name = recordName(callout);
    const carrier = this.#carriers.get(name);
    if (carrier?.callout.version !== subscription.version) return this.#carry(callout, match, layout);
    // While an earlier callout of the record is open, nobody knows what the receiver will have been shown.
    const shown = carrier.callout.state === 'waiting' ? nothingKnown : this.#confirmed.get(name);
    const next = { ...event, eventId: callout.publicEventId };
    const onAsk = () => void this.#asked.set(name, callout);
    const change = mergeEvent(carrier.callout.carried, next, layout.layout, shown, onAsk);
    if (change.kind === 'apart') return this.#carry(callout, match, layout);
    this.#merged.push({ ...callout, mergedInto: carrier.callout.id });
    if (change.kind === 'nothing') return this.#undo(name, carrier);
    const more = { ...carrier.callout, carried: change.carried };
    this.#carryMore(name, carrier, more, bodyOfCarrier(more, match, layout, change.input));
  }

  plan(): MergePlan {
    const carriers = [...this.#carriers.values()];
    return {
      callouts: [...this.#newCallouts.values()],
      merged: this.#merged,
      changed: [...this.#changed.values()],
      undone: this.#undone,
      carriers: carriers.flatMap(({ callout, newCallout }) =>
        newCallout !== null || this.#changed.has(callout.id) ? [callout] : [],
      ),
      asked: [...this.#asked.values()],
    };
  }

  /** The callout carries the change of its event, and later changes of the record. */
  #carry(callout: NewCallout, { event, subscription }: WebhookMatch, { layout }: StoredLayout): void {
    const name = recordName(callout);
    const newCallout = { ...callout, state: this.#stateOfNext.get(name) ?? callout.state };
    this.#stateOfNext.delete(name);
    this.#newCallouts.set(newCallout.id, newCallout);
    const carried = carriedBy({ ...event, eventId: callout.publicEventId }, layout);
    this.#carriers.set(name, { newCallout, callout: { ...newCallout, version: subscription.version, carried } });
  }

  /** A carrier carries a further event, with the body of the event. */
  #carryMore(name: string, { newCallout }: Carrier, callout: MergeableCallout, body: string): void {
    if (newCallout === null) {
      this.#changed.set(callout.id, { ...callout, body });
      this.#carriers.set(name, { callout, newCallout: null });
      return;
    }
    // The bytes of the callout are no longer made from the first event alone.
    const { action } = callout.carried;
    const more = { ...newCallout, action, body, bodyBytes: Buffer.byteLength(body), layout: null };
    this.#newCallouts.set(more.id, more);
    this.#carriers.set(name, { callout, newCallout: more });
  }

  /** Nothing is left to send of what a carrier carried. */
  #undo(name: string, { callout, newCallout }: Carrier): void {
    this.#carriers.delete(name);
    this.#stateOfNext.set(name, callout.state === 'waiting' ? 'waiting' : 'due');
    if (newCallout === null) {
      this.#changed.delete(callout.id);
      this.#undone.push(callout);
      return;
    }
    this.#newCallouts.delete(newCallout.id);
    this.#merged.push({ ...newCallout, mergedInto: null });
  }
}

/** The body of a callout that carries several events: the values of the last event. */
function bodyOfCarrier(
  { id, recordId, sequenceNumber, carried: { action, eventIds } }: MergeableCallout,
  { event: { entityType, eventTime, personId }, subscription: { webhookGuid } }: WebhookMatch,
  { layout }: StoredLayout,
  input: PayloadInput,
): string {
  const envelope = { id, action, webhookGuid, entityType, recordId, eventTime, sequenceNumber, personId };
  return bodyOf({ ...envelope, mergedEventIds: eventIds }, input, layout);
}
