import type { NextState } from '@callout/domain/callout/transitions';
import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import type { Action } from '@callout/domain/event';
import { recordName, type RecordOfWebhook } from '@callout/domain/callout/claimed';
import { type StoredLayout, storedLayoutOf } from './layout.rules.ts';
import { judgeEvent, type CompiledSubscription, type MatchInput, type VerdictRule } from './match.rules.ts';
import { bodyOf } from '@callout/domain/callout/callout-body';
import type { PayloadInput } from '@callout/domain/callout/payload';

/** An event as match sees it: accepted, stored, and pending until its verdicts are stored. */
export interface MatchEvent extends MatchInput, PayloadInput {
  readonly id: string;
  /** The caller's eventID; null: the service made one, which is the id. */
  readonly eventKey: string | null;
  readonly tenantId: number;
  readonly entityType: string;
  readonly recordId: number;
  readonly action: Action;
  readonly eventTime: Date;
  /** The `traceparent` of the request that brought the event; null: the request was not traced. */
  readonly traceParent: string | null;
}

/** An event that causes a callout for a webhook. */
export interface WebhookMatch {
  readonly event: MatchEvent;
  readonly subscription: CompiledSubscription;
}

/**
 * How each webhook was judged: rule → webhook key, configuration version, and the number of the callout where there is
 * one.
 */
type VerdictsByRule = Partial<Record<VerdictRule, [webhookKey: number, version: number, sequenceNumber?: number][]>>;

/** The verdicts of an event, in the order of the webhooks. */
export interface JudgedEvent {
  readonly event: MatchEvent;
  readonly byRule: VerdictsByRule;
}

/**
 * The first events whose conditions search at most `maxSearched` characters; at least the first event. A character
 * costs a tenth of a microsecond for each webhook that looks for texts: fifty such webhooks and a match full of long
 * events would take half a minute, and PostgreSQL ends a transaction that does nothing for 5 s, so that the events
 * would never be matched.
 */
export function judgedTogether(
  events: readonly MatchEvent[],
  subscriptionsOf: (event: MatchEvent) => readonly CompiledSubscription[],
  maxSearched: number,
): readonly MatchEvent[] {
  let searched = 0;
  const end = events.findIndex((event, nth) => {
    const searching = subscriptionsOf(event).filter(isSearching).length;
    if (searching > 0) searched += searching * charactersOf(event);
    return nth > 0 && searched > maxSearched;
  });
  return end === -1 ? events : events.slice(0, end);
}

function isSearching({ condition }: CompiledSubscription): boolean {
  return (condition?.searches.size ?? 0) > 0;
}

function charactersOf({ fields, udfFields, previous }: MatchEvent): number {
  const all = [fields, udfFields, previous.fields, previous.udfFields].flatMap((values) => Object.values(values));
  return all.reduce((sum, value) => sum + (value?.length ?? 0), 0);
}

/**
 * Judges every event against the webhooks of the event's tenant and entity. A long event with many webhooks that look for texts
 * takes a second or two: other work may run between the webhooks.
 * @param subscriptionsOf in order of the webhook's key.
 * @returns the verdicts of each event, and the matches that cause callouts, in the order of the events.
 */
export async function judgeEvents(
  events: readonly MatchEvent[],
  subscriptionsOf: (event: MatchEvent) => readonly CompiledSubscription[],
  yieldToOthers: () => Promise<void>,
): Promise<{ judged: JudgedEvent[]; matches: WebhookMatch[] }> {
  const matches: WebhookMatch[] = [];
  const judged: JudgedEvent[] = [];
  for (const event of events) {
    await yieldToOthers();
    const byRule: VerdictsByRule = {};
    for (const subscription of subscriptionsOf(event)) {
      if (isSearching(subscription)) await yieldToOthers();
      const verdict = judgeEvent(event, subscription);
      (byRule[verdict.rule] ??= []).push([verdict.webhookKey, verdict.version]);
      if (verdict.getsCallout) matches.push({ event, subscription });
    }
    judged.push({ event, byRule });
  }
  return { judged, matches };
}

/** The number of callouts per webhook, by the webhook's key. */
export function countByWebhook(matches: readonly WebhookMatch[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { subscription } of matches) {
    counts.set(subscription.webhookKey, (counts.get(subscription.webhookKey) ?? 0) + 1);
  }
  return counts;
}

/** Each webhook and record once. */
export function recordsOf(matches: readonly WebhookMatch[]): RecordOfWebhook[] {
  const records = new Map<string, RecordOfWebhook>();
  for (const { event, subscription } of matches) {
    const record = { webhookKey: subscription.webhookKey, recordId: event.recordId };
    records.set(recordName(record), record);
  }
  return [...records.values()];
}

