import { describe, expect, it } from '@jest/globals';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeTenant, tenantPerTest } from '../../fixtures/test-tenant.ts';
import { webhookBody } from '../../fixtures/webhook-body.ts';

const api = runTestApi({ MAIL_DOMAINS: 'example.com, *.example.org' });
const tenant = tenantPerTest(() => makeTenant(api.database));

const named = (notificationEmailAddress: string | null) => ({
  as: tenant.integrator,
  body: webhookBody({ notificationEmailAddress }),
});

describe('an address that is written where MAIL_DOMAINS is set', () => {
  it.each(['a@example.com', 'a@EXAMPLE.COM', 'a@mail.example.org', null])('is accepted: %s', async (address) => {
    expect(await api.call('POST', '/CompanyWebhooks', named(address))).toMatchObject({ status: 200 });
  });

  it.each(['a@example.net', 'a@sub.example.com', 'a@example.org', 'a@notexample.com', 'a@evil-example.org'])(
    'is refused with the reason: %s',
    async (address) => {
      const refusal = {
        status: 400,
        body: { errors: [expect.stringMatching(/notificationEmailAddress.*no mail to addresses at .*MAIL_DOMAINS/u)] },
      };
      expect(await api.call('POST', '/CompanyWebhooks', named(address))).toMatchObject(refusal);
      expect(await api.call('POST', '/CompanyWebhooks', named(null))).toMatchObject({ status: 200 });
      const body = { id: 1, notificationEmailAddress: address };
      expect(await api.call('PATCH', '/CompanyWebhooks', { as: tenant.integrator, body })).toMatchObject(refusal);
    },
  );

  it('is refused of a resource too', async () => {
    const { id } = await api.database.prisma.resource.findFirstOrThrow({ where: { tenantId: tenant.id } });
    const body = { id, email: 'a@example.net' };
    const response = await api.call('PATCH', '/Resources', { as: tenant.admin, body });
    expect(response).toMatchObject({ status: 400, body: { errors: [expect.stringContaining('MAIL_DOMAINS')] } });
  });
});
