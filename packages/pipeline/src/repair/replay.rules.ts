import type { VerdictRule } from '../match/match.rules.ts';

/** How each webhook was judged, as match stores it: rule → [webhook key, version, number of the callout]. */
export type StoredVerdicts = Partial<Record<VerdictRule, [key: number, version: number, sequenceNumber?: number][]>>;

/**
 * The rules of events that came while the webhook was inactive; `acceptedBeforeActivation`: the webhook became active
 * before the match.
 */
export const missedRules = ['inactive', 'acceptedBeforeActivation'] as const satisfies readonly VerdictRule[];

/** Whether an event came while a webhook was inactive, and has not been judged anew since. */
export function isMissed(verdicts: StoredVerdicts, webhookKey: number): boolean {
  return missedRules.some((rule) => verdicts[rule]?.some(([key]) => key === webhookKey) === true);
}

/** The verdicts of an event after the verdict of a webhook has changed, in the order of the webhooks. */
export function withVerdict(
  verdicts: StoredVerdicts,
  { rule, webhookKey, version, sequenceNumber }: NewVerdict,
): StoredVerdicts {
  const unchanged = Object.entries(verdicts).flatMap(([name, entries]) => {
    const kept = entries.filter(([key]) => key !== webhookKey);
    return kept.length === 0 ? [] : [[name, kept] as const];
  });
  const changed: StoredVerdicts = Object.fromEntries(unchanged);
  const entry: [number, number, number?] =
    sequenceNumber === undefined ? [webhookKey, version] : [webhookKey, version, sequenceNumber];
  return { ...changed, [rule]: [...(changed[rule] ?? []), entry].toSorted(([a], [b]) => a - b) };
}

export interface NewVerdict {
  readonly rule: VerdictRule;
  readonly webhookKey: number;
  readonly version: number;
  /** Of the callout; undefined: there is no callout. */
  readonly sequenceNumber: number | undefined;
}

interface EventOfRecord {
  readonly id: string;
  readonly recordId: number;
  readonly recordVersion: number;
}

/** Events in the order of their ids, but events of a record in the order of versions: clocks of machines differ. */
export function inOrder<Event extends EventOfRecord>(events: readonly Event[]): Event[] {
  const ofRecord = new Map<number, Event[]>();
  for (const event of events.toSorted((a, b) => a.recordVersion - b.recordVersion)) {
    const events = ofRecord.get(event.recordId);
    if (events) events.push(event);
    else ofRecord.set(event.recordId, [event]);
  }
  return events
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .flatMap(({ recordId }) => ofRecord.get(recordId)?.shift() ?? []);
}
