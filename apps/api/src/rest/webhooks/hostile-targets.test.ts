import { beforeAll, describe, expect, it } from '@jest/globals';
import { hostileHosts, hostileUrls } from '@callout/domain/fixtures/hostile-targets';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeTenant, type TestTenant } from '../../fixtures/test-tenant.ts';
import { webhookBody } from '../../fixtures/webhook-body.ts';

// As an installation is from the start: private ranges are forbidden.
const api = runTestApi({ CALLOUT_ALLOW_CIDRS: '', ALLOW_HTTP_TARGETS: 'true' });
let tenant: TestTenant;

const accepted = { webhookUrl: 'https://hooks.example.com/in', deactivationUrl: 'https://hooks.example.com/off' };

beforeAll(async () => {
  tenant = await makeTenant(api.database);
  const response = await write('POST', webhookBody(accepted));
  if (response.status !== 200) throw new Error(`the webhook to be changed was not made: ${response.status}`);
});

const write = (method: string, body: object) => api.call(method, '/CompanyWebhooks', { as: tenant.integrator, body });
const stored = () => api.database.prisma.webhook.findMany({ where: { tenantId: tenant.id } });

/** Both addresses of a webhook, in each of the requests that can set them. */
const writes = (['webhookUrl', 'deactivationUrl'] as const).flatMap((key) => [
  { method: 'POST', key, bodyWith: (url: string) => webhookBody({ ...accepted, [key]: url }) },
  { method: 'PATCH', key, bodyWith: (url: string) => ({ id: 1, [key]: url }) },
  {
    method: 'PUT',
    key,
    bodyWith: (url: string) => ({
      ...webhookBody({ ...accepted, sendThresholdExceededNotification: false }),
      id: 1,
      [key]: url,
    }),
  },
]);

const hostile = [...hostileHosts.map((host) => `http://${host}:8080/hook`), ...hostileUrls];
/** All of them where a webhook is made; the other requests have the same rule, and share them among each other. */
const hostileOf = (nth: number) =>
  nth === 0 ? hostile : hostile.filter((_, at) => at % (writes.length - 1) === nth - 1);

describe.each(writes.map((one, nth) => ({ ...one, urls: hostileOf(nth) })))(
  'the $key of a $method',
  ({ method, key, bodyWith, urls }) => {
    it('may be a public one', async () => {
      await expect(write('PATCH', { id: 1, ...accepted })).resolves.toMatchObject({ status: 200 });
      if (method !== 'POST')
        await expect(write(method, bodyWith(accepted[key]))).resolves.toMatchObject({ status: 200 });
    });

    it('may lead nowhere else, however that is spelled', async () => {
      const before = await stored();
      expect(urls.length).toBeGreaterThan(5);
      for (const url of urls) {
        const { status, body } = await write(method, bodyWith(url));
        expect({ url, status, body }).toEqual({
          url,
          status: 400,
          body: { errors: [expect.any(String)], details: [expect.objectContaining({ field: key })] },
        });
      }
      expect(await stored()).toEqual(before);
    });
  },
);
