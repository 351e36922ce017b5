import type { Operation, Parameter, Parameters } from './operation.ts';
import { optional } from './tenant-operations.ts';

export const resourceSettings = {
  email: { kind: 'text', description: 'Gets the mails about the webhooks that it owns.' },
  canCreateWebhooks: { kind: 'flag', description: 'Whether its credentials may create webhooks.' },
} as const satisfies Parameters;

/** The purposes of a credential, each with its meaning. */
export const roleMeanings = {
  integrator: 'webhooks, and reads',
  source: 'writes records and events',
  admin: 'everything of the tenant',
} as const;

const role: Parameter = { kind: 'choice', description: 'What the credential may do.', choices: roleMeanings };

const resourceID: Parameter = { kind: 'resource', description: 'The id of the resource that it acts for.' };
const userName: Parameter = { kind: 'text', description: 'Unique in the installation, such as crm@acme.example.' };
const expiresInSeconds: Parameter = {
  kind: 'whole',
  isOptional: true,
  least: 10,
  most: 3_600,
  description: 'How many seconds the link is valid; 300 unless given.',
};
const once =
  'The link signs in the first person to open it, once. It begins with PUBLIC_URL, else with the address of the zone of the tenant; without either it is a path.';
const issued = ({ secret, apiIntegrationCode }: { secret?: string; apiIntegrationCode?: string }) =>
  secret !== undefined || apiIntegrationCode !== undefined
    ? 'What was generated is shown this once. Store it now: it cannot be read again.'
    : 'Secret and code are those that you gave.';

