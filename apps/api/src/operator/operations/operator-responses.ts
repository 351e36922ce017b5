import { z } from 'zod';
import type { OperationName } from '@callout/domain/operations/operations';
import { resourceSettings } from '@callout/domain/operations/access-operations';
import { tenantSettings, zoneSettings } from '@callout/domain/operations/tenant-operations';
import { credentialRoles } from '@callout/tenancy/input/credential-input.rules';
import type { ResponseSchema } from '../../http/operation/operation-schema.ts';
import { anyId, flag, guid, moment, someText, text, warningKeys, whole } from '../../http/operation/wire-types.ts';
import { operatorStatistics } from '../../rest/statistics/statistics-schemas.ts';
import { signingKey } from '../../rest/webhooks/signing-keys/signing-key-operations.ts';
import { shapeOf } from './parameter-schemas.ts';
import { alertTest, key, mail, queues, reencryptedBatch, retention, status } from './status-responses.ts';

const zone = z.object({ id: anyId, ...shapeOf(zoneSettings) }).meta({ id: 'Zone' });
const tenant = z
  .object({
    id: anyId,
    ...shapeOf(tenantSettings),
    createDateTime: moment,
    deletingDateTime: moment.nullable().describe('Since when the tenant is being deleted; null: not being deleted.'),
  })
  .meta({ id: 'Tenant' });
const resource = z.object({ id: anyId, isActive: flag, ...shapeOf(resourceSettings) }).meta({ id: 'Resource' });

const credentialFacts = {
  id: anyId,
  resourceID: anyId,
  userName: someText.describe('Unique in the installation, ignoring case.'),
  role: z.enum(credentialRoles),
  isSecretImported: flag.describe('Its secret was chosen elsewhere.'),
  createDateTime: moment,
  revokeDateTime: moment.nullable().describe('Since when the credential is refused; null: not refused.'),
};
const generated = text.describe('Shown this once; absent: it was chosen elsewhere.').optional();
const credential = z.object(credentialFacts).meta({ id: 'Credential' });
const foundCredential = z.object({ ...credentialFacts, tenantID: anyId }).meta({ id: 'FoundCredential' });
const issuedCredential = z
  .object({ ...credentialFacts, secret: generated, apiIntegrationCode: generated })
  .meta({ id: 'IssuedCredential' });

const lockout = z
  .object({
    userName: text.nullable().describe('Null: no credential has that name.'),
    tenantID: anyId.nullable().describe('The tenant of the user name; null without a credential.'),
    tenantName: text.nullable(),
    address: text.describe('Where the failed sign-ins came from.'),
    endDateTime: moment,
  })
  .meta({ id: 'Lockout' });
const link = z.object({ url: text, expiresDateTime: moment }).meta({ id: 'SignInLink' });

/** A single thing, in an envelope. */
const one = (schema: z.ZodType, description = 'What was asked for.'): ResponseSchema => ({
  description,
  schema: z.object({ item: schema }),
});

/** A page of a list; `mark` is the beginning of the next page. */
const page = (row: z.ZodType, mark: z.ZodType = whole): ResponseSchema => {
  const nextAfter = mark.nullable().describe('The `after` of the next page; null on the last.');
  return { description: 'A page of them.', schema: z.object({ items: z.array(row), nextAfter }) };
};

/** All of a list. */
const all = (row: z.ZodType, furtherKeys: z.ZodRawShape = {}): ResponseSchema => ({
  description: 'All of them.',
  schema: z.object({ items: z.array(row), ...furtherKeys }),
});

/** What each operation answers. */
export const responses: Readonly<Record<OperationName, ResponseSchema>> = {
  listZones: page(zone),
  createZone: one(zone),
  readZone: one(zone),
  updateZone: one(zone),
  listTenants: page(tenant),
  createTenant: one(tenant),
  readTenant: one(tenant),
  updateTenant: one(tenant),
  deleteTenant: one(tenant, 'It is being deleted.'),
  exportTenant: { description: 'A JSON object on each line.', schema: text, mediaType: 'application/x-ndjson' },
  listSigningKeys: all(signingKey),
  rotateSigningKey: all(signingKey, { warnings: warningKeys.warnings }),
  findCallout: one(z.object({ tenantID: anyId, entityType: text, webhookID: anyId }).meta({ id: 'FoundCallout' })),
  listResources: page(resource),
  createResource: one(resource),
  readResource: one(resource),
  updateResource: one(resource),
  listCredentials: page(credential),
  createCredential: one(issuedCredential),
  readCredential: one(credential),
  updateCredential: one(credential),
  revokeCredential: one(credential),
  reissueCredential: one(issuedCredential),
  findCredential: one(foundCredential),
  createPortalLink: one(link),
  createSignInLink: one(link),
  createOperatorLink: one(link),
  listLockouts: page(lockout, moment),
  liftLockouts: { description: 'How many were lifted.', schema: z.object({ lifted: whole }) },
  readStatus: one(status),
  readQueues: one(queues),
  rebuildQueue: one(z.object({ events: whole, webhooks: whole }).meta({ id: 'Enqueued' })),
  readStatistics: one(operatorStatistics),
  listKeys: all(key),
  reencryptSecrets: one(reencryptedBatch),
  readRetention: one(retention),
  listMails: page(mail, guid),
  retryMail: one(z.object({ id: guid })),
  testAlerts: one(z.object({ startDateTime: moment })),
  readAlertTest: one(alertTest),
};
