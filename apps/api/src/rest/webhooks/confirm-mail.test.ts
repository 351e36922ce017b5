import { describe, expect, it } from '@jest/globals';
import { confirmationKeyPurpose, confirmationToken } from '@callout/pipeline/notify/write/confirmation-token.rules';
import { KeyRing } from '@callout/domain/secrets/keyring';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeTenant, tenantPerTest } from '../../fixtures/test-tenant.ts';
import { webhookBody } from '../../fixtures/webhook-body.ts';

const secretKeys = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
const api = runTestApi({
  MAIL_CONFIRM: 'true',
  PUBLIC_URL: 'https://callout.example.com',
  SECRET_KEYS: secretKeys,
});
const tenant = tenantPerTest(() => makeTenant(api.database));

async function createFor(notificationEmailAddress: string): Promise<void> {
  const body = webhookBody({ notificationEmailAddress });
  expect(await api.call('POST', '/CompanyWebhooks', { as: tenant.integrator, body })).toMatchObject({ status: 200 });
}

/** As the worker makes it, with the key that is not in the database. */
function tokenIn(content: unknown): string {
  const { ticket } = (content as { facts: { ticket: string } }).facts;
  const [key = new Uint8Array()] = KeyRing.parse(secretKeys).deriveKeys(confirmationKeyPurpose);
  return confirmationToken(ticket, key);
}

async function tokens(): Promise<string[]> {
  const { rows } = await api.database.pool.query<{ content: unknown }>(
    "SELECT content FROM notifications WHERE tenant_id = $1 AND kind = 'confirmation' ORDER BY created_at",
    [tenant.id],
  );
  return rows.map(({ content }) => tokenIn(content));
}

async function isConfirmed(): Promise<boolean> {
  const { rows } = await api.database.pool.query<{ at: Date | null }>(
    'SELECT confirmed_at AS at FROM mail_confirmations WHERE tenant_id = $1',
    [tenant.id],
  );
  return rows.length === 1 && rows[0]?.at !== null;
}

async function open(method: string, token: string): Promise<{ status: number; text: string; headers: Headers }> {
  const response = await fetch(new URL(`/confirm-mail?token=${token}`, api.url), { method });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

describe('an address that a webhook names', () => {
  it('is asked when it is written, and once', async () => {
    await createFor('stranger@example.net');
    await createFor('Stranger@example.net');
    expect(await tokens()).toHaveLength(1);
    const body = { id: 1, notificationEmailAddress: 'another@example.net' };
    expect(await api.call('PATCH', '/CompanyWebhooks', { as: tenant.integrator, body })).toMatchObject({ status: 200 });
    expect(await tokens()).toHaveLength(2);
  });

  it('is not asked when it is a resource’s', async () => {
    const resource = await api.database.prisma.resource.findFirstOrThrow({ where: { tenantId: tenant.id } });
    await createFor(resource.email.toUpperCase());
    expect(await tokens()).toEqual([]);
  });
});

describe('/confirm-mail', () => {
  it('shows a page with a button, which confirms; opening the link confirms nothing', async () => {
    await createFor('stranger@example.net');
    const [token = ''] = await tokens();
    for (const method of ['GET', 'HEAD', 'GET']) expect((await open(method, token)).status).toBe(200);
    const page = await open('GET', token);
    expect(page.text).toContain('stranger@example.net');
    expect(page.text).toContain('<form method="post">');
    expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'; .*form-action 'self'/u);
    expect([page.headers.get('cache-control'), page.headers.get('referrer-policy')]).toEqual([
      'no-store',
      'no-referrer',
    ]);
    expect(await isConfirmed()).toBe(false);
    expect(await open('POST', token)).toMatchObject({ status: 200, text: expect.stringContaining('is confirmed') });
    expect(await isConfirmed()).toBe(true);
    expect((await open('POST', token)).status).toBe(200);
    expect((await open('GET', token)).text).toContain('confirmed already');
  });

  it('says that a link is not valid that was never sent, or that has expired', async () => {
    await createFor('stranger@example.net');
    const [token = ''] = await tokens();
    await api.database.pool.query("UPDATE mail_confirmations SET expires_at = now() - interval '1 second'");
    for (const one of [token, 'made-up', '', '%00', '%22%3E%3Cscript%3E']) {
      for (const method of ['GET', 'POST']) {
        const { status, text } = await open(method, one);
        expect(status).toBe(404);
        expect(text).not.toContain('<script>');
      }
    }
    expect(await isConfirmed()).toBe(false);
  });

  it('shows names as text', async () => {
    await api.database.prisma.tenant.update({ where: { id: tenant.id }, data: { name: `<b>&"${tenant.id}` } });
    await createFor('stranger@example.net');
    const [token = ''] = await tokens();
    expect((await open('GET', token)).text).toContain(`&lt;b&gt;&amp;&quot;${tenant.id}`);
  });

  it('accepts no other method, and keeps the token out of the log', async () => {
    await createFor('stranger@example.net');
    const [token = ''] = await tokens();
    expect((await open('PUT', token)).status).toBe(405);
    expect(api.log()).toContain('/confirm-mail');
    expect(api.log()).not.toContain(token);
  });
});
