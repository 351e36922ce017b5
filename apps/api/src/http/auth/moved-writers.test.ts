import { randomBytes } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { eventually } from '@callout/testing';
import { KeyRing } from '@callout/domain/secrets/keyring';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { createDisposableDatabase } from '@callout/local/test-run';
import { moveTenant } from '@callout/transfer/move/move-tenant';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { webhookBody } from '../../fixtures/webhook-body.ts';
import { aPulledWebhook } from '../../rest/pull/pulled-webhook.fixture.ts';
import { soapClient } from '../../soap/soap-client.fixture.ts';

const SECRET_KEYS = `k1:${randomBytes(32).toString('base64')}`;
const api = runTestApi({ SECRET_KEYS });
const there = useDatabase(createDisposableDatabase);

it('every write over REST, Pull and SOAP that was acknowledged exists in the zone that its tenant moves to', async () => {
  const keyRing = KeyRing.parse(SECRET_KEYS);
  const zones = {
    source: { pool: api.database.pool, keyRing },
    target: { pool: there.pool, keyRing },
  };
  for (const { prisma } of [api.database, there]) {
    await prisma.zone.create({ data: { name: 'eu2', url: 'https://eu2.example', webUrl: '' } });
  }
  const pulled = await aPulledWebhook(api);
  const as = pulled.tenant.integrator;
  const made = await api.call('POST', '/CompanyWebhooks', { as, body: webhookBody() });
  const other = (made.body as { itemId: number }).itemId;
  const soap = await soapClient(api, as);
  const calloutIds = await pulled.add(...Array.from({ length: 100 }, (_, n) => n + 1));

  const moved = new AbortController();
  let writing = 0;
  /** Repeats a change until the tenant has moved; one that throws was not made. */
  const repeat = async (change: (nth: number) => Promise<boolean>): Promise<void> => {
    let done = 0;
    for (let nth = 1; !moved.signal.aborted; nth += 1) {
      if (!(await change(nth).catch(() => false))) continue;
      done += 1;
      if (done === 1) writing += 1;
    }
  };
  const last = { patch: '', soap: '' };
  const acked = new Set<string>();
  const writers = [
    repeat(async (nth) => {
      const body = { id: pulled.id, name: `patch ${nth}` };
      const { status } = await api.call('PATCH', '/CompanyWebhooks', { as, body });
      if (status === 200) last.patch = body.name;
      return status === 200;
    }),
    repeat(async (nth) => {
      const name = `soap ${nth}`;
      const { returnCode } = await soap.write('update', ['AccountWebhook', { id: other, Name: name }]);
      if (returnCode === 1) last.soap = name;
      return returnCode === 1;
    }),
    repeat(async () => {
      const items = await pulled.pull({ max: 3 });
      const statuses = await pulled.acknowledge({ acks: items.map(({ ackID }) => ackID) });
      items.forEach(({ calloutID }, nth) => statuses[nth] === 'acked' && acked.add(calloutID));
      return statuses.length > 0;
    }),
  ];
  await eventually(() => expect(writing).toBe(writers.length));
  const tenant = await api.database.prisma.tenant.findUniqueOrThrow({ where: { id: pulled.tenant.id } });
  const { targetTenantId } = await moveTenant(zones, tenant, {
    zoneName: 'eu2',
    freezeLimitMs: 30_000,
    onStep: () => undefined,
    isStopping: () => false,
  }).finally(() => moved.abort());
  await Promise.all(writers);

  const { prisma } = there;
  const webhooks = await prisma.webhook.findMany({ where: { tenantId: targetTenantId }, orderBy: { id: 'asc' } });
  expect(webhooks.map(({ name }) => name)).toEqual([last.patch, last.soap]);
  const delivered = await prisma.callout.findMany({
    where: { tenantId: targetTenantId, state: 'delivered' },
    select: { id: true },
  });
  expect(new Set(delivered.map(({ id }) => id))).toEqual(acked);
  // Nothing changed in the old zone after the move, and callouts without an acknowledgement are open in the new one.
  const states = { tenantId: tenant.id, state: 'delivered' };
  expect(await api.database.prisma.callout.count({ where: states })).toBe(acked.size);
  const open = await prisma.openCallout.count({ where: { tenantId: targetTenantId } });
  expect(open).toBe(calloutIds.length - acked.size);
});
