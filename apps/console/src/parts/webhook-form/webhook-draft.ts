import type { Schemas } from '@callout/client';
import { emptyReceiver, receiverBody, type ReceiverDraft } from '../receiver-form/receiver-draft.ts';
import type { SignatureKind } from '../signing-keys/signature-input.tsx';

type Condition = Schemas['WebhookCondition'];

/** What a form about a webhook holds: all that the API lets one change, the secret apart. */
export interface WebhookDraft {
  readonly settings: WebhookSettings;
  readonly fields: readonly ChosenField[];
  /** Resources whose changes make no callout, by id. */
  readonly excluded: readonly number[];
  /** What its calls carry beside the signature, with masks for stored secrets. */
  readonly receiver: ReceiverDraft;
}

export interface WebhookSettings {
  readonly name: string;
  readonly webhookUrl: string;
  readonly deactivationUrl: string;
  readonly isActive: boolean;
  readonly isSubscribedToCreateEvents: boolean;
  readonly isSubscribedToUpdateEvents: boolean;
  readonly isSubscribedToDeleteEvents: boolean;
  /** Empty: none. */
  readonly notificationEmailAddress: string;
  readonly sendThresholdExceededNotification: boolean;
  readonly includePreviousValues: boolean;
  readonly payloadFormat: 'reference' | 'typed' | 'cloudevents';
  readonly signatureKind: SignatureKind;
  /** Absent: its callouts cannot be messages, since it is not on webhook health. */
  readonly alertFormat?: 'json' | 'slack' | 'teams' | 'pagerduty' | undefined;
  /** Asterisks: the stored one. */
  readonly alertRoutingKey?: string | undefined;
  /** The text of its JSON, so that equal conditions are equal; empty: none. */
  readonly condition: string;
  readonly mergeWhileWaiting: boolean;
  /** Null: no limit of its own. */
  readonly maxCallsPerSecond: number | null;
  readonly maxConcurrentCalls: number | null;
}

/** A field of the records, system or user-defined, and what it is for. */
export interface ChosenField {
  /** Such as `field:12` or `udf:3`: the ids of both kinds begin at 1. */
  readonly key: FieldKey;
  readonly isSubscribedField: boolean;
  readonly isDisplayAlwaysField: boolean;
}

export type FieldKey = `field:${number}` | `udf:${number}`;

export const fieldKey = (fieldID: number): FieldKey => `field:${fieldID}`;
export const udfKey = (udfFieldID: number): FieldKey => `udf:${udfFieldID}`;
export const isUserDefined = (key: FieldKey): boolean => key.startsWith('udf:');
export const idOf = (key: FieldKey): number => Number(key.slice(key.indexOf(':') + 1));

/** What a form that makes a webhook begins with. */
export const emptyDraft: WebhookDraft = {
  settings: {
    name: '',
    webhookUrl: '',
    deactivationUrl: '',
    isActive: true,
    isSubscribedToCreateEvents: true,
    isSubscribedToUpdateEvents: true,
    isSubscribedToDeleteEvents: true,
    notificationEmailAddress: '',
    sendThresholdExceededNotification: false,
    includePreviousValues: false,
    payloadFormat: 'reference',
    signatureKind: 'hmac',
    condition: '',
    mergeWhileWaiting: false,
    maxCallsPerSecond: null,
    maxConcurrentCalls: null,
  },
  fields: [],
  excluded: [],
  receiver: emptyReceiver,
};

/** Settings as the API takes them. */
export function settingsBody<Settings extends Partial<WebhookSettings>>(settings: Settings) {
  const { notificationEmailAddress: address, condition, alertFormat, alertRoutingKey, ...others } = settings;
  return {
    ...others,
    ...(condition !== undefined && { condition: condition === '' ? null : (JSON.parse(condition) as Condition) }),
    ...(address !== undefined && { notificationEmailAddress: address.trim() || null }),
    ...(alertFormat !== undefined && { alertFormat }),
    ...(alertRoutingKey && { alertRoutingKey }),
  };
}

/** A webhook with its fields and exclusions, as the API takes it in one request. */
export function createBody({ settings, fields, excluded, receiver }: WebhookDraft) {
  const own = fields.filter(({ key }) => !isUserDefined(key));
  const userDefined = fields.filter(({ key }) => isUserDefined(key));
  return {
    ...settingsBody(settings),
    ...receiverBody(receiver),
    fields: own.map(({ key, ...flags }) => ({ fieldID: idOf(key), ...flags })),
    ...(userDefined.length > 0 && {
      udfFields: userDefined.map(({ key, ...flags }) => ({ udfFieldID: idOf(key), ...flags })),
    }),
    excludedResources: excluded.map((resourceID) => ({ resourceID })),
  };
}
