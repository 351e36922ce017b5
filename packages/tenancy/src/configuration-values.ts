import { hash } from 'node:crypto';
import type { ConfigurationValues } from '@callout/domain/changes/field-changes';
import type { FieldValues } from '@callout/domain/values/values';
import type { Credential, Resource, Tenant, UdfDefinition } from '@callout/database/generated/client';

// The things whose changes are recorded, by their names in the API.

/** A resource; the fields of the catalogue are in wire form. */
export function valuesOfResource({ email, isActive, canCreateWebhooks, fields }: Resource): ConfigurationValues {
  return { ...(fields as FieldValues), email, isActive, canCreateWebhooks };
}

export function valuesOfDefinition(row: UdfDefinition): ConfigurationValues {
  const { entityType, name, label, dataType, listValues } = row;
  const list = Array.isArray(listValues) && listValues.length > 0 ? JSON.stringify(listValues) : null;
  return { entityType, name, label, dataType, listValues: list };
}

export function valuesOfCredential(row: Credential): ConfigurationValues {
  return {
    userName: row.userName,
    resourceID: row.resourceId,
    role: row.role,
    secret: { secret: Buffer.from(row.secretHash).toString('hex') },
    apiIntegrationCode: { secret: hash('sha256', row.apiIntegrationCode) },
    revokeDateTime: row.revokedAt?.toISOString() ?? null,
  };
}

export function valuesOfTenant(row: Tenant): ConfigurationValues {
  return {
    name: row.name,
    zoneID: row.zoneId,
    calloutThreshold: row.calloutThreshold,
    apiRequestsPerHour: row.apiRequestsPerHour,
    deletingDateTime: row.deletingAt?.toISOString() ?? null,
  };
}
