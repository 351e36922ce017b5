import type { MessageFormat } from '@callout/domain/alert/alert';
import { webhookHealthType } from '@callout/domain/catalogue/webhook-health';
import type { WebhookPlace } from '@callout/domain/callout/cloud-event';
import type { PayloadFormat } from '@callout/domain/callout/payload-format';
import type { DataType } from '@callout/domain/catalogue/catalogue';
import { fulfils, type CompiledCondition, type ConditionInput } from '@callout/domain/condition/judge-condition';
import type { Action } from '@callout/domain/event';

/** A Field record of a webhook: a system field of the watched entity, by the name in the catalogue. */
export interface SubscribedField {
  readonly name: string;
  readonly isSubscribed: boolean;
  readonly isDisplayAlways: boolean;
}

/** A UdfField record of a webhook: a user-defined field by the id of the definition, with the label of the definition. */
export interface SubscribedUdf {
  readonly udfId: number;
  readonly label: string;
  readonly isSubscribed: boolean;
  readonly isDisplayAlways: boolean;
  /** Present where bodies show the field's values as JSON. */
  readonly dataType?: DataType;
  /** The values of a list, likewise. */
  readonly listValues?: readonly { readonly value: string; readonly label: string }[] | null;
}

/** How the bodies of a webhook look. */
export interface PayloadSettings {
  readonly format: PayloadFormat | MessageFormat;
  readonly includePreviousValues: boolean;
  /** Of CloudEvents. */
  readonly place: WebhookPlace | null;
}

/** The configuration of a webhook that decides which callouts the webhook gets, and what the callouts contain. */
export interface Subscription {
  readonly webhookKey: number;
  readonly webhookId: number;
  readonly webhookGuid: string;
  /** Grows with every change of the configuration; stored with each verdict. */
  readonly version: number;
  readonly isActive: boolean;
  /** When the webhook was created active or last activated, by the database's clock; null: never. */
  readonly activatedAt: Date | null;
  readonly onCreate: boolean;
  readonly onUpdate: boolean;
  readonly onDelete: boolean;
  readonly fields: readonly SubscribedField[];
  readonly udfFields: readonly SubscribedUdf[];
  readonly excludedResourceIds: readonly number[];
  /** Absent: the reference format, without previous values. */
  readonly payload?: PayloadSettings;
  /** What an event must fulfil; absent or null: nothing. */
  readonly condition?: CompiledCondition | null;
  /** Callouts are fetched, and no worker sends them; absent: callouts are sent. */
  readonly isPulled?: boolean;
  /** Later changes of a record are merged into a callout that has not been tried; absent: nothing is merged. */
  readonly mergesWhileWaiting?: boolean;
  /** The webhook limits its calls, so that claims decide when calls begin; absent: no limit. */
  readonly isLimited?: boolean;
}

/** The data of an event that decides whether the event causes a callout. */
export interface MatchInput extends ConditionInput {
  /** The acting resource. */
  readonly personId: number;
  /** When the event was accepted, by the database's clock. */
  readonly acceptedAt: Date;
}

/** The rules in the order of judging, each named after a failure; `passed` when all pass. */
export const verdictRules = [
  'inactive',
  'acceptedBeforeActivation',
  'actionNotSubscribed',
  'notReady',
  'noSubscribedFieldChanged',
  'actorExcluded',
  'condition',
  'passed',
] as const;

export type VerdictRule = (typeof verdictRules)[number];

/** Whether an event causes a callout for a webhook, and the rule that decided. */
export interface Verdict {
  readonly webhookKey: number;
  readonly version: number;
  readonly getsCallout: boolean;
  readonly rule: VerdictRule;
}

/** A subscription prepared for many events, with sets for lookups. Made once for each version of a configuration. */
export interface CompiledSubscription extends Subscription {
  readonly subscribedFieldNames: ReadonlySet<string>;
  readonly subscribedUdfIds: ReadonlySet<number>;
  readonly excludedResources: ReadonlySet<number>;
}

/** Prepares a subscription; returns a prepared subscription unchanged. */
export function compileSubscription(subscription: Subscription | CompiledSubscription): CompiledSubscription {
  if ('subscribedFieldNames' in subscription) return subscription;
  return {
    ...subscription,
    subscribedFieldNames: new Set(subscription.fields.filter((field) => field.isSubscribed).map((field) => field.name)),
    subscribedUdfIds: new Set(subscription.udfFields.filter((udf) => udf.isSubscribed).map((udf) => udf.udfId)),
    excludedResources: new Set(subscription.excludedResourceIds),
  };
}

type Rule = Exclude<VerdictRule, 'passed'>;

const subscriptionFlags = { Create: 'onCreate', Update: 'onUpdate', Delete: 'onDelete' } as const satisfies Record<
  Action,
  string
>;

