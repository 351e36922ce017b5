import type { Actor } from '@callout/domain/changes/actor';
import type { NewOccurrence } from '@callout/pipeline/health/occurrence.rules';
import type { WebhookSettings } from './settings/settings.ts';

/** A webhook as it is before a change. */
export interface WebhookBefore extends WebhookSettings {
  /** What was open when it was deactivated is still being cancelled. */
  readonly isCancelling: boolean;
}

/** What activating a webhook depends on besides itself. */
export interface Activation {
  /** An active webhook needs the mail address and the rights of its owner. */
  readonly isOwnerActive: boolean;
  /** How many other webhooks of its tenant and entity are active, and how many of them may be. */
  readonly otherActive: number;
  readonly maxActive: number;
}

/** Why a webhook may not become active. */
export type ActivationRefusal =
  /** Callouts that were open when it was deactivated would be sent again. */
  | { readonly kind: 'stillCancelling' }
  | { readonly kind: 'ownerInactive' }
  | { readonly kind: 'tooManyActive'; readonly active: number };

/** Why a webhook may not be created. */
export type CreationRefusal =
  | ActivationRefusal
  /** Active or not, there are as many as there may be. */
  | { readonly kind: 'tooMany'; readonly existing: number; readonly most: number };

/** What a change of a webhook means. */
export type JudgedChange =
  | { readonly kind: 'refused'; readonly refusal: ActivationRefusal }
  | {
      readonly kind: 'accepted';
      /** What is written before the webhook is deactivated: its deactivation call goes to the address as it is then. */
      readonly written: Partial<WebhookSettings>;
      /** The keys and values of what differs. Equal values are no change. */
      readonly changed: readonly (readonly [key: string, value: unknown])[];
      readonly activates: boolean;
      readonly deactivates: boolean;
    };

/**
 * Decides what a change of a webhook means.
 * @param activation known where the change may activate the webhook; without it the owner counts as inactive.
 */
export function judgeChange(
  before: WebhookBefore,
  change: Partial<WebhookSettings>,
  activation?: Activation,
): JudgedChange {
  const activates = change.isActive === true && !before.isActive;
  const refusal = activates ? refusalOf(activation, before.isCancelling) : undefined;
  if (refusal !== undefined) return { kind: 'refused', refusal };
  const deactivates = change.isActive === false && before.isActive;
  const { isActive, ...rest } = change;
  const written: Partial<WebhookSettings> = deactivates || isActive === undefined ? rest : change;
  return {
    kind: 'accepted',
    written,
    changed: Object.entries(written).filter(([key, value]) => value !== before[key as keyof WebhookSettings]),
    activates,
    deactivates,
  };
}

/** Why a webhook may not become active; undefined: it may. */
export function refusalOf(activation: Activation | undefined, isCancelling = false): ActivationRefusal | undefined {
  if (isCancelling) return { kind: 'stillCancelling' };
  if (activation?.isOwnerActive !== true) return { kind: 'ownerInactive' };
  const { otherActive, maxActive } = activation;
  return otherActive >= maxActive ? { kind: 'tooManyActive', active: otherActive } : undefined;
}

/** All webhooks of a tenant and entity, for each that may be active: lists and counts read inactive ones too. */
const webhooksPerActive = 4;

/**
 * Why one more webhook may not be created, active or not; undefined: it may.
 * @param existing webhooks of its tenant and entity that are not deleted.
 * @param maxActive how many of them may be active.
 */
export function creationRefusal(existing: number, maxActive: number): CreationRefusal | undefined {
  const most = webhooksPerActive * maxActive;
  return existing >= most ? { kind: 'tooMany', existing, most } : undefined;
}

/**
 * What webhooks on their health get when something that signs for a webhook is replaced.
 * @param previousUntil until when the one before signs as well; null: it does not.
 */
export function rotationOf(
  webhookKey: number,
  subject: 'secret' | 'signingKey',
  previousUntil: Date | null,
  { resourceId }: Actor,
): NewOccurrence {
  const facts = { previousSecretUntil: previousUntil };
  return { webhookKey, occurrence: 'secretRotated', subject, facts, actorResourceId: resourceId };
}
