import { z } from 'zod';
import { webhookConditionSchema } from '@callout/domain/condition/condition-schema';
import { textInput } from '@callout/domain/input/input-schemas';
import {
  boolean,
  flag,
  mailAddress,
  nullableJson,
  numberLimit,
  oneOf,
  text,
  type Field,
} from '@callout/domain/metadata/field';
import { maxPemLength } from '@callout/domain/receiver/certificates';
import {
  authoritiesInput,
  receiverAuthInput,
  receiverAuthKeys,
  receiverAuthSchema,
} from '@callout/domain/receiver/receiver-auth';
import { requestHeadersInput } from '@callout/domain/receiver/request-headers';
import type { Setting, SettingType } from '../settings/setting.ts';

const maxSecretLength = 64;

/** The secret that signs callouts. A control character is a copied line end: the other side could not type it in. */
export const secretField = {
  ...text(maxSecretLength),
  input: textInput(maxSecretLength)
    .refine((secret) => !/\p{Cc}/u.test(secret), 'must not contain control characters')
    .refine(
      (secret) => !/^wh[ps]k_/u.test(secret),
      'must not be a key of Ed25519 (whpk_, whsk_): choose another secret, and set signatureKind for such signatures',
    ),
} as const;

type OfKind<Kind extends SettingType['kind']> = Extract<SettingType, { readonly kind: Kind }>;

/** How bodies, metadata and documents have the values of each type. */
const fieldOfKind: { readonly [Kind in SettingType['kind']]: (type: OfKind<Kind>) => Omit<Field, 'description'> } = {
  boolean: () => boolean,
  flag: () => flag,
  text: ({ length }) => text(length),
  url: ({ length }) => text(length),
  mail: () => mailAddress,
  limit: ({ isWhole, minimum, maximum }) => numberLimit(isWhole ? 'integer' : 'double', minimum, maximum),
  choice: ({ words }) => oneOf(words),
  secret: () => ({ ...secretField, isQueryable: false }),
  condition: () => ({
    ...nullableJson('object', z.record(z.string(), z.unknown(), 'must be an object with op, field and value')),
    schema: webhookConditionSchema,
  }),
  requestHeaders: () => ({
    dataType: 'array',
    isQueryable: false,
    input: requestHeadersInput,
    items: {
      name: { ...text(100), requiredOf: ['create'], description: 'The name of the header.' },
      value: { ...text(4096), requiredOf: ['create'], description: 'Its value, which reads as asterisks.' },
    },
  }),
  receiverAuth: () => ({
    dataType: 'object',
    isQueryable: false,
    input: receiverAuthInput,
    keys: receiverAuthKeys,
    schema: receiverAuthSchema,
  }),
  authorities: () => ({
    dataType: 'string',
    length: maxPemLength,
    isQueryable: false,
    input: authoritiesInput,
    isNullable: true,
    takesNull: true,
  }),
  routingKey: () => ({
    dataType: 'string',
    length: 100,
    isQueryable: false,
    input: textInput(100)
      .refine((key) => /^[\x21-\x7e]+$/u.test(key), 'must be visible ASCII characters')
      .nullable(),
    isNullable: true,
    takesNull: true,
  }),
};

/** A setting as a field of the collection of webhooks. */
export function fieldOf({ type, description, requiredOf, soapName }: Setting): Field {
  const field = (fieldOfKind[type.kind] as (one: SettingType) => Omit<Field, 'description'>)(type);
  return {
    ...field,
    description,
    ...(requiredOf !== undefined && { requiredOf }),
    ...(soapName !== undefined && { soapName }),
  };
}
