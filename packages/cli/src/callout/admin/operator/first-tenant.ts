import type { OperationName } from '@callout/domain/operations/operations';
import type { Database } from '@callout/database/connection/database';
import { CannotGoOn } from '../../../cannot-go-on.ts';
import type { CommandContext } from '../../context.ts';
import { keyRingOf, withDatabase } from '../database.ts';
import { tenantNamed } from './named.ts';
import type { Operate, Values } from './operate.ts';

export const withoutToken =
  'This command calls the operator API: set OPERATOR_TOKEN to its token, and CALLOUT_OPERATOR_URL to its address unless it listens on this machine.';

/**
 * What the first tenant of an installation, the retirement of a key and a move to another zone need, on the database:
 * there may be no operator API yet, or never one. Answers as the operator API does; other operations throw a CannotGoOn
 * that says what to set.
 */
export function operateInDatabase(context: CommandContext): Operate {
  return <Answer>(name: OperationName, values: Values = {}) => {
    const ring = name === 'listKeys' || name === 'reencryptSecrets' ? keyRingOf(context) : undefined;
    return withDatabase(context, async (database) => {
      const answer = ring === undefined ? onTenants(database, values) : onKeys(database, values, ring);
      const handle = (await answer)[name];
      if (handle === undefined) throw new CannotGoOn(withoutToken);
      return (await handle()) as Answer;
    });
  };
}

/** The tenant that a command on the database names. Throws a Problem `notFound`. */
export const tenantInDatabase = (context: CommandContext, text: string) =>
  tenantNamed(operateInDatabase(context), text);

type Handlers = Partial<Record<OperationName, () => Promise<object>>>;

async function onTenants(database: Database, { after = 0, limit = 100, ...values }: Values): Promise<Handlers> {
  const { createAdministration } = await import('@callout/tenancy/operator/administration/administration');
  const { tenants, zones, resources, credentials } = createAdministration(database);
  const page = { after: Number(after), limit: Number(limit) };
  const { zoneId, tenantId, search = '', ...body } = values;
  const listed = <Item extends { readonly id: number }>(items: readonly Item[]) => ({
    items,
    nextAfter: items.length < page.limit ? null : (items.at(-1)?.id ?? null),
  });
  return {
    listZones: async () => listed(await zones.list(page)),
    readZone: async () => ({ item: await zones.read(Number(zoneId)) }),
    createZone: async () => ({ item: await zones.create(body) }),
    updateZone: async () => ({ item: await zones.update(Number(zoneId), body) }),
    listTenants: async () => listed(await tenants.list(page, String(search))),
    readTenant: async () => ({ item: await tenants.read(Number(tenantId)) }),
    createTenant: async () => ({ item: await tenants.create(body) }),
    createResource: async () => ({ item: await resources.create(Number(tenantId), body) }),
    createCredential: async () => ({ item: await credentials.create(Number(tenantId), body) }),
  };
}

async function onKeys(
  { pool }: Database,
  { after = 0, limit = 100 }: Values,
  ring: ReturnType<typeof keyRingOf>,
): Promise<Handlers> {
  const { readKeyStates, reencryptSecrets } = await import('@callout/tenancy/operator/encrypted-secrets');
  return {
    async listKeys() {
      const states = await readKeyStates(pool, ring);
      return { items: states.map(({ keyId: keyID, ...state }) => ({ keyID, ...state })) };
    },
    async reencryptSecrets() {
      const batch = await reencryptSecrets(pool, ring, { after: Number(after), limit: Number(limit) });
      const unreadable = batch.unreadable.map(({ tenantId: tenantID, webhookGuid: webhookGUID, keyId: keyID }) => ({
        tenantID,
        webhookGUID,
        keyID,
      }));
      const { reencrypted, next: nextAfter = null } = batch;
      return { item: { keyID: ring.currentKeyId, reencrypted, unreadable, nextAfter } };
    },
  };
}
