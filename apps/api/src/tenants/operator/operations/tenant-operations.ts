import { z } from 'zod';
import { credentialRoles } from '@callout/core/tenants';
import { anyId, flag, moment, text, whole } from '../../../http/operation/wire-types.ts';
import { itemAnswer, listAnswer, pageParameters, perHour, type OperatorOperation } from './operator-operation.ts';

const zoneSettings = {
  name: text.describe('Its name.'),
  url: text.describe('Scheme, host and port; empty: it has no address of its own.'),
  webUrl: text.describe('The address for people; may be empty.'),
  isDefault: flag.describe('Whether new tenants and unknown users get it.'),
};
const zone = z.object({ id: anyId, ...zoneSettings }).meta({ id: 'Zone' });

const tenantSettings = {
  name: text.describe('Unique in the installation.'),
  zoneID: anyId.describe('The zone that its people reach the API by.'),
  calloutThreshold: perHour('Callouts per entity in any hour'),
  apiRequestsPerHour: perHour('Requests per hour'),
};
const tenant = z
  .object({
    id: anyId,
    ...tenantSettings,
    createDateTime: moment,
    deletingDateTime: moment.nullable().describe('Since when it is being deleted; null: it is not.'),
  })
  .meta({ id: 'Tenant' });

const resourceSettings = {
  email: text.describe('Gets the mails about the webhooks that it owns.'),
  canCreateWebhooks: flag,
};
const resource = z.object({ id: anyId, isActive: flag, ...resourceSettings }).meta({ id: 'Resource' });

const role = z.enum(credentialRoles);
const credentialFacts = {
  id: anyId,
  resourceID: anyId,
  userName: text.describe('Unique in the installation, ignoring case.'),
  role,
  isSecretImported: flag.describe('Its secret was chosen elsewhere.'),
  createDateTime: moment,
  revokeDateTime: moment.nullable().describe('Since when it is refused; null: it is not.'),
};
const generated = {
  secret: text.describe('Shown this once; absent: it was chosen elsewhere.').optional(),
  apiIntegrationCode: text.describe('Shown this once; absent: it was chosen elsewhere.').optional(),
};
const credential = z.object(credentialFacts).meta({ id: 'Credential' });
const issuedCredential = z.object({ ...credentialFacts, ...generated }).meta({ id: 'IssuedCredential' });

const lockout = z
  .object({
    userName: text.nullable().describe('Null: no credential has that name.'),
    address: text.describe('Where the failed sign-ins came from.'),
    endDateTime: moment,
  })
  .meta({ id: 'Lockout' });

const link = z.object({ url: text, expiresDateTime: moment }).meta({ id: 'SignInLink' });
const expiresInSeconds = whole.min(10).max(3_600).describe('300 unless given.').optional();

const some = (shape: z.ZodRawShape): z.ZodObject => z.object(shape).partial();

