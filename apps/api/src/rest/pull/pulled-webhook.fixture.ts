import { insertCallout } from '@callout/pipeline/fixtures/callouts';
import type { CallOptions, TestApi } from '../../fixtures/test-api.ts';
import { makeTenant } from '../../fixtures/test-tenant.ts';
import { webhookBody } from '../../fixtures/webhook-body.ts';
import type { PulledCallout } from './hand-out.ts';

export const secretKey = 'a shared secret';

/** A tenant with an active pull webhook on companies, and the calls of its program. */
export async function aPulledWebhook(api: Pick<TestApi, 'call' | 'database'>, change: Record<string, unknown> = {}) {
  const { database, call } = api;
  const tenant = await makeTenant(database);
  const as = tenant.integrator;
  const body = webhookBody({
    webhookUrl: 'pull:',
    secretKey,
    fields: [{ field: 'companyName', isSubscribedField: true }],
    ...change,
  });
  const made = await call('POST', '/CompanyWebhooks', { as, body });
  const id = (made.body as { itemId: number }).itemId;
  const row = await database.prisma.webhook.findFirstOrThrow({ where: { tenantId: tenant.id, id } });
  const webhookKey = Number(row.key);
  const path = `/CompanyWebhooks/${id}`;
  const post = (rest: string, given: unknown, options: CallOptions = {}) =>
    call('POST', `${path}/${rest}`, { as, body: given, ...options });
  return {
    tenant,
    id,
    webhookKey,
    path,
    /** Makes a callout of each record, as match does. @returns their ids. */
    add: async (...recordIds: number[]): Promise<string[]> => {
      const ids: string[] = [];
      for (const recordId of recordIds) {
        ids.push(await insertCallout(database.pool, { tenantId: tenant.id, webhookKey, recordId }));
      }
      return ids;
    },
    post,
    /** Fetches, at once by default. */
    pull: async (given: Record<string, unknown> = {}): Promise<PulledCallout[]> => {
      const response = await post('Pull', { waitSeconds: 0, ...given });
      if (response.status !== 200) throw new Error(JSON.stringify(response.body));
      return (response.body as { items: PulledCallout[] }).items;
    },
    /** Acknowledges callouts. @returns the status of each. */
    acknowledge: async (given: { acks?: unknown[]; nacks?: unknown[] }): Promise<string[]> => {
      const response = await post('Pull/ack', given);
      if (response.status !== 200) throw new Error(JSON.stringify(response.body));
      return (response.body as { items: { status: string }[] }).items.map(({ status }) => status);
    },
    /** The leases of this webhook end now. */
    lapse: async (): Promise<void> => {
      const earlier = "now() - interval '1 second'";
      await database.pool.query(
        `UPDATE open_callouts SET lease_until = ${earlier} WHERE webhook_key = $1 AND lease_owner IS NOT NULL`,
        [webhookKey],
      );
      await database.pool.query(
        `UPDATE pull_leases SET lease_until = ${earlier} WHERE webhook_key = $1 AND outcome IS NULL`,
        [webhookKey],
      );
    },
    /** All that waits for its next attempt is due now. */
    hasten: async (): Promise<void> => {
      await database.pool.query('UPDATE open_callouts SET due_at = now() WHERE webhook_key = $1', [webhookKey]);
    },
    stateOf: async (calloutId: string): Promise<string> =>
      (await database.prisma.callout.findUniqueOrThrow({ where: { id: calloutId } })).state,
    attemptsOf: async (
      calloutId: string,
    ): Promise<{ number: number; url: string; status: number | null; failure: string | null }[]> =>
      database.prisma.attempt.findMany({ where: { calloutId }, orderBy: { number: 'asc' } }),
  };
}