/** Whether a webhook of the matches merges. */
export function isMerging(matches: readonly WebhookMatch[]): boolean {
  return matches.some(({ subscription }) => subscription.mergesWhileWaiting === true);
}

/** A callout to be stored. */
export interface NewCallout extends RecordOfWebhook {
  readonly id: string;
  readonly tenantId: number;
  readonly sequenceNumber: number;
  readonly eventId: string;
  /** The eventID as the caller knows the event. */
  readonly publicEventId: string;
  /** When the event was accepted; null: the webhook was inactive at that time. */
  readonly acceptedAt: Date | null;
  /** The `traceparent` of the event. */
  readonly traceParent: string | null;
  readonly entityType: string;
  readonly action: Action;
  /** 'waiting': an earlier callout of the record is open. */
  readonly state: NextState<'newCallout', 'created' | 'createdBehindOpenCallout'>;
  /** The bytes to sign and send, as text; null: too long to keep here, and made again from the event. */
  readonly body: string | null;
  readonly bodyBytes: number;
  /** The layout with which the body is made again from the event; null: the body itself is stored. */
  readonly layout: StoredLayout | null;
}
export interface MakeCalloutsOptions {
  readonly catalogue: Catalogue;
  /** The first reserved sequence number of each webhook, by the webhook's key. */
  readonly firstSequenceNumbers: ReadonlyMap<number, number>;
  /** Webhooks and records that already have an open callout. */
  readonly busy: readonly RecordOfWebhook[];
  /** Makes time-ordered ids. */
  readonly newId: () => string;
  /** Whether an event is found where the body of a callout is read. */
  readonly isEventNear: (calloutId: string, eventId: string) => boolean;
  /** Characters of bodies that are kept, apart from bodies that must be stored: a long event may have a thousand webhooks. */
  readonly maxCharacters: number;
}

/**
 * Builds the callouts in the order of the matches. Events come oldest first of each record: sequence numbers
 * rise along each record. Of a webhook and record only the first callout is due, and only when no callout is open.
 * @throws Error when the catalogue lacks an entity.
 */
export function makeCallouts(matches: readonly WebhookMatch[], options: MakeCalloutsOptions): NewCallout[] {
  const { catalogue, firstSequenceNumbers, newId, isEventNear, maxCharacters } = options;
  const next = new Map(firstSequenceNumbers);
  const busy = new Set(options.busy.map(recordName));
  let kept = 0;
  return matches.map(({ event, subscription }) => {
    const { webhookKey } = subscription;
    const { tenantId, entityType, recordId, action, acceptedAt, traceParent } = event;
    const entity = catalogue.byEntityType(entityType);
    if (!entity) throw new Error(`the catalogue has no entity ${entityType}: event ${event.id} cannot be matched`);
    const sequenceNumber = next.get(webhookKey) ?? 0;
    next.set(webhookKey, sequenceNumber + 1);
    const name = recordName({ webhookKey, recordId });
    const state = busy.has(name) ? ('waiting' as const) : ('due' as const);
    busy.add(name);
    const layout = storedLayoutOf(subscription, entity);
    const id = newId();
    const mustBeStored = !isEventNear(id, event.id);
    const { webhookGuid } = subscription;
    const { eventTime, personId } = event;
    const envelope = { id, action, webhookGuid, entityType, recordId, eventTime, sequenceNumber, personId };
    const body = bodyOf(envelope, event, layout.layout);
    const isKept = mustBeStored || kept + body.length <= maxCharacters;
    if (isKept) kept += body.length;
    const publicEventId = event.eventKey ?? event.id;
    const callout = { id, tenantId, webhookKey, sequenceNumber, eventId: event.id, publicEventId };
    return {
      ...callout,
      entityType,
      recordId,
      action,
      acceptedAt,
      traceParent,
      state,
      body: isKept ? body : null,
      bodyBytes: Buffer.byteLength(body),
      layout: mustBeStored ? null : layout,
    };
  });
}

/**
 * Verdicts of an event, as text in JSON: rule → [webhook key, configuration version] of the webhooks that the rule decided,
 * and third the sequence number of the callout, if there is a callout.
 */
export interface EventVerdicts {
  readonly eventId: string;
  readonly tenantId: number;
  readonly verdictsJson: string;
}

/** The verdicts to be stored: a number leads from a verdict to a callout. `callouts` come from `makeCallouts`. */
export function numberVerdicts(judged: readonly JudgedEvent[], callouts: readonly NewCallout[]): EventVerdicts[] {
  let next = 0;
  return judged.map(({ event, byRule }) => {
    const passed = byRule.passed?.map(([key, version]) => [key, version, callouts[next++]?.sequenceNumber ?? 0]);
    const verdicts = passed ? { ...byRule, passed } : byRule;
    return { eventId: event.id, tenantId: event.tenantId, verdictsJson: JSON.stringify(verdicts) };
  });
}
