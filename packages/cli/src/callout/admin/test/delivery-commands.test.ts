import { beforeEach, describe, expect, it } from '@jest/globals';
import { delivered, failed } from '@callout/pipeline/fixtures/callouts';
import { deactivationCallsOf } from '@callout/pipeline/fixtures/deactivation-calls';
import { aTenantWithCallouts } from '@callout/pipeline/fixtures/delivery';
import { useCommandDatabase } from './command-database.fixture.ts';
import { runAdmin, runAdminForJson } from './run-admin.fixture.ts';

const own = useCommandDatabase();
let tenant: Awaited<ReturnType<typeof aTenantWithCallouts>>;
let of: string[];

beforeEach(async () => {
  tenant = await aTenantWithCallouts(own.database, { webhooks: 2 });
  of = ['--tenant', String(tenant.tenantId), '--webhook', 'CompanyWebhooks/1'];
});

interface Listed {
  id: string;
  state: string;
  webhookID: number;
}

const json = <T>(...args: string[]) => runAdminForJson<T>(args, own.env);
const run = (...args: string[]) => runAdmin(args, own.env);
const typed = (text: string, ...args: string[]) => runAdmin(args, own.env, text, true);
const list = (...args: string[]) => json<Listed[]>('deliveries', 'list', '--tenant', String(tenant.tenantId), ...args);
const statesOf = async (...args: string[]) => (await list(...args)).map(({ state }) => state);

/** One that failed, and behind it one that is due. */
async function oneFailed(): Promise<string> {
  const id = await tenant.add(1);
  await tenant.settle(await tenant.claim(), failed);
  return id;
}

describe('callout admin deliveries list', () => {
  it('shows the newest first, of a tenant or a webhook, in some states, as many as are asked for', async () => {
    const first = await oneFailed();
    const second = await tenant.add(2);
    const other = await tenant.add(1, 1);
    expect((await list()).map(({ id }) => id)).toEqual([other, second, first]);
    expect(await statesOf('--webhook', 'companywebhooks/1')).toEqual(['due', 'failed']);
    expect(await statesOf('--webhook', 'Account/2')).toEqual(['due']);
    expect((await list('--state', 'failed,delivered')).map(({ id }) => id)).toEqual([first]);
    expect((await list('--limit', '2')).map(({ id }) => id)).toEqual([other, second]);
    expect(await statesOf('--until', '2020-01-01')).toEqual([]);
    const { stdout } = await run('deliveries', 'list', '--tenant', String(tenant.tenantId));
    expect(stdout).toMatch(/^CREATED UTC +ID +WEBHOOK +NUMBER +ACTION +RECORD ID +STATE +ATTEMPTS +WAITS FOR\n/);
    expect(stdout).toMatch(/CompanyWebhooks\/1 +1 +Update +1 +failed +1 +-\n/);
  });

  it.each([
    [['--webhook', 'Companies/1'], 'names no webhook'],
    [['--webhook', 'CompanyWebhooks/9'], 'has no webhook 9'],
    [['--state', 'lost'], 'one or more of waiting'],
    [['--since', 'soon'], 'must be a time'],
  ])('says what is wrong with %j', async (args, words) => {
    const { status, stderr } = await run('deliveries', 'list', '--tenant', String(tenant.tenantId), ...args);
    expect(status).not.toBe(0);
    expect(stderr).toContain(words);
  });
});

describe('callout admin deliveries show', () => {
  it('shows both sides of every attempt, and no secret', async () => {
    const id = await tenant.add(1);
    const [callout] = await tenant.claim();
    if (callout === undefined) throw new Error('nothing was claimed');
    await tenant.settle([callout], failed);
    await own.database.pool.query(
      `UPDATE attempts SET url = 'https://me:pw@receiver.example/in?code=s3cret', request_headers = $2,
         response_headers = '{"set-cookie":"s3cret","server":"x"}', response_body = $3 WHERE callout_id = $1`,
      [id, '{"webhook-id":"1","webhook-signature":"v1,s3cret"}', Buffer.from('no \u001B[2J thanks')],
    );
    const shown = await json<{ attempts: unknown[] }>('deliveries', 'show', id);
    expect(shown).toMatchObject({ tenantID: tenant.tenantId, id, state: 'failed', body: '{}' });
    expect(shown.attempts).toEqual([
      expect.objectContaining({
        url: 'https://me:<redacted>@receiver.example/in?code=<redacted>',
        requestHeaders: expect.objectContaining({ 'webhook-id': '1', 'webhook-signature': '<redacted>' }),
        responseHeaders: { 'set-cookie': '<redacted>', server: 'x' },
        status: 400,
      }),
    ]);
    const { stdout } = await run('deliveries', 'show', id);
    expect(stdout).toContain('answered 400');
    expect(stdout).not.toMatch(/s3cret|pw@/);
    expect(stdout).not.toContain('\u001B');
  });

  it('says why a callout waits, and that there is none of that id', async () => {
    await tenant.add(1);
    const { stdout } = await run('deliveries', 'show', await tenant.add(1));
    expect(stdout).toContain('Callout 1 of the same record goes first.');
    await expect(run('deliveries', 'show', 'nothing')).resolves.toMatchObject({ status: 1 });
  });
});

