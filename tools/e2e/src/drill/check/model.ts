import { chapterAt, wasDeactivatedAfter, type Chapter, type Chronicles } from '../traffic/chronicle.ts';
import type { SeenEvent } from '../traffic/conditions.ts';
import { companyUdf, toWire } from '../traffic/entities.ts';
import type { History, KnownEvent } from './history.ts';
import type { LedgerEntry } from '../traffic/ledger.ts';
import type { BodyFormat } from '../traffic/variety.ts';
import type { DrillWebhook } from '../traffic/webhooks.ts';
import type { Write } from '../traffic/writes.ts';

type Wire = string | null;

/** A callout that must have come. */
export interface ExpectedCallout {
  readonly webhook: string;
  readonly recordId: number;
  /** As `X-Hook-Event-Id` names it. */
  readonly eventId: string;
  readonly action: string;
  /** That of the webhook by which the event was judged. */
  readonly format: BodyFormat;
  readonly fields: Values;
  /** What the changed fields were before; absent: its webhook does not ask for it. */
  readonly previousFields?: Values;
  readonly personId: number;
  /** Null: the moment of acceptance, which only the service knows. */
  readonly eventTime: string | null;
  /** Its webhook was deactivated later, so it may have been cancelled. */
  readonly mayBeCancelled: boolean;
  readonly effect: Effect;
}

type Values = Readonly<Record<string, Wire>>;

/** What an event does to the fields of a webhook, by their keys in callouts. */
export interface Effect {
  /** All that are known right after it. */
  readonly values: Values;
  /** The subscribed fields that it changed. */
  readonly changed: readonly string[];
  /** What these were before it, where that was known. */
  readonly previous: Values;
}

export interface Expectation {
  /** In the order of each record's events. */
  readonly owed: readonly ExpectedCallout[];
  readonly problems: readonly string[];
}

/**
 * The expected callouts, derived from the requests of the client alone: a second implementation of the rules, which
 * shares no code with the first. The order of a record's events is the one in the database.
 */
export function expectCallouts(history: History, ledger: readonly LedgerEntry[], chronicles: Chronicles): Expectation {
  const owed: ExpectedCallout[] = [];
  const problems: string[] = [];
  const pasts = new Map<string, ReadonlyMap<string, Wire>[]>();
  for (const [record, events] of history.byRecord) {
    const past: ReadonlyMap<string, Wire>[] = [new Map()];
    let isDeleted = true;
    for (const known of events) {
      const before =
        known.write.action === 'Create' || isDeleted ? new Map<string, Wire>() : (past.at(-1) ?? new Map());
      const after = apply(before, known.write);
      const changed = known.write.changedFields ?? differences(before, after);
      isDeleted = known.write.action === 'Delete';
      past.push(after);
      for (const [name, chronicle] of chronicles) {
        const version = known.event.judgedAt.get(name);
        const last = chronicle.chapters.at(-1);
        if (last?.webhook.entity.entityType !== known.event.entityType) continue;
        if (version === undefined) {
          if (!last.isDeleted) problems.push(`${name}: there is no verdict on ${known.write.name}`);
          continue;
        }
        const chapter = chapterAt(chronicle, version);
        if (chapter === undefined || !couldBeExpected(chapter, known)) continue;
        const { action } = known.write;
        const seen = { action, recordId: known.event.recordId, before, after, changed };
        if (!isExpected(chapter.webhook, known.write, seen)) continue;
        owed.push({
          ...callout(chapter.webhook, known, seen),
          mayBeCancelled: wasDeactivatedAfter(chronicle, version),
        });
      }
    }
    pasts.set(record, past);
  }
  const stored = new Set([...history.byRecord.values()].flat().map(({ write }) => write.name));
  const without = ledger.filter(({ write }) => write.way === 'EntityEvents' && !stored.has(write.name));
  return { owed, problems: [...problems, ...without.flatMap((entry) => doubtUnchanged(entry, pasts))] };
}

