import { beforeAll, describe, expect, it } from '@jest/globals';
import { deletions, otherRoutes, routesOfEntity, type RouteCase } from './fixtures/every-route.ts';
import { failure } from './fixtures/failure.ts';
import { runTestApi } from './fixtures/run-test-api.ts';
import { makeWholeTenant, watchedEntities, type WholeTenant } from './fixtures/whole-tenant.ts';

const api = runTestApi();
let tenant: WholeTenant;

beforeAll(async () => {
  tenant = await makeWholeTenant(api);
});

const roles = ['integrator', 'source', 'admin'] as const;

/** Calls a route as everybody, and says who was answered what. */
async function answersOf({ method, path, body }: RouteCase): Promise<Record<string, number>> {
  const answers: Record<string, number> = {};
  for (const role of roles) {
    const answer = await api.call(method, path, { as: tenant[role], body });
    answers[role] = answer.status;
    if (answer.status >= 400) expect(answer.body).toEqual(failure(expect.any(String) as unknown as string));
  }
  // Without credentials the answer is 401 where there is such a path, and 404 where there is none.
  const stranger = await api.call(method, inCapitals(path), { body });
  expect(stranger).toMatchObject({ status: 401, body: failure('unauthorized') });
  return answers;
}

/** The same path in another spelling. */
function inCapitals(path: string): string {
  return path.replace(/^[^?]*/, (one) => `${one.toUpperCase()}/`);
}

function expectedOf({ roles: allowed, status }: RouteCase): Record<string, number> {
  return Object.fromEntries(roles.map((role) => [role, allowed.includes(role) ? status : 403]));
}

describe('every role on every route', () => {
  // The one has user-defined fields, the other is found and written under a parent, which is all that differs. That the
  // routes of all entities declare the same roles, which one place goes by, is compared in openapi/examples.test.ts.
  it.each([
    ['Account', '/', 100],
    ['TicketNote', '/Tickets/1/Notes', 15],
  ])('of %s, below %s', async (entityType, below, least) => {
    const entity = watchedEntities(api).find((one) => one.entityType === entityType);
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

  it('that deletes: who may not is told so, who may is answered once, and then it is gone', async () => {
    for (const one of deletions(watchedEntities(api), tenant.errorLogId)) {
      const label = `DELETE ${one.path}`;
      const [first] = one.roles;
      const expected = Object.fromEntries(
        roles.map((role) => [role, one.roles.includes(role) ? (role === first ? 200 : 404) : 403]),
      );
      expect({ [label]: await answersOf(one) }).toEqual({ [label]: expected });
    }
  });

  it('is told by metadata: what the table of roles says', async () => {
    const accessOf = async (role: (typeof roles)[number], path: string) => {
      const { body } = await api.call('GET', `${path}/entityInformation`, { as: tenant[role] });
      const { info } = body as { info: Record<string, unknown> };
      return ['Create', 'Query', 'Update', 'Delete'].map((operation) => info[`userAccessFor${operation}`]);
    };
    expect(await accessOf('integrator', '/Companies')).toEqual([0, 1, 0, 0]);
    expect(await accessOf('source', '/Companies')).toEqual([1, 1, 1, 1]);
    expect(await accessOf('integrator', '/CompanyWebhooks')).toEqual([1, 1, 1, 1]);
    expect(await accessOf('source', '/CompanyWebhooks')).toEqual([0, 0, 0, 0]);
    expect(await accessOf('integrator', '/CompanyWebhookFields')).toEqual([1, 1, 0, 0]);
    expect(await accessOf('admin', '/UserDefinedFieldDefinitions')).toEqual([1, 1, 1, 1]);
    expect(await accessOf('source', '/UserDefinedFieldDefinitions')).toEqual([0, 0, 0, 0]);
    expect(await accessOf('integrator', '/Resources')).toEqual([0, 1, 0, 0]);
    expect(await accessOf('admin', '/Resources')).toEqual([1, 1, 1, 1]);
    expect(await accessOf('integrator', '/WebhookEventErrorLogs')).toEqual([0, 2, 0, 2]);
    expect(await accessOf('admin', '/WebhookEventErrorLogs')).toEqual([0, 1, 0, 1]);
    await api.database.prisma.resource.updateMany({
      where: { tenantId: tenant.id, id: tenant.integrator.resourceId },
      data: { canCreateWebhooks: false },
    });
    expect(await accessOf('integrator', '/CompanyWebhooks')).toEqual([0, 1, 1, 1]);
  });
});