const rules: readonly { rule: Rule; passes: (input: MatchInput, subscription: CompiledSubscription) => boolean }[] = [
  { rule: 'inactive', passes: (_, { isActive }) => isActive },
  {
    rule: 'acceptedBeforeActivation',
    passes: ({ acceptedAt }, { activatedAt }) => activatedAt !== null && acceptedAt.getTime() >= activatedAt.getTime(),
  },
  { rule: 'actionNotSubscribed', passes: ({ action }, subscription) => subscription[subscriptionFlags[action]] },
  { rule: 'notReady', passes: ({ action }, subscription) => action === 'Delete' || hasFieldRecord(subscription) },
  {
    rule: 'noSubscribedFieldChanged',
    passes: (input, { subscribedFieldNames, subscribedUdfIds }) =>
      input.action !== 'Update' ||
      input.changedFields.some((name) => subscribedFieldNames.has(name)) ||
      input.changedUdfs.some((udfId) => subscribedUdfIds.has(udfId)),
  },
  { rule: 'actorExcluded', passes: ({ personId }, { excludedResources }) => !excludedResources.has(personId) },
  // The last rule, since searching costs most: an event that fails an earlier rule is not searched.
  { rule: 'condition', passes: (input, { condition }) => !condition || fulfils(input, condition) },
];

/**
 * Whether an event causes a callout for a webhook. The rules are judged in the order of verdictRules and the first that
 * fails decides. Dispatch, simulate and explain all call this function, and so agree for a version of a configuration.
 */
export function judgeEvent(input: MatchInput, subscription: Subscription | CompiledSubscription): Verdict {
  const compiled = compileSubscription(subscription);
  const failed = rules.find(({ passes }) => !passes(input, compiled));
  return {
    webhookKey: compiled.webhookKey,
    version: compiled.version,
    getsCallout: failed === undefined,
    rule: failed?.rule ?? 'passed',
  };
}

/** The result of a rule for an event. */
export interface RuleValue {
  readonly rule: Rule;
  readonly passed: boolean;
}

/** The result of every rule in order, also after the first failure: for simulate. */
export function judgeEveryRule(input: MatchInput, subscription: Subscription | CompiledSubscription): RuleValue[] {
  const compiled = compileSubscription(subscription);
  return rules.map(({ rule, passes }) => ({ rule, passed: passes(input, compiled) }));
}

/** The changed fields of an event that a webhook is subscribed to. */
export interface FiredFields {
  readonly fields: string[];
  readonly udfIds: number[];
}

/** The changes that make an update fire, in the order of the event. */
export function firedFields(
  input: Pick<MatchInput, 'changedFields' | 'changedUdfs'>,
  subscription: Subscription | CompiledSubscription,
): FiredFields {
  const { subscribedFieldNames, subscribedUdfIds } = compileSubscription(subscription);
  return {
    fields: input.changedFields.filter((name) => subscribedFieldNames.has(name)),
    udfIds: input.changedUdfs.filter((udfId) => subscribedUdfIds.has(udfId)),
  };
}

/**
 * The `isReady` of a webhook: the webhook has a Field or UdfField record, or is subscribed to delete events only.
 * `fieldRecords`: the number of both.
 */
export function isReady({
  fieldRecords,
  onCreate,
  onUpdate,
  onDelete,
}: Pick<Subscription, 'onCreate' | 'onUpdate' | 'onDelete'> & { readonly fieldRecords: number }): boolean {
  return fieldRecords > 0 || (onDelete && !onCreate && !onUpdate);
}

function hasFieldRecord({ fields, udfFields }: Pick<Subscription, 'fields' | 'udfFields'>): boolean {
  return fields.length + udfFields.length > 0;
}

/** The data of a webhook that decides whether the subscription can cause callouts. */
export interface SubscriptionShape extends Pick<Subscription, 'onCreate' | 'onUpdate' | 'onDelete'> {
  readonly entityType: string;
  /** The number of Field and UdfField records, and of records whose changes fire updates. */
  readonly fieldRecords: number;
  readonly subscribedFields: number;
}

/** Why a webhook gets no callouts, or fewer than the subscription names. */
export interface SubscriptionFault {
  readonly code: 'subscribedToNothing' | 'noFieldRecord' | 'noSubscribedField';
  /** A sentence with the effect and what to do. */
  readonly message: string;
  /** Whether no event at all causes a callout. */
  readonly blocks: boolean;
}

/**
 * The faults of a subscription, by the rules that judge events; empty when each subscribed event can cause a callout.
 */
export function subscriptionFaults(subscription: SubscriptionShape): SubscriptionFault[] {
  const { entityType, onCreate, onUpdate, onDelete, fieldRecords, subscribedFields } = subscription;
  if (!onCreate && !onUpdate && !onDelete) {
    const message = 'The webhook is subscribed to no event: subscribe it to create, update or delete events.';
    return [{ code: 'subscribedToNothing', message, blocks: true }];
  }
  if (entityType === webhookHealthType && !onUpdate) {
    const message =
      'All events of WebhookHealth are updates, and the webhook is not subscribed to them, so no event makes a callout: ' +
      'set isSubscribedToUpdateEvents to true.';
    return [{ code: 'subscribedToNothing', message, blocks: true }];
  }
  if (fieldRecords === 0 && (onCreate || onUpdate)) {
    const message = onDelete
      ? 'The webhook has neither a Field nor a UdfField record, so only delete events make callouts: add a field.'
      : 'The webhook has neither a Field nor a UdfField record, so no event makes a callout: add a field.';
    return [{ code: 'noFieldRecord', message, blocks: !onDelete }];
  }
  if (onUpdate && subscribedFields === 0) {
    const message =
      'No field of the webhook is subscribed, they are only displayed, so updates never make a callout: ' +
      'set isSubscribedField of a field to true.';
    return [{ code: 'noSubscribedField', message, blocks: !onCreate && !onDelete }];
  }
  return [];
}
