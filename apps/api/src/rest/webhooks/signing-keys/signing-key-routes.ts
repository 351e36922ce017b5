import { unknownKeysOf } from '@callout/domain/input/unknown-names';
import { knownSigningKeyRotationKeys, parseSigningKeyRotation } from '@callout/webhooks/input/signing-key-rotation';
import { rotateSigningKey } from '@callout/webhooks/rotate-signing-key';
import { readSigningKeys } from '@callout/webhooks/signing-keys';
import { actorOf } from '../../../http/auth/caller.ts';
import type { ApiContext } from '../../../api-context.ts';
import { ok, warningsOf, wholeList } from '../../../http/api-response.ts';
import { rights } from '../../../http/auth/rights.ts';
import type { AddRoute } from '../../../http/route/route-table.ts';
import { refuseWhenStrict } from '../../../http/route/strict.ts';
import { keyItems, rotationWarnings } from './shown-keys.ts';
import { listSigningKeys, rotateSigningKeyOperation } from './signing-key-operations.ts';

/** `GET /WebhookKeys` and `POST /WebhookKeys/rotate`: the keys that sign a tenant's callouts with Ed25519. */
export function addSigningKeyRoutes(add: AddRoute, api: ApiContext): void {
  const {
    database: { pool, transaction },
    keyRing,
  } = api;
  add('/WebhookKeys', {
    GET: {
      roles: rights.webhooks.read,
      schema: listSigningKeys,
      async handle(call) {
        const keys = await readSigningKeys(pool, call.caller.tenantId);
        return wholeList(keys === undefined ? [] : keyItems(keys, await api.baseUrlOf(call)));
      },
    },
  });
  add('/WebhookKeys/rotate', {
    POST: {
      // The receivers of all webhooks of the tenant have to know the new key.
      roles: ['admin'],
      maxBodyBytes: api.config.MAX_BODY_BYTES,
      schema: rotateSigningKeyOperation,
      async handle(call) {
        const { caller, body } = call;
        const rotation = parseSigningKeyRotation(body);
        const unknownNames = unknownKeysOf(body, knownSigningKeyRotationKeys);
        refuseWhenStrict(call, unknownNames);
        const keys = await rotateSigningKey({ transaction, keyRing }, caller.tenantId, rotation, actorOf(caller));
        const list = wholeList(keyItems(keys, await api.baseUrlOf(call)));
        return ok({ ...(list.body as object), ...warningsOf(unknownNames, rotationWarnings(keys, new Date())) });
      },
    },
  });
}
