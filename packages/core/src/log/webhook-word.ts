import { readinessItem, type ReadinessReason } from './readiness.ts';
import type { WebhookStatus } from './webhook-status.ts';

/** How a webhook stands, in one word: the first that is true of it. */
export const webhookWords = ['inactive', 'keyMissing', 'notReady', 'paused', 'failing', 'held', 'delivering'] as const;
export type WebhookWord = (typeof webhookWords)[number];

/** A word, since when it is true where that is known, and why, in a sentence. */
export interface WebhookStanding {
  readonly state: WebhookWord;
  readonly since: Date | null;
  readonly sentence: string;
}

const words: readonly (readonly [ReadinessReason['code'], WebhookWord])[] = [
  ['inactive', 'inactive'],
  ['secretKeyMissing', 'keyMissing'],
  ['noFieldRecord', 'notReady'],
  ['subscribedToNothing', 'notReady'],
  ['noSubscribedField', 'notReady'],
  ['receiverPaused', 'paused'],
  ['receiverFailing', 'failing'],
  ['held', 'held'],
];

/**
 * How a webhook stands, by what readiness says of it.
 * @param ring the ids of the keys that webhook secrets can be opened with.
 */
export function webhookStanding(status: WebhookStatus, ring: readonly string[]): WebhookStanding {
  const { reasons } = readinessItem(status, ring);
  for (const [code, state] of words) {
    const reason = reasons.find((one) => one.code === code);
    if (reason !== undefined) return { state, since: sinceOf(status, state), sentence: reason.message };
  }
  return { state: 'delivering', since: null, sentence: 'The webhook gets its callouts.' };
}

function sinceOf({ deactivation, failing }: WebhookStatus, state: WebhookWord): Date | null {
  if (state === 'inactive') return deactivation?.at ?? null;
  return state === 'paused' || state === 'failing' ? (failing?.since ?? null) : null;
}
