import { byOperator } from '@callout/domain/changes/actor';
import { fieldChanges } from '@callout/domain/changes/field-changes';
import { Problem } from '@callout/domain/problem';
import { parseTenantChanges, parseTenantCreate } from '../../input/tenant-input.rules.ts';
import { recordChanges } from '@callout/database/changes/record-changes';
import type { Database } from '@callout/database/connection/database';
import type { SharedTransaction } from '@callout/database/connection/transaction/shared-transaction';
import { statementFrom } from '@callout/database/connection/statement/statement';
import { tenantIsMoving } from '@callout/database/connection/transaction/served-tenant';
import type { Prisma, Tenant } from '@callout/database/generated/client';
import { valuesOfTenant } from '../../configuration-values.ts';
import { revokeAll } from '../../credential-changes.ts';
import { createTenantStore } from '../../tenants.ts';
import { refusing } from './known-errors.ts';

/** A part of a list in order of id. */
export interface Page {
  /** The last id of the page before; 0 for the first page. */
  readonly after: number;
  readonly limit: number;
}

/** Tenants, as operators see them. Throws Problems: `invalid`, `notFound`, and `conflict` for a name that is used. */
export function createTenantAdministration(database: Pick<Database, 'prisma' | 'transaction'>) {
  const { prisma, transaction } = database;
  const tenants = createTenantStore(database);
  const read = async (id: number) => itemOf(await prisma.tenant.findUnique({ where: { id } }), String(id));
  const refusals = ({ name = '', zoneId = 0 }: { name?: string; zoneId?: number }) => ({
    taken: Problem.duplicate(`name ${name} is the name of another tenant`, 'name'),
    unknown: Problem.unknownReference(`zoneID ${zoneId} is no zone`, 'zoneID'),
  });
  return {
    /** @param search part of their names, in any case; empty: all. */
    async list({ after, limit }: Page, search = '') {
      const named = search === '' ? {} : { name: { contains: search, mode: 'insensitive' as const } };
      const where = { id: { gt: after }, ...named };
      const rows = await prisma.tenant.findMany({ where, orderBy: { id: 'asc' }, take: limit });
      return rows.map((row) => itemOf(row, ''));
    },
    read,
    /** Makes a tenant of a body with a name, and zoneID and limits if wanted. */
    async create(body: unknown) {
      const tenant = parseTenantCreate(body);
      return read(await refusing(refusals(tenant), () => tenants.create(tenant)));
    },
    /** Changes the keys of the body. */
    async update(id: number, body: unknown) {
      const changes = parseTenantChanges(body);
      await refusing(refusals(changes), () =>
        transaction(null, async (shared) => {
          const { tenant } = await lockTenant(shared, id);
          // A tenant being erased may be changed in any state of a move.
          if (tenant.deletingAt === null && tenant.state !== 'active') throw tenantIsMoving();
          await write(shared, tenant, changes);
        }),
      );
      return read(id);
    },
    /**
     * Marks a tenant as being deleted: from the next request on the credentials are refused, and `eraseTenants`, which
     * every worker calls, erases the data. Cannot be undone. Marking a tenant twice changes nothing.
     * @param name the tenant's name as a confirmation.
     * @throws a Problem `invalid` for another name.
     */
    async remove(id: number, name: string) {
      const tenant = await read(id);
      if (tenant.deletingDateTime !== null) return tenant;
      if (name !== tenant.name)
        throw Problem.invalid(`name must be that of tenant ${id}, to confirm that it goes`, 'name');
      await transaction(null, (shared) => mark(shared, id));
      return read(id);
    },
  };
}

// Locks only the tenant's row, so rows that refer to the tenant are not blocked.
const lock = statementFrom<{ now: Date }>('tenancy:operator/administration/tenant_lock');

/** The row of a tenant, locked, and the time of the database. @throws a Problem `notFound` without it. */
async function lockTenant({ models, sets }: SharedTransaction, id: number): Promise<{ tenant: Tenant; now: Date }> {
  const [locked] = await lock(sets, [id]);
  const tenant = await models.tenant.findUnique({ where: { id } });
  if (locked === undefined || tenant === null) throw noTenant(String(id));
  return { tenant, now: locked.now };
}

/**
 * Together with the credentials, so no marked tenant has working credentials: every request reads its credential anew.
 * By the database's clock, which also decides when the row may go.
 */
async function mark(shared: SharedTransaction, id: number): Promise<void> {
  const { models } = shared;
  const { tenant, now } = await lockTenant(shared, id);
  if (tenant.deletingAt !== null) return;
  await write(shared, tenant, { deletingAt: now });
  await revokeAll(shared, id, now);
  await models.consoleSession.deleteMany({ where: { tenantId: id } });
  await models.consoleLink.deleteMany({ where: { tenantId: id } });
}

function noTenant(named: string): Problem {
  return Problem.notFound(`No matching records found: there is no tenant ${named}`);
}

/** Changes the row of a tenant, and records how it differs then. */
async function write(
  { models, sets }: SharedTransaction,
  before: Tenant,
  data: Prisma.TenantUncheckedUpdateInput,
): Promise<void> {
  const { id } = before;
  const after = await models.tenant.update({ where: { id }, data });
  const fields = fieldChanges(valuesOfTenant(before), valuesOfTenant(after));
  const entry = { tenantId: id, entity: 'tenant', entityId: id, action: 'updated', actor: byOperator } as const;
  await recordChanges(sets, [{ ...entry, fields }]);
}

function itemOf(row: Tenant | null, named: string) {
  if (row === null) throw noTenant(named);
  return {
    id: row.id,
    name: row.name,
    zoneID: row.zoneId,
    calloutThreshold: row.calloutThreshold,
    apiRequestsPerHour: row.apiRequestsPerHour,
    createDateTime: row.createdAt,
    deletingDateTime: row.deletingAt,
  };
}
