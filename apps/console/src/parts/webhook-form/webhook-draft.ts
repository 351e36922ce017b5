import { emptyReceiver, receiverBody, type ReceiverDraft } from '../receiver-form/receiver-draft.ts';
import { initialSettings, settingsBody, type WebhookSettings } from '../settings-form/form-settings.ts';

/** What a form about a webhook holds: every change possible in the API, except the secret. */
export interface WebhookDraft {
  readonly settings: WebhookSettings;
  readonly fields: readonly ChosenField[];
  /** Resources whose changes make no callout, by id. */
  readonly excluded: readonly number[];
  /** What the calls carry beside the signature, with masks for stored secrets. */
  readonly receiver: ReceiverDraft;
}

/** A field of the records, system or user-defined, and the purpose of the field. */
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

/** What the form of a new webhook begins with. */
export const emptyDraft: WebhookDraft = {
  settings: initialSettings('Account'),
  fields: [],
  excluded: [],
  receiver: emptyReceiver,
};

/** A webhook with fields and exclusions, as the API takes the whole in a request. */
export function createBody({ settings, fields, excluded, receiver }: WebhookDraft) {
  const system = fields.filter(({ key }) => !isUserDefined(key));
  const userDefined = fields.filter(({ key }) => isUserDefined(key));
  return {
    ...settingsBody(settings),
    ...receiverBody(receiver),
    fields: system.map(({ key, ...flags }) => ({ fieldID: idOf(key), ...flags })),
    ...(userDefined.length > 0 && {
      udfFields: userDefined.map(({ key, ...flags }) => ({ udfFieldID: idOf(key), ...flags })),
    }),
    excludedResources: excluded.map((resourceID) => ({ resourceID })),
  };
}
