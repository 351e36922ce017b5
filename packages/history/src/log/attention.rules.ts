import type { WebhookStatus } from './webhook-status.rules.ts';
import { statusLabelOf, type WebhookStatusLabel } from './webhook-status-label.rules.ts';

/** Reasons for attention, the most urgent first. */
export const attentionKinds = [
  'receiverPaused',
  'deactivated',
  'secretKeyMissing',
  'receiverFailing',
  'notFetched',
  'held',
  'notReady',
  'nearThreshold',
  'rotationEnding',
] as const;
export type AttentionKind = (typeof attentionKinds)[number];

/** The remedy. */
export const remedyKinds = ['test', 'activate', 'edit', 'wait', 'askOperator'] as const;

export interface Remedy {
  readonly kind: (typeof remedyKinds)[number];
  /** The text of the button. */
  readonly label: string;
}

export interface AttentionItem {
  readonly kind: AttentionKind;
  /** Null when it is about an entity as a whole. */
  readonly webhookID: number | null;
  readonly entityType: string;
  /** Of the webhook. */
  readonly name: string | null;
  readonly since: Date | null;
  readonly sentence: string;
  readonly remedy: Remedy;
}

export interface WatchedWebhook {
  readonly entityType: string;
  readonly name: string;
  readonly status: WebhookStatus;
  /** Until when the secret before the present secret signs too; null: only the present secret signs. */
  readonly previousSecretUntil: Date | null;
}

export interface WatchedThreshold {
  readonly entityType: string;
  /** 0: there is none. */
  readonly limit: number;
  readonly used: number;
  readonly held: number;
  readonly heldSince: Date | null;
}

interface Watched {
  readonly webhooks: readonly WatchedWebhook[];
  readonly thresholds: readonly WatchedThreshold[];
  /** The ids of the keys that webhook secrets can be opened with. */
  readonly ring: readonly string[];
  readonly now: Date;
}

/** An entity near its threshold has used at least this share. */
const NEAR = 0.75;
/** The notice before the end of a rotation. */
const ROTATION_MS = 24 * 3_600_000;

const ofLabel: Readonly<
  Partial<Record<WebhookStatusLabel, { readonly kind: AttentionKind; readonly remedy: Remedy }>>
> = {
  paused: { kind: 'receiverPaused', remedy: { kind: 'test', label: 'Send a test' } },
  failing: { kind: 'receiverFailing', remedy: { kind: 'test', label: 'Send a test' } },
  keyMissing: { kind: 'secretKeyMissing', remedy: { kind: 'askOperator', label: 'Ask an operator for the key' } },
  notReady: { kind: 'notReady', remedy: { kind: 'edit', label: 'Change what it is subscribed to' } },
};

/** A test would only wait with the others. */
const notFetched = {
  kind: 'notFetched',
  remedy: { kind: 'wait', label: 'Start the program that fetches them' },
} as const;

/** The webhooks and thresholds of a tenant that need attention, with sentences. */
export function attentionOf({ webhooks, thresholds, ring, now }: Watched): AttentionItem[] {
  const items = [...webhooks.flatMap((webhook) => ofWebhook(webhook, ring, now)), ...thresholds.flatMap(ofThreshold)];
  return items.toSorted((a, b) => attentionKinds.indexOf(a.kind) - attentionKinds.indexOf(b.kind));
}

function ofWebhook(webhook: WatchedWebhook, ring: readonly string[], now: Date): AttentionItem[] {
  const { entityType, name, status, previousSecretUntil } = webhook;
  const about = { webhookID: status.id, entityType, name };
  const { state, since, sentence } = statusLabelOf(status, ring);
  if (state === 'inactive') {
    const { deactivation } = status;
    // A webhook that a person switched off, or that was never on, needs no attention.
    if (deactivation === null || deactivation.cause === 'user') return [];
    const remedy = { kind: 'activate', label: 'Activate it again' } as const;
    return [{ kind: 'deactivated', ...about, since, sentence, remedy }];
  }
  const items: AttentionItem[] = [];
  const advice = state === 'failing' && status.failing?.isUnfetched === true ? notFetched : ofLabel[state];
  if (advice !== undefined) items.push({ ...about, ...advice, since, sentence });
  if (previousSecretUntil !== null && previousSecretUntil.getTime() - now.getTime() <= ROTATION_MS) {
    items.push({
      kind: 'rotationEnding',
      ...about,
      since: null,
      sentence: `The previous secret signs until ${previousSecretUntil.toISOString()}. By then the receiver must know the new one.`,
      remedy: { kind: 'test', label: 'Send a test' },
    });
  }
  return items;
}

function ofThreshold({ entityType, limit, used, held: heldCallouts, heldSince }: WatchedThreshold): AttentionItem[] {
  const about = { webhookID: null, entityType, name: null };
  const remedy = { kind: 'askOperator', label: 'Ask an operator for a higher threshold' } as const;
  if (heldCallouts > 0) {
    const sentence = `The hourly threshold of ${entityType} (${limit}) holds ${heldCallouts} ${heldCallouts === 1 ? 'callout' : 'callouts'}. They are sent when there is room again.`;
    return [{ kind: 'held', ...about, since: heldSince, sentence, remedy }];
  }
  if (limit === 0 || used < limit * NEAR) return [];
  const sentence = `${entityType} has used ${used} of the ${limit} callouts that its threshold allows in an hour. Callouts above it are held, and sent later.`;
  return [{ kind: 'nearThreshold', ...about, since: null, sentence, remedy }];
}
