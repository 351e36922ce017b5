import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createConsoleLinkStore } from '@callout/tenancy/sessions/links';
import { useCommandDatabase } from './command-database.fixture.ts';
import { runAdmin, runAdminForJson } from './run-admin.fixture.ts';

const own = useCommandDatabase();

interface Link {
  url: string;
  expiresDateTime: string;
}

const settings = { PUBLIC_URL: 'https://callout.example.com', OPERATOR_TOKEN: 'x'.repeat(32), OPERATOR_PORT: '9000' };
const json = <T>(...args: string[]) => runAdminForJson<T>(args, { ...own.env, ...settings });

async function aTenant(): Promise<{ tenant: string; userName: string }> {
  const tenant = `t-${randomUUID()}`;
  const userName = `crm-${randomUUID()}`;
  await json('tenants', 'create', '--name', tenant);
  await json('resources', 'create', '--tenant', tenant, '--email', 'a@example.com');
  const args = ['--tenant', tenant, '--resource', '1', '--user-name', userName, '--role', 'admin'];
  await json('credentials', 'create', ...args);
  return { tenant, userName };
}

function taken(url: string) {
  const token = /#link=([\w-]+)$/u.exec(url)?.[1] ?? '';
  return createConsoleLinkStore(own.database).take(token, ['user', 'portal', 'operator'], new Date());
}

describe('callout admin links', () => {
  it('makes links that sign in as a resource, with a credential and as an operator, once', async () => {
    const { tenant, userName } = await aTenant();
    const portal = await json<Link>('links', 'portal', '--tenant', tenant, '--resource', '1');
    expect(portal.url).toMatch(/^https:\/\/callout\.example\.com\/console\/portal#link=[\w-]{43}$/u);
    expect(await taken(portal.url)).toMatchObject({ kind: 'portal', resourceId: 1, webhookKey: null });
    expect(await taken(portal.url)).toBeUndefined();

    const signIn = await json<Link>('links', 'sign-in', userName, '--tenant', tenant, '--expires-in', '3600');
    expect(signIn.url).toMatch(/^https:\/\/callout\.example\.com\/console#link=/u);
    expect(Date.parse(signIn.expiresDateTime)).toBeGreaterThan(Date.now() + 3_000_000);
    expect(await taken(signIn.url)).toMatchObject({ kind: 'user', resourceId: 1 });

    const operator = await json<Link>('links', 'operator');
    expect(operator.url).toMatch(/^http:\/\/127\.0\.0\.1:9000\/console#link=/u);
    expect(await taken(operator.url)).toMatchObject({ kind: 'operator' });
  });

  it('begins with the address of the zone, or says that none is known', async () => {
    const { tenant } = await aTenant();
    const args = ['links', 'portal', '--tenant', tenant, '--resource', '1'];
    const without = await runAdmin(args, own.env);
    expect(without.stdout).toMatch(/^\/console\/portal#link=/u);
    expect(without.stderr).toContain('set PUBLIC_URL to get the whole address');
    const zone = `z-${randomUUID()}`;
    await json('zones', 'create', '--name', zone, '--url', 'https://eu.example.com');
    await json('tenants', 'set', tenant, '--zone', zone);
    expect((await runAdmin(args, own.env)).stdout).toMatch(/^https:\/\/eu\.example\.com\/console\/portal#link=/u);
  });

  it('says what it cannot make a link for', async () => {
    const { tenant } = await aTenant();
    for (const [args, said] of [
      [['links', 'portal', '--tenant', tenant, '--resource', '9'], 'resourceID 9 is no active resource'],
      [['links', 'sign-in', 'unknown', '--tenant', tenant], 'userName unknown is that of no credential'],
      [['links', 'operator'], 'OPERATOR_TOKEN is not set'],
      [['links', 'portal', '--tenant', tenant, '--resource', '1', '--expires-in', '1'], 'expiresInSeconds must be'],
    ] as const) {
      const refused = await runAdmin([...args], own.env);
      expect(refused.status).toBe(2);
      expect(refused.stderr).toContain(said);
    }
  });
});
