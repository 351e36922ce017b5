import { beforeAll, describe, expect, it } from '@jest/globals';
import { createAdministration } from '@callout/tenancy/operator/administration/administration';
import { deletions, otherRoutes, routesOfEntity } from '../../fixtures/every-route.ts';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { EXCLUDED_RESOURCE, makeWholeTenant, type WholeTenant } from '../../fixtures/whole-tenant.ts';

const api = runTestApi();
let tenant: WholeTenant;

/** Columns of a webhook that are no configuration: they count, or say how it is. */
const ofWork = ['version', 'updated_at', 'last_sequence', 'is_cancelling', 'activated_at', 'certificate_told_days'];
const configured = {
  webhooks: 'tenant_id = $1 AND deleted_at IS NULL',
  webhook_fields: 'tenant_id = $1',
  webhook_udf_fields: 'tenant_id = $1',
  webhook_excluded_resources: 'tenant_id = $1',
  udf_definitions: 'tenant_id = $1',
  resources: 'tenant_id = $1',
  credentials: 'tenant_id = $1',
  signing_keys: 'tenant_id = $1',
  tenants: 'id = $1',
};

/** Everything that the tenant configures, as text. */
async function configuration(): Promise<string> {
  const tables = Object.entries(configured).map(
    ([table, own]) =>
      `(SELECT json_agg(row ORDER BY row) FROM (SELECT (to_jsonb(t) - $2::text[])::text AS row FROM ${table} t WHERE ${own}) AS r)`,
  );
  const { rows } = await api.database.pool.query<{ all: string }>(
    `SELECT json_build_array(${tables.join(', ')})::text AS all`,
    [tenant.id, ofWork],
  );
  return rows[0]?.all ?? '';
}

interface Entry {
  readonly entityId: number | null;
  readonly kind: string;
  readonly userName: string | null;
  readonly fields: readonly unknown[];
}

/** The entries of the tenant, oldest first. */
async function entries(): Promise<Entry[]> {
  const { rows } = await api.database.pool.query<Entry>(
    `SELECT entity_id AS "entityId", actor_kind AS kind, actor_user_name AS "userName", fields FROM changes WHERE tenant_id = $1 ORDER BY id`,
    [tenant.id],
  );
  return rows;
}

/** Runs a write, and checks that it left an entry exactly if it changed the configuration. @returns whether it did. */
async function isRecorded(label: string, write: () => Promise<unknown>): Promise<boolean> {
  const [before, known] = [await configuration(), (await entries()).length];
  await write();
  const isChanged = (await configuration()) !== before;
  const made = (await entries()).slice(known);
  expect({ [label]: made.length > 0 }).toEqual({ [label]: isChanged });
  expect(made.filter(({ fields }) => fields.length === 0)).toEqual([]);
  return isChanged;
}