/** Access to a tenant: resources, credentials, links and lockouts. */
export const accessOperations = {
  listResources: {
    method: 'GET',
    path: '/tenants/:tenantId/resources',
    command: ['resources', 'list'],
    summary: 'List the resources of a tenant',
    list: { columns: ['id', 'email', 'isActive', 'canCreateWebhooks'], none: 'The tenant has no resource yet.' },
  },
  createResource: {
    method: 'POST',
    path: '/tenants/:tenantId/resources',
    command: ['resources', 'create'],
    summary: 'Create a resource',
    description: 'A resource owns the webhooks that its credentials create.',
    body: { email: resourceSettings.email, ...optional({ canCreateWebhooks: resourceSettings.canCreateWebhooks }) },
    conflict: 'The tenant is being deleted.',
  },
  readResource: {
    method: 'GET',
    path: '/tenants/:tenantId/resources/:resourceId',
    command: ['resources', 'show'],
    names: ['resourceId'],
    summary: 'Read a resource',
  },
  updateResource: {
    method: 'PATCH',
    path: '/tenants/:tenantId/resources/:resourceId',
    command: ['resources', 'set'],
    names: ['resourceId'],
    summary: 'Change a resource',
    description: 'The credentials of an inactive resource are refused, and the webhooks that it owns become inactive.',
    body: optional({
      ...resourceSettings,
      isActive: { kind: 'flag', description: 'Whether it may act.' },
    }),
    conflict: 'The tenant is being deleted.',
  },
  listCredentials: {
    method: 'GET',
    path: '/tenants/:tenantId/credentials',
    command: ['credentials', 'list'],
    summary: 'List the credentials of a tenant',
    list: {
      columns: ['id', 'userName', 'role', 'resourceID', 'isSecretImported', 'createDateTime', 'revokeDateTime'],
      none: 'The tenant has no credential yet.',
    },
  },
  createCredential: {
    method: 'POST',
    path: '/tenants/:tenantId/credentials',
    command: ['credentials', 'create'],
    summary: 'Create a credential',
    description: 'Secret and code are generated and shown once, unless they were chosen elsewhere.',
    body: {
      resourceID,
      userName,
      role,
      secret: { kind: 'secret', isOptional: true, description: 'A secret that was chosen elsewhere.' },
      apiIntegrationCode: { kind: 'secret', isOptional: true, description: 'A code that was chosen elsewhere.' },
    },
    done: issued,
    conflict: 'A credential has this user name, or the tenant is being deleted.',
  },
  readCredential: {
    method: 'GET',
    path: '/tenants/:tenantId/credentials/:credentialId',
    command: ['credentials', 'show'],
    names: ['credentialId'],
    summary: 'Read a credential',
  },
  updateCredential: {
    method: 'PATCH',
    path: '/tenants/:tenantId/credentials/:credentialId',
    command: ['credentials', 'set-role'],
    names: ['credentialId', 'role'],
    summary: 'Change the role of a credential',
    body: { role },
    conflict: 'The credential is revoked, or the tenant is being deleted.',
  },
  revokeCredential: {
    method: 'DELETE',
    path: '/tenants/:tenantId/credentials/:credentialId',
    command: ['credentials', 'revoke'],
    names: ['credentialId'],
    summary: 'Revoke a credential',
    description: 'It is refused from the next request on, and stays in the list.',
    confirmation: (name) =>
      `From the next request on ${name} is refused, and its sessions of the console end. It stays in the list, and reissuing restores it.`,
  },
  reissueCredential: {
    method: 'POST',
    path: '/tenants/:tenantId/credentials/:credentialId/reissue',
    command: ['credentials', 'reissue'],
    names: ['credentialId'],
    summary: 'Give a credential another secret and code',
    description: 'A revoked credential works again.',
    confirmation: (name) =>
      `The present secret and integration code of ${name} stop working at once: give the new ones to its owner without delay.`,
    done: issued,
    conflict: 'The tenant is being deleted.',
  },
  findCredential: {
    method: 'GET',
    path: '/credentials',
    command: ['credentials', 'find'],
    names: ['userName'],
    summary: 'Find the credential of a user name, and its tenant',
    query: { userName },
    isFound: true,
  },
  createPortalLink: {
    method: 'POST',
    path: '/tenants/:tenantId/portalLinks',
    command: ['links', 'portal'],
    summary: 'Create a link that signs in as a resource, for its webhooks alone',
    description: `${once} 404 where the console is off.`,
    needsConsole: true,
    body: {
      resourceID,
      expiresInSeconds,
      entityType: {
        kind: 'text',
        isOptional: true,
        description: 'With webhookID: the entity of the one webhook that it is for.',
      },
      webhookID: { kind: 'id', isOptional: true, description: 'The id of that webhook.' },
      webhookGUID: { kind: 'guid', isOptional: true, description: 'The same webhook, by its GUID.' },
    },
    conflict: 'The tenant is being deleted.',
  },
  createSignInLink: {
    method: 'POST',
    path: '/tenants/:tenantId/signInLinks',
    command: ['links', 'sign-in'],
    names: ['userName'],
    summary: 'Create a link that signs in with the rights of a credential',
    description: `${once} 404 where the console is off.`,
    needsConsole: true,
    body: { userName: { kind: 'text', description: 'The user name of the credential.' }, expiresInSeconds },
    conflict: 'The tenant is being deleted.',
  },
  createOperatorLink: {
    method: 'POST',
    path: '/signInLinks',
    command: ['links', 'operator'],
    summary: 'Create a link that signs an operator in',
    description: `${once} 404 where the console is off.`,
    needsConsole: true,
    body: { expiresInSeconds },
    isBodyOptional: true,
  },
  listLockouts: {
    method: 'GET',
    path: '/lockouts',
    command: ['lockouts', 'list'],
    summary: 'List who is locked out',
    description: 'By the end of the lockout, the latest first; lockouts with the same end are on one page.',
    query: { tenantID: { kind: 'tenant', isOptional: true, description: 'Only user names of this tenant.' } },
    list: {
      columns: ['userName', 'tenantName', 'address', 'endDateTime'],
      none: 'No user name is locked out.',
      mark: 'moment',
    },
  },
  liftLockouts: {
    method: 'DELETE',
    path: '/lockouts',
    command: ['lockouts', 'lift'],
    names: ['userName'],
    summary: 'Let a user name sign in again',
    query: {
      userName: { kind: 'text', description: 'The user name whose lockouts are lifted.' },
      address: {
        kind: 'text',
        isOptional: true,
        description: 'Only the lockout of this address; an IPv6 address means its /64 network.',
      },
    },
    done: ({ lifted }: { lifted: number }) =>
      lifted === 0 ? 'It was not locked out.' : `Lifted ${lifted === 1 ? '1 lockout' : `${lifted} lockouts`}.`,
  },
} as const satisfies Readonly<Record<string, Operation>>;