const udfLabel = companyUdf.definition.label;

/** A company that a record write makes is completely known: absent fields are empty. */
function apply(before: ReadonlyMap<string, Wire>, { action, way, fields }: Write): Map<string, Wire> {
  const after = new Map(before);
  if (action === 'Create' && way === 'record') {
    for (const name of ['companyName', 'city', 'assetValue', 'isTaxExempt', udfLabel]) after.set(name, null);
  }
  for (const [name, value] of Object.entries(fields)) after.set(name, toWire(value));
  return after;
}

function differences(before: ReadonlyMap<string, Wire>, after: ReadonlyMap<string, Wire>): string[] {
  return [...after].filter(([name, value]) => before.get(name) !== value).map(([name]) => name);
}

/** An event that was accepted before its webhook was last activated causes no callout for it. */
function couldBeExpected({ isDeleted, activatedAt }: Chapter, { event }: KnownEvent): boolean {
  return !isDeleted && activatedAt !== null && event.acceptedAt.getTime() >= activatedAt.getTime();
}

function isExpected(webhook: DrillWebhook, { action, entityType, personId }: Write, seen: SeenEvent): boolean {
  if (!webhook.isActive || webhook.entity.entityType !== entityType || webhook.excludedResourceId === personId)
    return false;
  if (webhook.condition?.holds(seen) === false) return false;
  if (action === 'Delete') return webhook.onDelete;
  if (webhook.fields.length === 0) return false;
  if (action === 'Create') return webhook.onCreate;
  return (
    webhook.onUpdate && webhook.fields.some(({ name, isSubscribed }) => isSubscribed && seen.changed.includes(name))
  );
}

function callout(
  webhook: DrillWebhook,
  { event, write }: KnownEvent,
  { before, after, changed }: SeenEvent,
): Omit<ExpectedCallout, 'mayBeCancelled'> {
  const fields: Record<string, Wire> = {};
  const values: Record<string, Wire> = {};
  const previous: Record<string, Wire> = {};
  const changedKeys: string[] = [];
  for (const { name, isSubscribed, isDisplayAlways, isUdf } of webhook.fields) {
    const key = isUdf ? name : pascalCase(name);
    const [value, valueBefore] = [after.get(name), before.get(name)];
    const isChanged = isSubscribed && changed.includes(name);
    const fires = isChanged || (isSubscribed && write.action === 'Create');
    if (value !== undefined) values[key] = value;
    if (write.action !== 'Delete' && value !== undefined && (fires || isDisplayAlways)) fields[key] = value;
    if (write.action !== 'Update' || !isChanged) continue;
    changedKeys.push(key);
    if (valueBefore !== undefined) previous[key] = valueBefore;
  }
  return {
    webhook: webhook.name,
    recordId: event.recordId,
    eventId: event.eventKey ?? event.id,
    action: write.action,
    format: webhook.format,
    fields,
    ...(webhook.withPrevious && { previousFields: previous }),
    personId: write.personId,
    eventTime: write.eventTime,
    effect: { values, changed: changedKeys, previous },
  };
}

function pascalCase(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** A write that got 2xx and made no event must have changed nothing: the record had these values at some time. */
function doubtUnchanged(
  { write, outcome }: LedgerEntry,
  pasts: ReadonlyMap<string, readonly ReadonlyMap<string, Wire>[]>,
): string[] {
  if (outcome !== 'unchanged' && outcome !== 'duplicate') return [];
  const past = pasts.get(`${write.entityType}/${write.recordId}`) ?? [new Map()];
  const given = Object.entries(write.fields);
  const isTrue = past.some((values) => given.every(([name, value]) => values.get(name) === toWire(value)));
  const isUpdate = write.action === 'Update' && write.changedFields === null;
  if (isTrue && isUpdate) return [];
  return [`${write.name} was answered '${outcome}' and is no event, but the record never had those values`];
}
