import { alertFormat, alertRoutingKey } from './alert-format.ts';
import { maxCallsPerSecond, maxConcurrentCalls } from './call-limits.ts';
import { condition } from './condition.ts';
import { isActive } from './is-active.ts';
import { notificationEmailAddress, sendThresholdExceededNotification } from './mail.ts';
import { mergeWhileWaiting } from './merging.ts';
import { name } from './name.ts';
import { includePreviousValues, payloadFormat } from './payload-format.ts';
import { caCertificate, receiverAuth, requestHeaders } from './receiver.ts';
import type { Setting, ValueOf } from './setting.ts';
import type { shownProperties } from './shown-properties.ts';
import { secretKey, signatureKind } from './signature.ts';
import { isSubscribedToCreateEvents, isSubscribedToDeleteEvents, isSubscribedToUpdateEvents } from './subscriptions.ts';
import { deactivationUrl, webhookUrl } from './urls.ts';

export type { FormPart, FormSection, Setting, SettingType, SettingValues } from './setting.ts';

/** All that items have, in their order: settings, and by their names the properties that are only shown. */
export const itemOrder = [
  'id',
  'webhookGUID',
  name,
  webhookUrl,
  deactivationUrl,
  isActive,
  'isReady',
  isSubscribedToCreateEvents,
  isSubscribedToUpdateEvents,
  isSubscribedToDeleteEvents,
  notificationEmailAddress,
  'ownerResourceID',
  secretKey,
  sendThresholdExceededNotification,
  mergeWhileWaiting,
  maxCallsPerSecond,
  maxConcurrentCalls,
  condition,
  includePreviousValues,
  payloadFormat,
  requestHeaders,
  receiverAuth,
  caCertificate,
  signatureKind,
  'signingPublicKey',
  'signingKeysUrl',
  alertFormat,
  alertRoutingKey,
] as const satisfies readonly (Setting | keyof typeof shownProperties)[];

type ItemSetting = Exclude<(typeof itemOrder)[number], string>;

/** The keys of all settings. */
export type SettingKey = ItemSetting['key'];

/** All settings of webhooks, in the order of items. */
export const settings: readonly (Setting & { readonly key: SettingKey })[] = itemOrder.filter(
  (one) => typeof one !== 'string',
);

/** The settings that webhooks on an entity have. */
export function settingsOf(entityType: string): readonly Setting[] {
  return settings.filter(({ only }) => only === undefined || only === entityType);
}

/** The values of all settings, as they are stored and in clear. */
export type AllSettings = { readonly [One in ItemSetting as One['key']]: ValueOf<One['type']> };

type SecretKey = 'secretKey' | 'alertRoutingKey';

/** The settings that an integrator may change, as columns have them: masks stand for secrets, and two have no column. */
export type WebhookSettings = Omit<AllSettings, SecretKey>;

type Defaults = {
  readonly [One in ItemSetting as One extends { readonly default: unknown } ? One['key'] : never]: ValueOf<One['type']>;
};

/** What a create begins with and a PUT goes back to. Without any fields, a webhook gets every change of its records. */
export const defaultSettings = Object.fromEntries(
  settings.flatMap(({ key, default: value }) =>
    value === undefined || key === 'alertRoutingKey' ? [] : [[key, value]],
  ),
) as Omit<Defaults, SecretKey>;
