import { readinessItem, type ReadinessReason } from './readiness.rules.ts';
import type { WebhookStatus } from './webhook-status.rules.ts';

/** The status of a webhook as a label: the first that applies. */
export const webhookStatusLabels = [
  'inactive',
  'keyMissing',
  'notReady',
  'paused',
  'failing',
  'held',
  'delivering',
] as const;
export type WebhookStatusLabel = (typeof webhookStatusLabels)[number];

/** The label, the time since when the label applies if known, and the reason as a sentence. */
export interface LabelledStatus {
  readonly state: WebhookStatusLabel;
  readonly since: Date | null;
  readonly sentence: string;
}

const words: readonly (readonly [ReadinessReason['code'], WebhookStatusLabel])[] = [
  ['inactive', 'inactive'],
  ['secretKeyMissing', 'keyMissing'],
  ['noFieldRecord', 'notReady'],
  ['subscribedToNothing', 'notReady'],
  ['noSubscribedField', 'notReady'],
  ['receiverPaused', 'paused'],
  ['receiverFailing', 'failing'],
  ['notFetched', 'failing'],
  ['held', 'held'],
];

/**
 * The status of a webhook, from its readiness.
 * @param ring the ids of the keys that can decrypt webhook secrets.
 */
export function statusLabelOf(status: WebhookStatus, ring: readonly string[]): LabelledStatus {
  const { reasons } = readinessItem(status, ring);
  for (const [code, state] of words) {
    const reason = reasons.find((one) => one.code === code);
    if (reason !== undefined) return { state, since: sinceOf(status, state), sentence: reason.message };
  }
  return { state: 'delivering', since: null, sentence: 'The webhook gets its callouts.' };
}

function sinceOf({ deactivation, failing }: WebhookStatus, state: WebhookStatusLabel): Date | null {
  if (state === 'inactive') return deactivation?.at ?? null;
  return state === 'paused' || state === 'failing' ? (failing?.since ?? null) : null;
}
