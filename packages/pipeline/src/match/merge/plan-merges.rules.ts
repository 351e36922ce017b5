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
 * Merges the new callouts of webhooks that merge into the last callout of their record, as long as that callout has not
 * been tried; the first new callout that cannot be merged carries from then on.
 * @param callouts one for each match, from `makeCallouts`.
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

/** Takes the new callouts of a match one by one. Names of records are those of `recordName`. */
class MergePlanner {
  readonly #confirmed: PlanOptions['confirmed'];
  /** The callouts that carry now, by the names of their records. */
  readonly #carriers = new Map<string, Carrier>();
  /** The state of the next callout of a record whose last one was undone, by the name of the record. */
  readonly #stateOfNext = new Map<string, NewCallout['state']>();
  /** New callouts that are to be stored as open, by their ids. */
  readonly #made = new Map<string, NewCallout>();
  readonly #merged: MergedCallout[] = [];
  readonly #changed = new Map<string, ChangedCallout>();
  readonly #undone: MergeableCallout[] = [];
  readonly #asked = new Map<string, MergePlan['asked'][number]>();

  constructor(mergeable: PlanOptions['mergeable'], confirmed: PlanOptions['confirmed']) {
    this.#confirmed = confirmed;
    for (const [name, callout] of mergeable) this.#carriers.set(name, { callout, made: null });
  }

  /** A callout of a webhook that does not merge. */
  add(callout: NewCallout): void {
    this.#made.set(callout.id, callout);
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
      callouts: [...this.#made.values()],
      merged: this.#merged,
      changed: [...this.#changed.values()],
      undone: this.#undone,
      carriers: carriers.flatMap(({ callout, made }) =>
        made !== null || this.#changed.has(callout.id) ? [callout] : [],
      ),
      asked: [...this.#asked.values()],
    };
  }

  /** The callout carries its own event, and the later events of its record. */
  #carry(callout: NewCallout, { event, subscription }: WebhookMatch, { layout }: StoredLayout): void {
    const name = recordName(callout);
    const made = { ...callout, state: this.#stateOfNext.get(name) ?? callout.state };
    this.#stateOfNext.delete(name);
    this.#made.set(made.id, made);
    const carried = carriedBy({ ...event, eventId: callout.publicEventId }, layout);
    this.#carriers.set(name, { made, callout: { ...made, version: subscription.version, carried } });
  }

  /** A carrier carries one event more, with the body of that event. */
  #carryMore(name: string, { made }: Carrier, callout: MergeableCallout, body: string): void {
    if (made === null) {
      this.#changed.set(callout.id, { ...callout, body });
      this.#carriers.set(name, { callout, made: null });
      return;
    }
    // The bytes of the callout are no longer made from its event alone.
    const { action } = callout.carried;
    const more = { ...made, action, body, bodyBytes: Buffer.byteLength(body), layout: null };
    this.#made.set(more.id, more);
    this.#carriers.set(name, { callout, made: more });
  }

  /** Nothing is left to send of what a carrier carried. */
  #undo(name: string, { callout, made }: Carrier): void {
    this.#carriers.delete(name);
    this.#stateOfNext.set(name, callout.state === 'waiting' ? 'waiting' : 'due');
    if (made === null) {
      this.#changed.delete(callout.id);
      this.#undone.push(callout);
      return;
    }
    this.#made.delete(made.id);
    this.#merged.push({ ...made, mergedInto: null });
  }
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