describe('callout admin deliveries redeliver', () => {
  it('opens callouts again, named by their ids', async () => {
    const id = await oneFailed();
    expect(await json('deliveries', 'redeliver', id)).toEqual({ queued: 1 });
    expect(await statesOf()).toEqual(['due']);
    expect(await json('deliveries', 'redeliver', id)).toEqual({ queued: 0 });
    await own.database.pool.query("UPDATE open_callouts SET due_at = now() + interval '1 hour' WHERE callout_id = $1", [
      id,
    ]);
    expect(await json('deliveries', 'redeliver', id)).toEqual({ queued: 1 });
    expect(await tenant.claim()).toHaveLength(1);
  });

  it('opens what a webhook missed, once it is confirmed', async () => {
    await oneFailed();
    await tenant.add(2);
    await tenant.settle(await tenant.claim(), delivered);
    const declined = await typed('no\n', 'deliveries', 'redeliver', ...of);
    expect(declined).toMatchObject({ status: 1, stdout: 'Nothing was changed.\n' });
    expect(declined.stderr).toContain('Callouts to be sent now: 1.');
    await expect(run('deliveries', 'redeliver', ...of)).resolves.toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Add --yes'),
    });
    expect(await statesOf()).toEqual(['delivered', 'failed']);
    await expect(typed('yes\n', 'deliveries', 'redeliver', ...of)).resolves.toMatchObject({ status: 0 });
    expect(await statesOf()).toEqual(['delivered', 'due']);
  });
});

describe('callout admin deliveries cancel', () => {
  it('cancels what is open of a webhook in a state, with the count, and nothing of another', async () => {
    await tenant.add(1);
    await tenant.add(1);
    await tenant.add(2);
    await tenant.add(1, 1);
    const asked = await typed('y\n', 'deliveries', 'cancel', ...of, '--state', 'due');
    expect(asked).toMatchObject({ status: 0, stdout: 'Cancelled callouts: 2.\n' });
    expect(asked.stderr).toContain('Callouts to be cancelled: 2.');
    expect(await statesOf('--webhook', 'CompanyWebhooks/1')).toEqual(['cancelled', 'due', 'cancelled']);
    expect(await json('deliveries', 'cancel', ...of, '--yes')).toEqual({ cancelled: 1 });
    expect(await statesOf('--webhook', 'CompanyWebhooks/2')).toEqual(['due']);
    expect(await json('deliveries', 'cancel', ...of)).toEqual({ cancelled: 0 });
  });

  it('cancels one, and accepts either ids or a webhook', async () => {
    const id = await tenant.add(1);
    await expect(run('deliveries', 'cancel')).resolves.toMatchObject({ status: 2 });
    await expect(run('deliveries', 'cancel', id, ...of)).resolves.toMatchObject({ status: 2 });
    expect(await json('deliveries', 'cancel', id)).toEqual({ cancelled: 1 });
  });
});

describe('callout admin webhooks', () => {
  it('lists and shows webhooks, why one gets nothing, and no secret', async () => {
    await own.database.pool.query(`UPDATE webhooks SET webhook_url = 'https://r.example/?key=s3cret' WHERE key = $1`, [
      tenant.keys[0],
    ]);
    await tenant.add(1);
    const inTenant = ['--tenant', String(tenant.tenantId)];
    const all = await json<{ id: number }[]>('webhooks', 'list', ...inTenant);
    expect(all.map(({ id }) => id)).toEqual([1, 2]);
    const shown = await run('webhooks', 'show', 'CompanyWebhooks/1', ...inTenant);
    expect(shown.stdout).toMatch(/OPEN CALLOUTS +1\n/);
    expect(JSON.stringify([all, shown])).not.toContain('s3cret');
    expect(await json('webhooks', 'show', 'CompanyWebhooks/1', ...inTenant)).toMatchObject({
      id: 1,
      openCallouts: 1,
      reasons: expect.any(Array),
    });
  });

  it('deactivates after a confirmation: open callouts are cancelled, and the receiver gets its deactivation call', async () => {
    await tenant.add(1);
    const args = ['webhooks', 'deactivate', 'CompanyWebhooks/1', '--tenant', String(tenant.tenantId)];
    await expect(typed('\n', ...args)).resolves.toMatchObject({
      status: 1,
      stderr: expect.stringContaining('Open callouts to be cancelled: 1.'),
    });
    expect(await json(...args, '--yes')).toMatchObject({ id: 1, isActive: false });
    expect(await statesOf('--kind', 'event')).toEqual(['cancelled']);
    expect(await deactivationCallsOf(own.database.pool, tenant.keys[0] ?? 0)).toHaveLength(1);
    expect(await tenant.history()).toEqual(['deactivated user']);
    await expect(run(...args)).resolves.toMatchObject({ stdout: 'CompanyWebhooks/1 was inactive already.\n' });
  });
});
