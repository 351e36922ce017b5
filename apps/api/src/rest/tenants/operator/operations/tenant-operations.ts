import { z } from 'zod';
import { anyId, flag, text, warningKeys } from '../../../../http/operation/wire-types.ts';
import {
  allResponse,
  itemResponse,
  listResponse,
  pageParameters,
  type OperatorOperation,
} from './operator-operation.ts';
import {
  rotationConflict,
  rotationText,
  signingKey,
  signingKeyRotation,
} from '../../../webhooks/signing-keys/signing-key-operations.ts';
import { zoneSettings, zone, tenantSettings, tenant, some } from './tenant-schemas.ts';

/** Zones and tenants. */
export const tenantOperations = {
  listZones: {
    method: 'GET',
    path: '/zones',
    summary: 'List the zones',
    query: z.object(pageParameters),
    response: listResponse(zone),
  },
  createZone: {
    method: 'POST',
    path: '/zones',
    summary: 'Create a zone',
    body: { schema: z.object({ ...zoneSettings, ...some({ webUrl: text, isDefault: flag }).shape }) },
    response: itemResponse(zone),
    conflict: 'A zone has this name.',
  },
  readZone: {
    method: 'GET',
    path: '/zones/:zoneId',
    summary: 'Read a zone',
    response: itemResponse(zone),
  },
  updateZone: {
    method: 'PATCH',
    path: '/zones/:zoneId',
    summary: 'Change a zone',
    body: { schema: some(zoneSettings) },
    response: itemResponse(zone),
    conflict: 'A zone has this name, or the default zone would be none.',
  },
  listTenants: {
    method: 'GET',
    path: '/tenants',
    summary: 'List the tenants',
    query: z.object({ ...pageParameters, search: text.describe('A part of the name.').optional() }),
    response: listResponse(tenant),
  },
  createTenant: {
    method: 'POST',
    path: '/tenants',
    summary: 'Create a tenant',
    body: { schema: z.object({ name: tenantSettings.name, ...some(tenantSettings).omit({ name: true }).shape }) },
    response: itemResponse(tenant),
    conflict: 'A tenant has this name.',
  },
  readTenant: {
    method: 'GET',
    path: '/tenants/:tenantId',
    summary: 'Read a tenant',
    response: itemResponse(tenant),
  },
  updateTenant: {
    method: 'PATCH',
    path: '/tenants/:tenantId',
    summary: 'Change a tenant',
    body: { schema: some(tenantSettings) },
    response: itemResponse(tenant),
    conflict: 'A tenant has this name, or the tenant is being deleted.',
  },
  deleteTenant: {
    method: 'DELETE',
    path: '/tenants/:tenantId',
    summary: 'Delete a tenant',
    description: 'Its callers are refused at once; workers erase what it has, which may take long.',
    query: z.object({ name: text.describe('The name of the tenant, as confirmation.') }),
    response: itemResponse(tenant, 'It is being deleted.'),
    status: 202,
  },
  listSigningKeys: {
    method: 'GET',
    path: '/tenants/:tenantId/webhookKeys',
    summary: 'Read the public keys that verify the Ed25519 signatures of a tenant',
    response: allResponse(signingKey),
  },
  rotateSigningKey: {
    method: 'POST',
    path: '/tenants/:tenantId/webhookKeys/rotate',
    summary: 'Give a tenant a new key pair for Ed25519 signatures, with an overlap',
    description: rotationText,
    body: { schema: signingKeyRotation },
    response: allResponse(signingKey, { warnings: warningKeys.warnings }),
    conflict: rotationConflict,
  },
  findCallout: {
    method: 'GET',
    path: '/callouts/:calloutId',
    summary: 'Find the tenant and the webhook of a callout',
    response: itemResponse(
      z.object({ tenantID: anyId, entityType: text, webhookID: anyId }).meta({ id: 'FoundCallout' }),
    ),
  },
  exportTenant: {
    method: 'GET',
    path: '/tenants/:tenantId/export',
    summary: 'Export a tenant',
    description: 'Everything of a tenant as JSON lines, without secrets. What is cut off lacks its last line.',
    response: { description: 'A JSON object on each line.', schema: text, mediaType: 'application/x-ndjson' },
    conflict: 'Another export is under way.',
  },
} as const satisfies Readonly<Record<string, OperatorOperation>>;
