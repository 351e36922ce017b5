import type { Operation, Parameters } from './operation.ts';

export const zoneSettings = {
  name: { kind: 'text', description: 'Unique in the installation.' },
  url: {
    kind: 'text',
    mayBeEmpty: true,
    description: 'Scheme, host and port, such as https://eu.callout.example; empty: wherever the caller is.',
  },
  webUrl: { kind: 'text', mayBeEmpty: true, description: 'The address for people; may be empty.' },
  isDefault: { kind: 'flag', description: 'Whether new tenants and unknown users get it, in place of the one before.' },
} as const satisfies Parameters;

export const tenantSettings = {
  name: { kind: 'text', description: 'Unique in the installation.' },
  zoneID: { kind: 'zone', description: 'The zone that its people reach the API by; the default zone unless given.' },
  calloutThreshold: {
    kind: 'perHour',
    description: 'Callouts per entity in any hour; callouts above it are held, and go out later.',
  },
  apiRequestsPerHour: { kind: 'perHour', description: 'Requests of all its credentials per hour; above it 429.' },
} as const satisfies Parameters;

/** The same parameters, all optional. */
export function optional<Given extends Parameters>(parameters: Given): Given {
  const all = Object.entries(parameters).map(([name, one]) => [name, { ...one, isOptional: true }]);
  return Object.fromEntries(all) as Given;
}

const { name: zoneName, url: zoneUrl, ...otherZoneSettings } = zoneSettings;
const { name: tenantName, ...otherTenantSettings } = tenantSettings;

/** Zones and tenants. */
export const tenantOperations = {
  listZones: {
    method: 'GET',
    path: '/zones',
    command: ['zones', 'list'],
    summary: 'List the zones',
    list: { columns: ['id', 'name', 'url', 'webUrl', 'isDefault'], none: 'There is no zone yet.' },
  },
  createZone: {
    method: 'POST',
    path: '/zones',
    command: ['zones', 'create'],
    summary: 'Create a zone',
    body: { name: zoneName, url: zoneUrl, ...optional(otherZoneSettings) },
    conflict: 'A zone has this name.',
  },
  readZone: {
    method: 'GET',
    path: '/zones/:zoneId',
    command: ['zones', 'show'],
    names: ['zoneId'],
    summary: 'Read a zone',
  },
  updateZone: {
    method: 'PATCH',
    path: '/zones/:zoneId',
    command: ['zones', 'set'],
    names: ['zoneId'],
    summary: 'Change a zone',
    body: optional(zoneSettings),
    conflict: 'A zone has this name, or the default zone would be none.',
  },
  listTenants: {
    method: 'GET',
    path: '/tenants',
    command: ['tenants', 'list'],
    summary: 'List the tenants',
    query: { search: { kind: 'text', isOptional: true, description: 'A part of the name.' } },
    list: {
      columns: ['id', 'name', 'zoneID', 'calloutThreshold', 'apiRequestsPerHour', 'deletingDateTime'],
      none: 'There is no tenant yet.',
    },
  },
  createTenant: {
    method: 'POST',
    path: '/tenants',
    command: ['tenants', 'create'],
    summary: 'Create a tenant',
    body: { name: tenantName, ...optional(otherTenantSettings) },
    conflict: 'A tenant has this name.',
  },
  readTenant: {
    method: 'GET',
    path: '/tenants/:tenantId',
    command: ['tenants', 'show'],
    names: ['tenantId'],
    summary: 'Read a tenant',
  },
  updateTenant: {
    method: 'PATCH',
    path: '/tenants/:tenantId',
    command: ['tenants', 'set'],
    names: ['tenantId'],
    summary: 'Change a tenant',
    body: optional(tenantSettings),
    conflict: 'A tenant has this name, or the tenant is being deleted.',
  },
  deleteTenant: {
    method: 'DELETE',
    path: '/tenants/:tenantId',
    command: ['tenants', 'delete'],
    names: ['tenantId'],
    summary: 'Delete a tenant',
    description:
      'Its credentials are refused at once, and the workers erase all its rows, a few thousand at a time, history included, which may take long. Open callouts are not sent, and no receiver gets a deactivation call. Export first what must be kept.',
    query: { name: { kind: 'text', description: 'The name of the tenant, as confirmation.' } },
    confirmation: (name) =>
      `${name} will be erased with all its data: resources, credentials, webhooks, records, events and callouts. This cannot be undone.`,
    typed: 'name',
    done: (_, name) => `${name} is being deleted: its credentials are refused, and the workers erase its data.`,
    status: 202,
  },
  exportTenant: {
    method: 'GET',
    path: '/tenants/:tenantId/export',
    command: ['tenants', 'export'],
    summary: 'Export a tenant',
    description: 'Everything of a tenant as JSON lines, without secrets. What is cut off lacks its last line.',
    conflict: 'Another export is under way.',
  },
  listSigningKeys: {
    method: 'GET',
    path: '/tenants/:tenantId/webhookKeys',
    command: ['signing-keys', 'list'],
    summary: 'Read the public keys that verify the Ed25519 signatures of a tenant',
    list: {
      columns: ['kid', 'state', 'createDateTime', 'endDateTime'],
      none: 'The tenant has no key yet.',
      mark: 'all',
    },
  },
  rotateSigningKey: {
    method: 'POST',
    path: '/tenants/:tenantId/webhookKeys/rotate',
    command: ['signing-keys', 'rotate'],
    summary: 'Give a tenant a new key pair for Ed25519 signatures, with an overlap',
    description:
      'For overlapHours each callout has a signature with the replaced key too, after that with the new one, and the JWKS has both keys. Naming the previous key only changes the end of its overlap; 0 ends it. Without an overlap, receivers that keep the JWKS refuse callouts for up to five minutes, which a warning says.',
    body: {
      kid: {
        kind: 'text',
        description: 'The kid of the key that is to be replaced, so that a repeated request rotates once.',
      },
      overlapHours: {
        kind: 'whole',
        least: 0,
        most: 168,
        description: 'For how many hours the replaced key also signs; 0 ends an overlap.',
      },
    },
    list: { columns: ['kid', 'state', 'createDateTime', 'endDateTime'], none: 'The tenant has no key.', mark: 'all' },
    conflict: 'kid is not the current key, or the tenant has none yet.',
  },
  findCallout: {
    method: 'GET',
    path: '/callouts/:calloutId',
    command: ['deliveries', 'find'],
    names: ['calloutId'],
    summary: 'Find the tenant and the webhook of a callout',
  },
} as const satisfies Readonly<Record<string, Operation>>;
