import type { FieldTable } from '@callout/domain/metadata/field';

/** What items show beside settings: the service gives each of these values. */
export const shownProperties = {
  id: { dataType: 'long', minimum: 1, isReadOnly: true, description: 'The id of the webhook.' },
  webhookGUID: {
    dataType: 'string',
    length: 100,
    isReadOnly: true,
    description: 'The GUID of the webhook: the Guid in its callouts.',
  },
  isReady: {
    dataType: 'boolean',
    soapName: 'Ready',
    isReadOnly: true,
    description: 'Whether it has a field, a user-defined one too, or subscribes to deleted records alone.',
  },
  ownerResourceID: {
    dataType: 'integer',
    isReadOnly: true,
    referenceEntityType: 'Resource',
    description: 'The resource of the credential that created it.',
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
