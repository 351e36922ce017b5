import { callApi, useCallout, type CalloutUnderTest, type Reply, type TenantUnderTest } from '@callout/testing';

export type WebhookUnderTest = Awaited<ReturnType<CalloutUnderTest['webhook']>>;

/** Fields of WebhookHealth by their number. */
const [OCCURRENCE, NAME, SUBJECT, STATE, SUMMARY, PREVIOUS_SECRET_UNTIL] = [7, 5, 8, 9, 10, 22];

/** An event of WebhookHealth, as only a simulation takes it. */
export const givenEvent = { entityType: 'webhookhealth', action: 'Update', id: 1, fields: { occurrence: 'paused' } };

/** API and worker that give callouts up within seconds, and deactivate a webhook after two of them. */
export function useHealth() {
  const callout = useCallout({ RETRY_SCHEDULE: '1s', DEACTIVATE_AFTER_FAILURES: '2' });
  let companies = 0;
  return {
    callout,
    /** A webhook on WebhookHealth that gets everything. */
    watching: (
      tenant: TenantUnderTest,
      name: string,
      settings: Parameters<CalloutUnderTest['webhook']>[1] = {},
    ): Promise<WebhookUnderTest> =>
      callout.webhook(tenant, {
        name,
        collection: 'WebhookHealthWebhooks',
        fields: [OCCURRENCE, NAME, SUBJECT, STATE, SUMMARY, PREVIOUS_SECRET_UNTIL].map((fieldID) => ({
          fieldID,
          isSubscribedField: fieldID === OCCURRENCE,
          isDisplayAlwaysField: true,
        })),
        ...settings,
      }),
    call: (
      tenant: TenantUnderTest,
      method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
      path: string,
      body?: object,
    ): Promise<Reply> =>
      callApi(Number(new URL(callout.url).port), tenant.integrator, { method, path, ...(body && { body }) }),
    /** Changes a company that nothing has changed before. */
    change: (tenant: TenantUnderTest): Promise<void> => {
      companies += 1;
      const fields = { companyName: `Company ${companies}` };
      return callout.send(tenant, { entityType: 'Account', action: 'Update', id: companies, fields });
    },
  };
}
