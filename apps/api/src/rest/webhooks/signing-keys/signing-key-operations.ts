import { z } from 'zod';
import { tenantOperations } from '@callout/domain/operations/tenant-operations';
import { signingKeyRotationFields } from '@callout/webhooks/input/signing-key-rotation';
import { bodySchema } from '../../../http/operation/field-schemas.ts';
import type { OperationSchema } from '../../../http/operation/operation-schema.ts';
import type { Tag } from '../../../http/operation/tags.ts';
import { moment, pageOf, text, warningKeys } from '../../../http/operation/wire-types.ts';

/** A public key of a tenant. */
export const signingKey = z
  .object({
    kid: text.describe('The name of the key: its JWK thumbprint (RFC 7638).'),
    state: z.enum(['current', 'previous']).describe('previous: replaced, and still signing beside the current key.'),
    signingPublicKey: text.describe('The public key, as whpk_ and base64.'),
    createDateTime: moment.describe('When the key was made.'),
    endDateTime: moment.nullable().describe('Until when the key signs; null: until a rotation.'),
    signingKeysUrl: text.describe('Where receivers read all public keys of the tenant, as JWKS.'),
  })
  .meta({ id: 'SigningKey' });

/** The body of a rotation. */
const signingKeyRotation = bodySchema('SigningKeyRotation', signingKeyRotationFields, 'create');

const tag: Tag = {
  name: 'Signing keys',
  group: 'Subscribe',
  description: 'The key pair of the tenant, which signs callouts with Ed25519.',
};

export const listSigningKeys: OperationSchema = {
  tag,
  id: 'listWebhookKeys',
  summary: 'The public keys that verify Ed25519 signatures',
  description:
    'The current one, and during a rotation the one before. None until a webhook has the signatureKind ed25519 or both.',
  responses: { 200: { description: 'The keys, the current one first.', schema: pageOf(signingKey) } },
};

export const rotateSigningKeyOperation: OperationSchema = {
  tag,
  id: 'rotateWebhookKeys',
  summary: 'Give the tenant a new key pair, with an overlap',
  description: tenantOperations.rotateSigningKey.description,
  body: {
    schema: signingKeyRotation,
    example: { kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k', overlapHours: 24 },
  },
  isWarned: true,
  responses: { 200: { description: 'The keys after it.', schema: pageOf(signingKey, warningKeys) } },
  conflict: tenantOperations.rotateSigningKey.conflict,
};
