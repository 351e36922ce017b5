import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Problem } from '@callout/domain/problem';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import type { Caller } from './caller.ts';
import { createPortalGuard, type PortalAccess } from './portal-guard.ts';
import { documented } from './rights.ts';

const api = runTestApi();

const guard = createPortalGuard({
  findWebhookOwner: async (tenantId, entityType, id) =>
    tenantId === 1 && ['Account', 'WebhookHealth'].includes(entityType) && id < 3
      ? { key: id, ownerResourceId: 7 }
      : undefined,
});

/** A portal of resource 7, for one webhook or for all of it. */
const portalOf = (webhookKey: number | null, resourceId = 7) =>
  ({ tenantId: 1, resourceId, portal: { webhookKey } }) as Caller;

interface Declared {
  readonly method: string;
  readonly path: string;
  readonly portal: PortalAccess | undefined;
}

/** Every endpoint that needs credentials. */
function everyEndpoint(): Declared[] {
  return api.routes.flatMap(({ path: route, methods }) =>
    Object.entries(methods).flatMap(([method, endpoint]) =>
      endpoint.roles === 'anyone' ? [] : [{ method, path: route, portal: endpoint.portal }],
    ),
  );
}

describe('what endpoints let a portal do', () => {
  it('is nothing where they declare nothing', async () => {
    const closed = everyEndpoint().filter(({ portal }) => portal === undefined);
    expect(closed.length).toBeGreaterThan(100);
    for (const { method, path: route } of closed) {
      const call = guard(portalOf(null), undefined, { id: '1', parentId: '1' });
      const kind = await call.then(
        () => 'allowed',
        (error: Problem) => error.kind,
      );
      expect({ [`${method} ${route}`]: kind }).toEqual({ [`${method} ${route}`]: 'forbidden' });
    }
  });

  it('is declared by these, as docs/roles.md says, and by no other', async () => {
    const kinds = everyEndpoint().flatMap(({ method, path: route, portal }) => {
      if (typeof portal !== 'string') return [];
      const generic = route.replace(/^\/\w+Webhooks(?=\/|$)/u, '/{Webhooks}');
      const what = generic.includes('/entityInformation') ? 'metadata' : `${method} ${documented(generic)}`;
      return [`${portal}: ${what}`];
    });
    const expected = [
      'newWebhook: POST /{Webhooks}',
      'newWebhook: POST /{Webhooks}/simulate',
      'open: GET /Overview',
      'open: GET /Statistics',
      'open: GET /Webhooks',
      'open: metadata',
    ];
    expect([...new Set(kinds)].toSorted()).toEqual(expected);
    const document = await readFile(path.resolve(import.meta.dirname, '../../../../../docs/roles.md'), 'utf8');
    for (const one of expected.slice(0, -1)) expect(document).toContain(`\`${one.split(': ')[1] ?? ''}\``);
  });

  it('concerns the webhook in their path, on every path below one but previews, which show events of the tenant', () => {
    const below = everyEndpoint().filter(
      ({ path: route }) => /^\/\w+Webhooks\/:/u.test(route) && !route.endsWith('/preview'),
    );
    expect(below.length).toBeGreaterThan(100);
    const entityTypes = new Map(api.catalogue.entities.map((one) => [one.webhookCollection, one.entityType]));
    for (const { method, path: route, portal } of below) {
      const [, collection = '', second = ''] = route.split('/');
      const declared = { entityType: entityTypes.get(collection), idParam: second.slice(1) };
      expect({ [`${method} ${route}`]: portal }).toEqual({ [`${method} ${route}`]: declared });
    }
    const declaring = everyEndpoint().filter(({ portal }) => typeof portal === 'object');
    expect(declaring).toEqual(below);
  });
});

describe('a portal', () => {
  const own = { entityType: 'Account', idParam: 'id' };

  it('may call what is open, and names only its own webhooks', async () => {
    await guard(portalOf(1), 'open', {});
    await guard(portalOf(null), own, { id: '2' });
    await guard(portalOf(2), own, { id: '2' });
    await expect(guard(portalOf(1), own, { id: '2' })).rejects.toMatchObject({ kind: 'notFound' });
    await expect(guard(portalOf(null, 8), own, { id: '2' })).rejects.toMatchObject({ kind: 'notFound' });
    await expect(guard(portalOf(null), own, { id: '3' })).rejects.toMatchObject({ kind: 'notFound' });
  });

  it('has no webhook about the webhooks of others, unless its link is for that one', async () => {
    const health = { ...own, entityType: 'WebhookHealth' };
    await expect(guard(portalOf(null), health, { id: '2' })).rejects.toMatchObject({ kind: 'notFound' });
    await expect(guard(portalOf(1), health, { id: '2' })).rejects.toMatchObject({ kind: 'notFound' });
    await guard(portalOf(2), health, { id: '2' });
    const declared = everyEndpoint().filter(({ portal }) => portal === 'newWebhook');
    expect(declared.map(({ path: route }) => route)).not.toContain('/WebhookHealthWebhooks');
  });

  it('makes webhooks only when its link is for all of its resource', async () => {
    await guard(portalOf(null), 'newWebhook', {});
    await expect(guard(portalOf(1), 'newWebhook', {})).rejects.toMatchObject({ kind: 'forbidden' });
  });
});
