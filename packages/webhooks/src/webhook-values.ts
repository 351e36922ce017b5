import type { ConfigurationValues, SecretValue } from '@callout/domain/changes/field-changes';
import { secretMask } from '@callout/domain/input/secret-mask';
import type { NestedChildren } from './input/nested-children.ts';
import type { Prisma } from '@callout/database/generated/client';
import { settingsOf } from './settings/settings.ts';

/** The row of a webhook. */
export type WebhookRow = Prisma.WebhookGetPayload<object>;

/** The row of a webhook by `to_jsonb`, as Prisma reads it but for bytes. */
export function webhookRowOf(row: Readonly<Record<string, unknown>>): WebhookRow {
  const entries = Object.entries(row).map(([column, value]) => [
    column.replaceAll(/_(\w)/gu, (_all, letter: string) => letter.toUpperCase()),
    /_(?:at|until)$/u.test(column) && typeof value === 'string' ? new Date(value) : value,
  ]);
  return Object.fromEntries(entries) as WebhookRow;
}

/** The configuration of a webhook, without its children, as changes are recorded of. */
export function valuesOfWebhook(row: WebhookRow): ConfigurationValues {
  const names = settingsOf(row.entityType).flatMap(({ key, isSecret }) => (isSecret === true ? [] : [key]));
  return {
    ...Object.fromEntries(names.map((name) => [name, Reflect.get(row, name) as string | number | boolean | null])),
    ownerResourceID: row.ownerResourceId,
    ...headerValues(row.requestHeaders),
    ...authValues(row.receiverAuth),
    alertRoutingKey: { secret: row.alertFormat === 'pagerduty' ? secretMask : null },
    // A webhook that was deleted long ago has no secret.
    secretKey: { secret: row.secretKeyId === '' ? null : Buffer.from(row.secretCiphertext).toString('hex') },
    previousSecretUntil: row.previousSecretUntil?.toISOString() ?? null,
  };
}

/** The children in the body that creates a webhook. */
export function valuesOfChildren({ fields, udfFields, excludedResources }: NestedChildren): ConfigurationValues {
  const listOf = (list: readonly object[]) => (list.length === 0 ? null : JSON.stringify(list));
  const flags = ({ isSubscribed, isDisplayAlways }: { isSubscribed: boolean; isDisplayAlways: boolean }) => ({
    isSubscribedField: isSubscribed,
    isDisplayAlwaysField: isDisplayAlways,
  });
  return {
    fields: listOf(fields.map((one) => ({ fieldID: one.fieldId, ...flags(one) }))),
    udfFields: listOf(udfFields.map((one) => ({ udfFieldID: one.udfFieldId, ...flags(one) }))),
    excludedResources: listOf(excludedResources.map(({ resourceId }) => ({ resourceID: resourceId }))),
  };
}

function headerValues(shown: string): ConfigurationValues {
  const headers = JSON.parse(shown) as readonly { readonly name: string }[];
  return Object.fromEntries(headers.map(({ name }) => [`requestHeaders.${name}`, { secret: secretMask }]));
}

function authValues(shown: string): ConfigurationValues {
  const auth = Object.entries(JSON.parse(shown) as Readonly<Record<string, unknown>>);
  return Object.fromEntries(auth.map(([key, value]) => [`receiverAuth.${key}`, authValue(value)]));
}

function authValue(value: unknown): string | SecretValue {
  if (value === secretMask) return { secret: secretMask };
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Secrets that were replaced by others, by their names in `valuesOfWebhook`, where a mask hides the difference. */
export function replacedSecrets(names: readonly string[], at: 'before' | 'after'): ConfigurationValues {
  return Object.fromEntries(names.map((name) => [name, { secret: at }]));
}