describe('every write of configuration leaves an entry, and no other request does', () => {
  beforeAll(async () => {
    tenant = await makeWholeTenant(api);
  });

  it('through every route of the API', async () => {
    const entities = api.catalogue.watched.filter(({ entityType }) => ['Account', 'TicketNote'].includes(entityType));
    const changing = entities.flatMap(({ webhookCollection, hasUserDefinedFields }) => [
      { method: 'PATCH', path: `/${webhookCollection}/1`, body: { signatureKind: 'both' } },
      ...['Fields', ...(hasUserDefinedFields ? ['UdfFields'] : [])].flatMap((segment) => [
        { method: 'PATCH', path: `/${webhookCollection}/1/${segment}`, body: { id: 1, isDisplayAlwaysField: true } },
        { method: 'PATCH', path: `/${webhookCollection}/1/${segment}/1`, body: { isDisplayAlwaysField: false } },
      ]),
      { method: 'POST', path: `/${webhookCollection}/1/Fields`, body: { fieldID: 3 } },
      { method: 'POST', path: `/${webhookCollection}/1/ExcludedResources`, body: { resourceID: 1 } },
    ]);
    const label = '/UserDefinedFieldDefinitions';
    const cases = [
      ...changing,
      { method: 'POST', path: label, body: { entityType: 'Contact', name: 'Rank', dataType: 'string' } },
      { method: 'PATCH', path: `${label}/1`, body: { label: 'Another' } },
      { method: 'PATCH', path: `/Resources/${EXCLUDED_RESOURCE}`, body: { title: 'Ms' } },
      ...entities.flatMap((entity) => routesOfEntity(entity, 1, tenant.logged)),
      ...otherRoutes(tenant.errorLogId, tenant.logged),
      ...deletions(entities, tenant.errorLogId),
    ];
    const written = new Set<string>();
    for (const { method, path, body } of cases.filter((one) => one.method !== 'GET')) {
      const route = `${method} ${path.replaceAll(/\/\d+/gu, '/{id}')}`;
      if (await isRecorded(route, () => api.call(method, path, { as: tenant.admin, body }))) written.add(route);
    }
    const ofWebhooks = entities.flatMap(({ webhookCollection: all, hasUserDefinedFields }) => [
      ...[`POST /${all}`, `PATCH /${all}`, `PUT /${all}`, `PATCH /${all}/{id}`, `PUT /${all}/{id}`],
      ...[`DELETE /${all}/{id}`, `POST /${all}/{id}/rotateSecret`],
      ...['Fields', ...(hasUserDefinedFields ? ['UdfFields'] : [])].flatMap((segment) =>
        ['PATCH', 'PATCH', 'DELETE'].map(
          (method, nth) => `${method} /${all}/{id}/${segment}${nth === 0 ? '' : '/{id}'}`,
        ),
      ),
      ...[`POST /${all}/{id}/Fields`, `POST /${all}/{id}/ExcludedResources`],
      `DELETE /${all}/{id}/ExcludedResources/{id}`,
    ]);
    expect([...written]).toEqual(
      expect.arrayContaining([
        ...ofWebhooks,
        ...['POST /Resources', 'PUT /Resources', 'PATCH /Resources/{id}', 'DELETE /Resources/{id}'],
        ...[`POST ${label}`, `PATCH ${label}`, `PATCH ${label}/{id}`, `DELETE ${label}/{id}`],
      ]),
    );
    const made = await entries();
    expect(new Set(made.map(({ kind }) => kind))).toEqual(new Set(['user']));
    expect(new Set(made.map(({ userName }) => userName))).toEqual(new Set([tenant.admin.userName]));
    const all = JSON.stringify(made);
    for (const secret of ['a rotated secret', 'another secret', 'secretCiphertext']) expect(all).not.toContain(secret);
  });

  it('by what operators do', async () => {
    const { tenants, resources, credentials } = createAdministration(api.database);
    const { id } = tenant;
    const userName = `operated@${id}.example`;
    const credential = { resourceID: 3, userName, role: 'source', secret: 'an imported secret of some length' };
    const newest = async () => (await credentials.readByUserName(userName)).id;
    const writes: Record<string, () => Promise<unknown>> = {
      'the settings of a tenant': () => tenants.update(id, { calloutThreshold: 7, apiRequestsPerHour: 9 }),
      'a resource': () => resources.create(id, { email: 'new@example.com' }),
      'its right': () => resources.update(id, 1, { canCreateWebhooks: false }),
      'its address': () => resources.update(id, 1, { email: 'moved@example.com' }),
      'a credential': () => credentials.create(id, credential),
      'its role': async () => credentials.update(id, await newest(), { role: 'admin' }),
      'its secret': async () => credentials.reissue(id, await newest()),
      'its end': async () => credentials.revoke(id, await newest()),
      'the end of a tenant': async () => tenants.remove(id, (await tenants.read(id)).name),
    };
    const known = (await entries()).length;
    for (const [label, write] of Object.entries(writes)) {
      expect({ [label]: await isRecorded(label, write) }).toEqual({ [label]: true });
      const isAgain = label !== 'a resource' && !label.startsWith('a credential') && label !== 'its secret';
      if (isAgain) expect({ [label]: await isRecorded(label, write) }).toEqual({ [label]: false });
    }
    const made = (await entries()).slice(known);
    expect(new Set(made.map(({ kind }) => kind))).toEqual(new Set(['operator']));
    expect(JSON.stringify(made)).not.toContain('an imported secret');
    const used = await api.database.prisma.credential.findMany({ where: { tenantId: id } });
    const revoked = made.filter(({ fields }) => JSON.stringify(fields).includes('revokeDateTime'));
    expect(used.length).toBeGreaterThan(1);
    expect(new Set(revoked.map(({ entityId }) => entityId))).toEqual(new Set(used.map((one) => one.id)));
  });
});
