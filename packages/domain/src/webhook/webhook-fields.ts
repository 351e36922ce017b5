import { z } from 'zod';
import { alertFormats } from '../alert/alert.ts';
import { webhookHealthType } from '../catalogue/webhook-health.ts';
import { payloadFormats } from '../callout/payload-format.ts';
import { webhookConditionSchema } from '../condition/condition-schema.ts';
import { knownKeys } from '../input/fold-keys.ts';
import { keysOf } from '../metadata/field-table.ts';
import { textInput } from '../input/input-schemas.ts';
import {
  boolean,
  flag,
  mailAddress,
  nullableJson,
  numberLimit,
  oneOf,
  ownId,
  text,
  type FieldTable,
  type WholeWrite,
} from '../metadata/field.ts';
import {
  authoritiesInput,
  receiverAuthInput,
  receiverAuthKeys,
  receiverAuthSchema,
} from '../receiver/receiver-auth.ts';
import { requestHeadersInput } from '../receiver/request-headers.ts';
import { maxPemLength } from '../receiver/certificates.ts';
import { signatureKinds } from '../callout/signature-kind.ts';
import { childFields } from './child-fields.ts';

const maxSecretLength = 64;
const whole: readonly WholeWrite[] = ['create', 'replace'];

/** The secret that signs callouts. A control character is a copied line end: the other side could not type it in. */
export const secretField = {
  ...text(maxSecretLength),
  input: textInput(maxSecretLength)
    .refine((secret) => !/\p{Cc}/u.test(secret), 'must not contain control characters')
    .refine(
      (secret) => !/^wh[ps]k_/u.test(secret),
      'must not be a key of Ed25519 (whpk_, whsk_): choose another secret, and set signatureKind for such signatures',
    ),
  description: 'What signs its callouts, 1 to 64 characters; it is never returned and reads as asterisks.',
} as const;

/**
 * The fields of a webhook, in the order in which items have them. The secret is stored encrypted: no filter names it.
 */
export const webhookFields = {
  id: { ...ownId, description: 'The id of the webhook.' },
  webhookGUID: {
    dataType: 'string',
    length: 100,
    isReadOnly: true,
    description: 'The GUID of the webhook: the Guid in its callouts.',
  },
  name: { ...text(50), requiredOf: whole, description: 'What its owner calls it.' },
  webhookUrl: {
    ...text(500),
    requiredOf: whole,
    description: 'Where its callouts go; pull: keeps them until they are fetched.',
  },
  deactivationUrl: {
    ...text(500),
    requiredOf: whole,
    description:
      'The URL that is notified when it becomes inactive or is deleted; pull: keeps that to be fetched, too.',
  },
  isActive: {
    ...boolean,
    requiredOf: ['replace'],
    soapName: 'Active',
    description: 'Whether changes make callouts for it.',
  },
  isReady: {
    dataType: 'boolean',
    soapName: 'Ready',
    isReadOnly: true,
    description: 'Whether it has a field, a user-defined one too, or subscribes to deleted records alone.',
  },
  isSubscribedToCreateEvents: { ...flag, description: 'Whether created records make callouts.' },
  isSubscribedToUpdateEvents: { ...flag, description: 'Whether changes of its subscribed fields make callouts.' },
  isSubscribedToDeleteEvents: { ...flag, description: 'Whether deleted records make callouts.' },
  notificationEmailAddress: {
    ...mailAddress,
    description: 'Who gets mail about it besides its owner; null: its owner alone.',
  },
  ownerResourceID: {
    dataType: 'integer',
    isReadOnly: true,
    referenceEntityType: 'Resource',
    description: 'The resource of the credential that created it.',
  },
  secretKey: { ...secretField, requiredOf: ['create'], isQueryable: false },
  sendThresholdExceededNotification: {
    ...boolean,
    requiredOf: ['replace'],
    description: 'Whether mail goes out when the threshold holds its callouts.',
  },
  mergeWhileWaiting: {
    ...flag,
    description: 'Whether later changes of a record are merged into a callout that has not been tried.',
  },
  maxCallsPerSecond: {
    ...numberLimit('double', 0.1, 1_000),
    description: 'How many calls to its receiver may begin in a second; null: any number.',
  },
  maxConcurrentCalls: {
    ...numberLimit('integer', 1, 200),
    description: 'How many calls to its receiver may be under way at once; null: the service decides.',
  },
  condition: {
    ...nullableJson('object', z.record(z.string(), z.unknown(), 'must be an object with op, field and value')),
    schema: webhookConditionSchema,
    description: 'What an event must fulfil to make a callout; null: every event does.',
  },
  includePreviousValues: {
    ...flag,
    description: 'Whether its callouts also tell what the changed fields were before.',
  },
  payloadFormat: {
    ...oneOf(payloadFormats),
    description: 'What its bodies look like: reference, typed or cloudevents; reference when it is left out.',
  },
  requestHeaders: {
    dataType: 'array',
    isQueryable: false,
    input: requestHeadersInput,
    items: {
      name: { ...text(100), requiredOf: ['create'], description: 'The name of the header.' },
      value: { ...text(4096), requiredOf: ['create'], description: 'Its value, which reads as asterisks.' },
    },
    description: 'Headers that its requests have besides those of Callout, 20 at most.',
  },
  receiverAuth: {
    dataType: 'object',
    isQueryable: false,
    input: receiverAuthInput,
    keys: receiverAuthKeys,
    schema: receiverAuthSchema,
    description: 'How its requests prove who sends them, beside the signature; secrets read as asterisks.',
  },
  caCertificate: {
    dataType: 'string',
    length: maxPemLength,
    isQueryable: false,
    input: authoritiesInput,
    isNullable: true,
    takesNull: true,
    description: 'The certificate authorities that its receiver is trusted by, in PEM; null: the public ones.',
  },
  signatureKind: {
    ...oneOf(signatureKinds),
    description:
      'How its callouts are signed: hmac with its secret, ed25519 with the private key of the tenant, or both; hmac when it is left out.',
  },
  signingPublicKey: {
    dataType: 'string',
    length: 100,
    isReadOnly: true,
    isQueryable: false,
    isNullable: true,
    description: 'The public key for its Ed25519 signatures, as whpk_ and base64; null: none is made.',
  },
  signingKeysUrl: {
    dataType: 'string',
    length: 500,
    isReadOnly: true,
    isQueryable: false,
    isNullable: true,
    description: 'Where its receiver reads that key, and the one before a rotation, as JWKS; null: none is used.',
  },
} as const satisfies FieldTable;

