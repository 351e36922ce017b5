import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { storeProcess } from '@callout/database/processes';
import { newId } from '@callout/database/schema/ids';
import { claimDueCallouts } from '@callout/pipeline/deliver/claim';
import { claimRules } from '@callout/pipeline/fixtures/callouts';
import { eventually } from '@callout/testing';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeTenantWithWebhooks } from '../../fixtures/tenant-with-webhooks.ts';
import { tenantPerTest } from '../../fixtures/test-tenant.ts';

const api = runTestApi();
const tenant = tenantPerTest(() => makeTenantWithWebhooks(api));
const path = '/CompanyWebhooks/1';
const query = (text: string, values: unknown[] = []) => api.database.pool.query(text, values);
const change = (columns: string) =>
  query(`UPDATE webhooks SET ${columns} WHERE tenant_id = $1 AND id = 1`, [tenant.id]);

beforeEach(async () => {
  api.queue.isReady = true;
  await query('DELETE FROM processes');
});
afterEach(() => {
  api.shutdown.hasBegun = false;
});

/** A worker as it reports itself. */
const aWorker = (isReady = true, roles = ['deliver']) =>
  storeProcess(api.database.pool, newId(), {
    ...{ service: 'worker', version: '1', host: 'h', pid: 1, startedAt: new Date(), isReady },
    facts: { roles, keyIDs: [], checks: {}, notices: [] },
  });

const sendTest = () => api.call('POST', `${path}/test`, { as: tenant.integrator });

/** The test that is stored and waits for its attempt. */
const waitingTest = () =>
  eventually(async () => {
    const stored = { where: { tenantId: tenant.id, kind: 'test' } };
    const { calloutId, webhookKey } = await api.database.prisma.openCallout.findFirstOrThrow(stored);
    return { calloutId, webhookKey: Number(webhookKey) };
  });

/** Sends a test that waits, does something about it, and then lets no request wait any longer. */
async function whileItWaits(act: (test: { calloutId: string; webhookKey: number }) => Promise<unknown>) {
  const answering = sendTest();
  await act(await waitingTest());
  api.shutdown.hasBegun = true;
  return answering;
}

const notMade = (state: string, notMadeBecause: unknown) => ({
  status: 202,
  body: { state, attempt: null, notMadeBecause },
});

describe('a test that is not made says why', () => {
  it.each<[reason: string | RegExp, given: () => Promise<unknown>]>([
    ['No worker that sends callouts is running: its operator can start one.', async () => undefined],
    ['No worker that sends callouts is running: its operator can start one.', () => aWorker(true, ['match'])],
    [
      'No worker that sends callouts is running: its operator can start one.',
      () => aWorker().then(() => query(`UPDATE processes SET seen_at = now() - interval '1 minute'`)),
    ],
    ['No worker that sends callouts is ready: its /readyz has the reason.', () => aWorker(false)],
    ['It is due: it goes out as soon as a worker has a free slot for its webhook.', () => aWorker()],
    [
      'It is due: it waits for a program to fetch it (POST …/Pull).',
      () => change(`delivery_mode = 'pull', webhook_url = 'pull:'`),
    ],
    [/lacks the key to read its secret \(lost\)/u, () => change(`secret_key_id = 'lost'`)],
  ])('%s', async (reason, given) => {
    await given();
    api.shutdown.hasBegun = true;
    const because = typeof reason === 'string' ? reason : expect.stringMatching(reason);
    expect(await sendTest()).toMatchObject(notMade('due', because));
  });

  it('is being sent', async () => {
    const response = await whileItWaits(({ webhookKey }) =>
      claimDueCallouts(api.database.pool, [{ webhookKey, slots: 1 }], claimRules),
    );
    expect(response).toMatchObject(notMade('due', 'It is being sent at this moment.'));
  });

  it('is about to be cancelled', async () => {
    const response = await whileItWaits(() => change('is_active = false'));
    expect(response).toMatchObject(notMade('due', expect.stringMatching(/^Its webhook is inactive or deleted/u)));
  });

  it.each([
    ['PATCH', path, { isActive: false }, 'Its webhook was set inactive.'],
    ['DELETE', path, undefined, 'Its webhook was deleted.'],
  ])('its webhook ended: %s', async (method, at, body, reason) => {
    const response = await whileItWaits(() =>
      api.call(method, at, { as: tenant.integrator, ...(body !== undefined && { body }) }),
    );
    expect(response).toMatchObject(notMade('cancelled', reason));
  });

  it('was cancelled on request', async () => {
    const response = await whileItWaits(({ calloutId }) =>
      api.call('POST', `${path}/Callouts/${calloutId}/cancel`, { as: tenant.integrator }),
    );
    expect(response).toMatchObject(notMade('cancelled', expect.stringMatching(/cancelled/u)));
  });

  it('has ended, and its attempt is no longer kept', async () => {
    const response = await whileItWaits(async ({ calloutId }) => {
      await query(`UPDATE callouts SET state = 'failed', finished_at = now() WHERE id = $1`, [calloutId]);
      await query('DELETE FROM open_callouts WHERE callout_id = $1', [calloutId]);
    });
    expect(response).toMatchObject(notMade('failed', 'It has ended, and its attempt is no longer kept.'));
  });
});