/** Zones, tenants, and who may do what in them. */
export const tenantOperations = {
  listZones: {
    method: 'GET',
    path: '/zones',
    id: 'listZones',
    summary: 'List the zones',
    query: z.object(pageParameters),
    answer: listAnswer(zone),
  },
  createZone: {
    method: 'POST',
    path: '/zones',
    id: 'createZone',
    summary: 'Create a zone',
    body: { schema: z.object({ ...zoneSettings, ...some({ webUrl: text, isDefault: flag }).shape }) },
    answer: itemAnswer(zone),
    conflict: 'A zone has this name.',
  },
  readZone: { method: 'GET', path: '/zones/:zoneId', id: 'readZone', summary: 'Read a zone', answer: itemAnswer(zone) },
  updateZone: {
    method: 'PATCH',
    path: '/zones/:zoneId',
    id: 'updateZone',
    summary: 'Change a zone',
    body: { schema: some(zoneSettings) },
    answer: itemAnswer(zone),
    conflict: 'A zone has this name, or the default zone would be none.',
  },
  listTenants: {
    method: 'GET',
    path: '/tenants',
    id: 'listTenants',
    summary: 'List the tenants',
    query: z.object({ ...pageParameters, search: text.describe('A part of the name.').optional() }),
    answer: listAnswer(tenant),
  },
  createTenant: {
    method: 'POST',
    path: '/tenants',
    id: 'createTenant',
    summary: 'Create a tenant',
    body: { schema: z.object({ name: tenantSettings.name, ...some(tenantSettings).omit({ name: true }).shape }) },
    answer: itemAnswer(tenant),
    conflict: 'A tenant has this name.',
  },
  readTenant: {
    method: 'GET',
    path: '/tenants/:tenantId',
    id: 'readTenant',
    summary: 'Read a tenant',
    answer: itemAnswer(tenant),
  },
  updateTenant: {
    method: 'PATCH',
    path: '/tenants/:tenantId',
    id: 'updateTenant',
    summary: 'Change a tenant',
    body: { schema: some(tenantSettings) },
    answer: itemAnswer(tenant),
    conflict: 'A tenant has this name, or the tenant is being deleted.',
  },
  deleteTenant: {
    method: 'DELETE',
    path: '/tenants/:tenantId',
    id: 'deleteTenant',
    summary: 'Delete a tenant',
    description: 'Its callers are refused at once; workers erase what it has, which may take long.',
    query: z.object({ name: text.describe('The name of the tenant, as confirmation.') }),
    answer: itemAnswer(tenant, 'It is being deleted.'),
    status: 202,
  },
  exportTenant: {
    method: 'GET',
    path: '/tenants/:tenantId/export',
    id: 'exportTenant',
    summary: 'Export a tenant',
    description: 'Everything of a tenant as JSON lines, without secrets. What is cut off lacks its last line.',
    answer: { description: 'A JSON object on each line.', schema: text, mediaType: 'application/x-ndjson' },
    conflict: 'Another export is under way.',
  },
  listResources: {
    method: 'GET',
    path: '/tenants/:tenantId/resources',
    id: 'listResources',
    summary: 'List the resources of a tenant',
    query: z.object(pageParameters),
    answer: listAnswer(resource),
  },
  createResource: {
    method: 'POST',
    path: '/tenants/:tenantId/resources',
    id: 'createResource',
    summary: 'Create a resource',
    body: { schema: z.object({ email: resourceSettings.email, canCreateWebhooks: flag.optional() }) },
    answer: itemAnswer(resource),
    conflict: 'The tenant is being deleted.',
  },
  readResource: {
    method: 'GET',
    path: '/tenants/:tenantId/resources/:resourceId',
    id: 'readResource',
    summary: 'Read a resource',
    answer: itemAnswer(resource),
  },
  updateResource: {
    method: 'PATCH',
    path: '/tenants/:tenantId/resources/:resourceId',
    id: 'updateResource',
    summary: 'Change a resource',
    description: 'The credentials of an inactive resource are refused, and the webhooks that it owns become inactive.',
    body: { schema: some({ ...resourceSettings, isActive: flag }) },
    answer: itemAnswer(resource),
    conflict: 'The tenant is being deleted.',
  },
  listCredentials: {
    method: 'GET',
    path: '/tenants/:tenantId/credentials',
    id: 'listCredentials',
    summary: 'List the credentials of a tenant',
    query: z.object(pageParameters),
    answer: listAnswer(credential),
  },
  createCredential: {
    method: 'POST',
    path: '/tenants/:tenantId/credentials',
    id: 'createCredential',
    summary: 'Create a credential',
    description: 'Secret and code are generated and shown once, unless they were chosen elsewhere.',
    body: {
      schema: z.object({
        resourceID: credentialFacts.resourceID,
        userName: credentialFacts.userName,
        role,
        secret: text.describe('One that was chosen elsewhere.').optional(),
        apiIntegrationCode: text.describe('One that was chosen elsewhere.').optional(),
      }),
    },
    answer: itemAnswer(issuedCredential),
    conflict: 'A credential has this user name, or the tenant is being deleted.',
  },
  readCredential: {
    method: 'GET',
    path: '/tenants/:tenantId/credentials/:credentialId',
    id: 'readCredential',
    summary: 'Read a credential',
    answer: itemAnswer(credential),
  },
  updateCredential: {
    method: 'PATCH',
    path: '/tenants/:tenantId/credentials/:credentialId',
    id: 'updateCredential',
    summary: 'Change the role of a credential',
    body: { schema: some({ role }) },
    answer: itemAnswer(credential),
    conflict: 'The credential is revoked, or the tenant is being deleted.',
  },
  revokeCredential: {
    method: 'DELETE',
    path: '/tenants/:tenantId/credentials/:credentialId',
    id: 'revokeCredential',
    summary: 'Revoke a credential',
    description: 'It is refused from the next request on, and stays in the list.',
    answer: itemAnswer(credential),
  },
  reissueCredential: {
    method: 'POST',
    path: '/tenants/:tenantId/credentials/:credentialId/reissue',
    id: 'reissueCredential',
    summary: 'Give a credential another secret and code',
    answer: itemAnswer(issuedCredential),
    conflict: 'The credential is revoked, or the tenant is being deleted.',
  },
  createPortalLink: {
    method: 'POST',
    path: '/tenants/:tenantId/portalLinks',
    id: 'createPortalLink',
    summary: 'Create a link that signs in as a resource, for its webhooks alone',
    description: '404 where the console is off.',
    body: {
      schema: z.object({
        resourceID: anyId,
        expiresInSeconds,
        entityType: text.describe('With webhookID: the one webhook that it is for.').optional(),
        webhookID: anyId.optional(),
      }),
    },
    answer: itemAnswer(link),
    conflict: 'The tenant is being deleted.',
  },
  createSignInLink: {
    method: 'POST',
    path: '/tenants/:tenantId/signInLinks',
    id: 'createSignInLink',
    summary: 'Create a link that signs in with the rights of a credential',
    description: '404 where the console is off.',
    body: { schema: z.object({ userName: text, expiresInSeconds }) },
    answer: itemAnswer(link),
    conflict: 'The tenant is being deleted.',
  },
  createOperatorLink: {
    method: 'POST',
    path: '/signInLinks',
    id: 'createOperatorLink',
    summary: 'Create a link that signs an operator in',
    description: '404 where the console is off.',
    body: { schema: z.object({ expiresInSeconds }), isOptional: true },
    answer: itemAnswer(link),
  },
  listLockouts: {
    method: 'GET',
    path: '/lockouts',
    id: 'listLockouts',
    summary: 'List who is locked out',
    description: 'By their end, the latest first; those that end at the same time are on one page.',
    query: z.object({
      tenantID: anyId.describe('Only user names of this tenant.').optional(),
      after: moment.describe('The nextAfter of the page before.').optional(),
      limit: pageParameters.limit,
    }),
    answer: listAnswer(lockout, moment),
  },
  liftLockouts: {
    method: 'DELETE',
    path: '/lockouts',
    id: 'liftLockouts',
    summary: 'Let a user name sign in again',
    query: z.object({
      userName: text.describe('Whose lockouts are lifted.'),
      address: text.describe('Only that of this address.').optional(),
    }),
    answer: { description: 'How many were lifted.', schema: z.object({ lifted: whole }) },
  },
} as const satisfies Readonly<Record<string, OperatorOperation>>;
