import { describe, expect, it } from '@jest/globals';
import { chainStart, chainValue } from '@callout/domain/callout/chain';
import { workOnDigests } from '@callout/pipeline/digest/digests';
import { failure } from '../../fixtures/failure.ts';
import { insertLoggedCallout } from '../../fixtures/logged-callout.ts';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeTenantWithWebhooks } from '../../fixtures/tenant-with-webhooks.ts';
import { tenantPerTest } from '../../fixtures/test-tenant.ts';

const api = runTestApi();
const tenant = tenantPerTest(() => makeTenantWithWebhooks(api));

const get = async (query = '') => {
  const { status, body } = await api.call('GET', `/CompanyWebhooks/1/Digest${query}`, { as: tenant.integrator });
  return { status, body, item: (body as { item: DigestItem }).item };
};
interface DigestItem {
  previousChain: string;
  chain: string;
  notDelivered: { fromSequenceNumber: number; chainBefore: string }[];
}

/** Callouts of webhook 1, from number `first` on. Returns the values of a chain over them that begins there. */
async function insert(states: readonly ('delivered' | 'failed' | 'due')[], first = 1): Promise<string[]> {
  const values = [chainStart];
  for (const [index, state] of states.entries()) {
    const sequenceNumber = first + index;
    const { calloutId: id } = await insertLoggedCallout(api, tenant.id, {
      state,
      sequenceNumber,
      recordId: sequenceNumber,
    });
    const { body } = await api.call('GET', `/Callouts/${id}`, { as: tenant.integrator });
    const { item } = body as { item: { body: string } };
    values.push(chainValue(values.at(-1) ?? '', { sequenceNumber, id, body: item.body }));
  }
  await api.database.prisma.webhook.updateMany({
    where: { tenantId: tenant.id, id: 1 },
    data: { lastSequence: first + states.length - 1 },
  });
  return values;
}

const set = (digestEvery: unknown) =>
  api.call('PATCH', '/CompanyWebhooks/1', { as: tenant.integrator, body: { digestEvery } });
const work = () => workOnDigests(api.database.pool, { isStopping: () => false, onDigest: () => undefined });

describe('GET …/Digest', () => {
  it('proves any range of a webhook without digests, with a chain that begins there', async () => {
    const values = await insert(['delivered', 'failed', 'due', 'delivered']);
    expect(await get()).toMatchObject({
      status: 200,
      item: {
        firstSequenceNumber: 1,
        lastSequenceNumber: 4,
        count: 4,
        previousChain: chainStart,
        chain: values[4],
        notDelivered: [
          {
            fromSequenceNumber: 2,
            toSequenceNumber: 2,
            state: 'failed',
            chainBefore: values[1],
            chainAfter: values[2],
          },
          { fromSequenceNumber: 3, toSequenceNumber: 3, state: 'open', chainBefore: values[2], chainAfter: values[3] },
        ],
        keptFromSequenceNumber: 1,
        nextFromSequenceNumber: null,
        latestSequenceNumber: 4,
        digestEvery: 'none',
        nextDigestDateTime: null,
        lastDigest: null,
      },
    });
    expect((await get('?fromSequence=2&toSequence=3')).item).toMatchObject({ count: 2, previousChain: chainStart });
    expect((await get('?fromSequence=9')).item).toMatchObject({ count: 0, notDelivered: [] });
  });

  it('goes on where the chain of digests begins, and names what is still kept', async () => {
    await insert(['delivered', 'delivered']);
    expect(await set('HOUR')).toMatchObject({ status: 200 });
    const values = await insert(['delivered', 'failed', 'delivered'], 3);
    await work();
    const before = await get();
    expect(before.item).toMatchObject({ lastSequenceNumber: 2, nextFromSequenceNumber: 3, digestEvery: 'hour' });
    expect((await get('?fromSequence=3')).item).toMatchObject({
      count: 3,
      chain: values[3],
      previousChain: chainStart,
    });
    expect((await get('?fromSequence=4&toSequence=4')).item).toMatchObject({
      previousChain: values[1],
      chain: values[2],
      notDelivered: [{ fromSequenceNumber: 4, chainBefore: values[1] }],
      nextDigestDateTime: expect.stringMatching(/:00:00.000Z$/),
    });
    await api.database.pool.query('DELETE FROM callouts WHERE tenant_id = $1 AND sequence_number < 4', [tenant.id]);
    expect((await get('?fromSequence=1')).item).toMatchObject({
      firstSequenceNumber: 4,
      keptFromSequenceNumber: 4,
      previousChain: values[1],
      chain: values[3],
    });
  });

  it('shows the last digest, which is a callout in the log', async () => {
    await set('day');
    await insert(['delivered']);
    await api.database.pool.query('UPDATE webhook_chains SET next_digest_at = now()');
    await work();
    expect((await get()).item).toMatchObject({ lastDigest: { sequenceNumber: 2 }, latestSequenceNumber: 2 });
    const { body } = await api.call('GET', '/CompanyWebhooks/1/Callouts?kind=digest', { as: tenant.integrator });
    const { items } = body as { items: { id: string }[] };
    expect(items).toMatchObject([{ action: 'Digest', kind: 'digest', recordID: null, eventID: null, state: 'due' }]);
    const path = `/CompanyWebhooks/1/Callouts/${items[0]?.id}`;
    expect(await api.call('POST', `${path}/cancel`, { as: tenant.integrator })).toMatchObject({
      body: { cancelled: 1 },
    });
    expect(await api.call('POST', `${path}/redeliver`, { as: tenant.integrator })).toMatchObject({
      body: { queued: 1 },
    });
    const open = await api.database.prisma.openCallout.findMany({ where: { tenantId: tenant.id, kind: 'digest' } });
    expect(open).toMatchObject([{ recordId: -2n, action: 'Digest', isRedelivery: true }]);
  });

  it.each(['?fromSequence=0', '?fromSequence=x', '?fromSequence=3&toSequence=2', `?toSequence=${2 ** 53}`])(
    'refuses %s',
    async (query) => {
      expect(await get(query)).toMatchObject({ status: 400, body: failure('invalid') });
    },
  );

  it('is 404 for a webhook of another tenant, and for one that is deleted', async () => {
    expect(await api.call('GET', '/CompanyWebhooks/7/Digest', { as: tenant.integrator })).toMatchObject({
      status: 404,
    });
    await api.call('DELETE', '/CompanyWebhooks/1', { as: tenant.integrator });
    expect(await get()).toMatchObject({ status: 404 });
  });
});

it('digestEvery is none, hour or day', async () => {
  const read = async () => (await api.call('GET', '/CompanyWebhooks/1', { as: tenant.integrator })).body;
  expect(await read()).toMatchObject({ item: { digestEvery: 'none' } });
  expect(await set('week')).toMatchObject({ status: 400 });
  await set('day');
  expect(await read()).toMatchObject({ item: { digestEvery: 'day' } });
  await set('none');
  expect(await api.database.prisma.webhookChain.count({ where: { tenantId: tenant.id } })).toBe(0);
});
