import { describe, expect, it } from '@jest/globals';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeTenantWithWebhooks } from '../../fixtures/tenant-with-webhooks.ts';

const api = runTestApi();

describe('redelivery of ranges', () => {
  it('is limited per tenant and hour, with the time when there is capacity again, and nothing else is', async () => {
    const [one, other] = [await makeTenantWithWebhooks(api), await makeTenantWithWebhooks(api)];
    const redeliver = (as = one.integrator, id = 1) =>
      api.call('POST', `/CompanyWebhooks/${id}/redeliver`, { as, body: { fromSequence: 1 } });
    for (let nth = 0; nth < 60; nth += 1) expect((await redeliver(one.integrator, 1 + (nth % 2))).status).toBe(200);
    const refused = await redeliver();
    expect(refused).toMatchObject({ status: 429, body: { errors: [expect.stringContaining('60 ranges per hour')] } });
    const waitS = Number(refused.headers.get('retry-after'));
    expect(waitS).toBeGreaterThan(3_000);
    expect(waitS).toBeLessThanOrEqual(3_600);
    expect((await redeliver(other.integrator)).status).toBe(200);
    const cancel = { as: one.integrator, body: { fromSequence: 1 } };
    expect((await api.call('POST', '/CompanyWebhooks/1/cancel', cancel)).status).toBe(200);
  });
});