/** Further fields of webhooks on `WebhookHealth`, whose callouts may be messages for a chat or a pager. */
const alertFields = {
  alertFormat: {
    ...oneOf(alertFormats),
    description:
      'What its callouts are: json, as those of other webhooks, or a message for slack, teams or pagerduty; json when it is left out.',
  },
  alertRoutingKey: {
    dataType: 'string',
    length: 100,
    isQueryable: false,
    input: textInput(100)
      .refine((key) => /^[\x21-\x7e]+$/u.test(key), 'must be visible ASCII characters')
      .nullable(),
    isNullable: true,
    takesNull: true,
    description:
      'The integration key of PagerDuty, which alertFormat pagerduty requires; it is never returned and reads as asterisks.',
  },
} as const satisfies FieldTable;

/** All fields of a webhook on `WebhookHealth`. */
export const healthWebhookFields = { ...webhookFields, ...alertFields };

/** The fields of the webhooks of an entity, in the order in which items have them. */
export function webhookFieldsOf({ entityType }: { readonly entityType: string }): FieldTable {
  return entityType === webhookHealthType ? healthWebhookFields : webhookFields;
}

/** The children that the body of a create may contain, beside the fields. */
export const nestedChildFields = {
  fields: {
    dataType: 'list',
    only: 'create',
    items: childFields.fields,
    description: 'The fields that it begins with.',
  },
  udfFields: {
    dataType: 'list',
    only: 'create',
    items: childFields.udfFields,
    description: 'The user-defined fields that it begins with.',
  },
  excludedResources: {
    dataType: 'list',
    only: 'create',
    items: childFields.excludedResources,
    description: 'The resources whose changes it leaves out, to begin with.',
  },
} as const satisfies FieldTable;

/** The known keys of the children of webhooks in a body. */
export const knownChildKeys = {
  fields: knownKeys(keysOf(childFields.fields)),
  udfFields: knownKeys(keysOf(childFields.udfFields)),
  excludedResources: knownKeys(keysOf(childFields.excludedResources)),
};

/** The known keys of a webhook in a body. */
export const knownWebhookKeys = knownKeys({ ...keysOf(healthWebhookFields), ...keysOf(nestedChildFields) });
