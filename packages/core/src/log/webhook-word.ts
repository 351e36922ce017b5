import { readinessItem, type ReadinessReason } from './readiness.ts';
import type { WebhookStatus } from './webhook-status.ts';

/** The status of a webhook in one word: the first that applies. */
export const webhookWords = ['inactive', 'keyMissing', 'notReady', 'paused', 'failing', 'held', 'delivering'] as const;
export type WebhookWord = (typeof webhookWords)[number];

/** The word, since when it applies if that is known, and why, in a sentence. */
export interface WebhookStatusWord {
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
 * The status of a webhook, from its readiness.
 * @param ring the ids of the keys that webhook secrets can be opened with.
 */
export function statusWordOf(status: WebhookStatus, ring: readonly string[]): WebhookStatusWord {
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
