import { beforeAll, describe, expect, it } from '@jest/globals';
import { deletions, otherRoutes, routesOfEntity, type RouteCase } from './fixtures/every-route.ts';
import { failure } from './fixtures/failure.ts';
import { runTestApi } from './fixtures/run-test-api.ts';
import { makeWholeTenant, type WholeTenant } from './fixtures/whole-tenant.ts';

const api = runTestApi();
let tenant: WholeTenant;

beforeAll(async () => {
  tenant = await makeWholeTenant(api);
});

const roles = ['integrator', 'source', 'admin'] as const;

/** Calls a route with every role, and returns the statuses. */
async function answersOf({ method, path, body }: RouteCase): Promise<Record<string, number>> {
  const responses: Record<string, number> = {};
  for (const role of roles) {
    const response = await api.call(method, path, { as: tenant[role], body });
    responses[role] = response.status;
    if (response.status >= 400) expect(response.body).toEqual(failure(expect.any(String) as unknown as string));
  }
  // Without credentials the response is 401 where there is such a path, and 404 where there is none.
  const stranger = await api.call(method, inCapitals(path), { body });
  expect(stranger).toMatchObject({ status: 401, body: failure('unauthorized') });
  return responses;
}

/** The same path in another spelling. */
function inCapitals(path: string): string {
  return path.replace(/^[^?]*/, (one) => `${one.toUpperCase()}/`);
}

function expectedOf({ roles: allowed, status }: RouteCase): Record<string, number> {
  return Object.fromEntries(roles.map((role) => [role, allowed.includes(role) ? status : 403]));
}

describe('every role on every route', () => {
  // One entity has user-defined fields, the other is found and written under a parent, which are the only differences.
  // That the routes of all entities declare the same roles is tested in openapi/examples.test.ts.
  it.each([
    ['Account', '/', 100],
    ['TicketNote', '/Tickets/1/Notes', 15],
  ])('of %s, below %s', async (entityType, below, least) => {
    const entity = api.catalogue.watched.find((one) => one.entityType === entityType);
    if (entity === undefined) throw new Error(`no entity ${entityType}`);
    const cases = routesOfEntity(entity, 1, tenant.logged).filter(({ path }) => path.startsWith(below));
    expect(cases.length).toBeGreaterThan(least);
    for (const one of cases) {
      const label = `${one.method} ${one.path}`;
      expect({ [label]: await answersOf(one) }).toEqual({ [label]: expectedOf(one) });
    }
  });

  it('of resources, user-defined fields and error logs', async () => {
    for (const one of otherRoutes(tenant.errorLogId, tenant.logged)) {
      const label = `${one.method} ${one.path}`;
      expect({ [label]: await answersOf(one) }).toEqual({ [label]: expectedOf(one) });
    }
  });

  it('that deletes: callers without the right get 403, the others succeed once, and then it is gone', async () => {
    for (const one of deletions(api.catalogue.watched, tenant.errorLogId)) {
      const label = `DELETE ${one.path}`;
      const [first] = one.roles;
      const expected = Object.fromEntries(
        roles.map((role) => [role, one.roles.includes(role) ? (role === first ? 200 : 404) : 403]),
      );
      expect({ [label]: await answersOf(one) }).toEqual({ [label]: expected });
    }
  });

  it('is shown by metadata as in the table of roles', async () => {
    const accessOf = async (role: (typeof roles)[number], path: string) => {
      const { body } = await api.call('GET', `${path}/entityInformation`, { as: tenant[role] });
      const { info } = body as { info: Record<string, unknown> };
      return ['Create', 'Query', 'Update', 'Delete'].map((operation) => info[`userAccessFor${operation}`]);
    };
    expect(await accessOf('integrator', '/Companies')).toEqual(['None', 'All', 'None', 'None']);
    expect(await accessOf('source', '/Companies')).toEqual(['All', 'All', 'All', 'All']);
    expect(await accessOf('integrator', '/CompanyWebhooks')).toEqual(['All', 'All', 'All', 'All']);
    expect(await accessOf('source', '/CompanyWebhooks')).toEqual(['None', 'None', 'None', 'None']);
    expect(await accessOf('integrator', '/CompanyWebhookFields')).toEqual(['All', 'All', 'None', 'None']);
    expect(await accessOf('admin', '/UserDefinedFieldDefinitions')).toEqual(['All', 'All', 'All', 'All']);
    expect(await accessOf('source', '/UserDefinedFieldDefinitions')).toEqual(['None', 'None', 'None', 'None']);
    expect(await accessOf('integrator', '/Resources')).toEqual(['None', 'All', 'None', 'None']);
    expect(await accessOf('admin', '/Resources')).toEqual(['All', 'All', 'All', 'All']);
    expect(await accessOf('integrator', '/WebhookEventErrorLogs')).toEqual([
      'None',
      'Restricted',
      'None',
      'Restricted',
    ]);
    expect(await accessOf('admin', '/WebhookEventErrorLogs')).toEqual(['None', 'All', 'None', 'All']);
    await api.database.prisma.resource.updateMany({
      where: { tenantId: tenant.id, id: tenant.integrator.resourceId },
      data: { canCreateWebhooks: false },
    });
    expect(await accessOf('integrator', '/CompanyWebhooks')).toEqual(['None', 'All', 'All', 'All']);
  });
});
