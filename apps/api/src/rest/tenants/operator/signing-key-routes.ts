import { byOperator } from '@callout/domain/changes/actor';
import { parseSigningKeyRotation } from '@callout/domain/secrets/signing-key-rotation';
import type { KeyRing } from '@callout/domain/secrets/keyring';
import type { Database } from '@callout/database/connection/database';
import { rotateSigningKey } from '@callout/webhooks/rotate-signing-key';
import { readSigningKeys } from '@callout/webhooks/signing-keys';
import { ok, warningsOf } from '../../../http/api-response.ts';
import { keyItems, rotationWarnings } from '../../webhooks/signing-keys/shown-keys.ts';
import type { AddOperatorRoute } from './operator-call.ts';
import { tenantOperations } from './operations/tenant-operations.ts';

export interface SigningKeyRouteDeps {
  readonly pool: Database['pool'];
  readonly transaction: Database['transaction'];
  readonly keyRing: KeyRing;
  /** Where a tenant reaches the API; empty: unknown. */
  readonly baseUrlOf: (tenantId: number) => Promise<string>;
}

/** The keys that sign a tenant's callouts with Ed25519, for operators. */
export function addSigningKeyRoutes(
  add: AddOperatorRoute,
  { pool, transaction, keyRing, baseUrlOf }: SigningKeyRouteDeps,
  /** Throws a 404 Problem when there is no such tenant. */
  requireTenant: (tenantId: number) => Promise<unknown>,
): void {
  add(tenantOperations.listSigningKeys, async ({ id }) => {
    const tenantId = id('tenantId');
    await requireTenant(tenantId);
    const keys = await readSigningKeys(pool, tenantId);
    return ok({ items: keys === undefined ? [] : keyItems(keys, await baseUrlOf(tenantId)) });
  });
  add(tenantOperations.rotateSigningKey, async ({ id, body }) => {
    const tenantId = id('tenantId');
    await requireTenant(tenantId);
    const rotation = parseSigningKeyRotation(await body());
    const keys = await rotateSigningKey({ transaction, keyRing }, tenantId, rotation, byOperator);
    const items = keyItems(keys, await baseUrlOf(tenantId));
    return ok({ items, ...warningsOf([], rotationWarnings(keys, new Date())) });
  });
}
