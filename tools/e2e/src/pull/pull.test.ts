import { describe, expect, it } from '@jest/globals';
import { callApi, createCompanies, eventually, everyCompanyEvent } from '@callout/testing';
import { Webhook } from 'standardwebhooks';
import { aPulledWebhook, api, installation, type Pulled, startApi } from './pulled-webhook.fixture.ts';
import './consumers.suite.ts';

const recordOf = ({ body }: Pulled) => (JSON.parse(body) as { Id: number }).Id;
const numberOf = ({ body }: Pulled) => (JSON.parse(body) as { SequenceNumber: number }).SequenceNumber;

describe('callouts that are fetched', () => {
  it('come as soon as they are due, to a program that waits, and verify', async () => {
    const webhook = await aPulledWebhook();
    const waiting = webhook.pull({ waitSeconds: 60 });
    await createCompanies(await api().ready(), installation().tenant.source, { first: 1, count: 1 });
    const [callout] = await waiting;
    expect(callout).toBeDefined();
    const verifier = new Webhook(Buffer.from(everyCompanyEvent.secretKey).toString('base64'));
    expect(verifier.verify(callout?.body ?? '', callout?.headers ?? {})).toMatchObject({ Action: 'Create', Id: 1 });
    if (callout !== undefined)
      expect(await webhook.ack(callout)).toMatchObject({ body: { items: [{ status: 'acked' }] } });
    await webhook.remove();
  });

  it('come again when their lease ends without an acknowledgement, and are failed when their attempts are used up', async () => {
    const webhook = await aPulledWebhook();
    await createCompanies(await api().ready(), installation().tenant.source, { first: 101, count: 1 });
    const attempts: (string | undefined)[] = [];
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const [callout] = await webhook.pull({ waitSeconds: 60 });
      attempts.push(callout?.headers['X-Hook-Attempt']);
      await webhook.endLeases();
    }
    expect(attempts).toEqual(['1', '2', '3']);
    const { prisma } = installation().database;
    const where = { recordId: 101, state: 'failed' };
    await eventually(async () => (await prisma.callout.count({ where })) === 1);
    const callout = await prisma.callout.findFirstOrThrow({ where });
    const kept = await prisma.attempt.findMany({ where: { calloutId: callout.id }, orderBy: { number: 'asc' } });
    expect(kept.map(({ failureReason }) => failureReason)).toEqual(['leaseLapsed', 'leaseLapsed', 'leaseLapsed']);
    await webhook.remove();
  });

  it('are all there, in order per record, when the API is killed between handing out and hearing of it', async () => {
    const webhook = await aPulledWebhook();
    const port = await api().ready();
    const records = [201, 202, 203, 204, 205];
    const rounds = 4;
    for (let round = 0; round < rounds; round += 1) {
      const events = records.map((id) => ({
        ...{ entityType: 'Account', action: 'Update', id },
        fields: { companyName: `name ${round}` },
      }));
      expect(
        await callApi(port, installation().tenant.source, { method: 'POST', path: '/EntityEvents', body: { events } }),
      ).toMatchObject({
        status: 202,
      });
    }
    const last = new Map<number, number>();
    const delivered = new Map<number, number>();
    for (let pull = 0; [...delivered.values()].reduce((sum, n) => sum + n, 0) < records.length * rounds; pull += 1) {
      const callouts = await webhook.pull({ waitSeconds: 60, leaseSeconds: 600, max: 3 });
      for (const callout of callouts) {
        // The next of a record comes only when the one before is acknowledged.
        expect(numberOf(callout)).toBeGreaterThan(last.get(recordOf(callout)) ?? 0);
      }
      if (pull % 4 === 1) {
        await api().signal('SIGKILL');
        await startApi().ready();
        // Some are acknowledged through another API; the lease of one ends.
        callouts.splice(0, 1);
      }
      if (callouts.length > 0) {
        const items = callouts.map(() => ({ status: 'acked' }));
        expect(await webhook.ack(...callouts)).toMatchObject({ body: { items } });
      }
      await webhook.endLeases();
      for (const callout of callouts) {
        last.set(recordOf(callout), numberOf(callout));
        delivered.set(recordOf(callout), (delivered.get(recordOf(callout)) ?? 0) + 1);
      }
    }
    expect(Object.fromEntries(delivered)).toEqual(Object.fromEntries(records.map((id) => [id, rounds])));
    await webhook.remove();
  });

  it('are tested like callouts that are sent', async () => {
    const webhook = await aPulledWebhook();
    const testing = webhook.post('test', undefined);
    const [callout] = await webhook.pull({ waitSeconds: 60 });
    expect(callout?.headers).toMatchObject({ 'X-Hook-Test': 'true' });
    if (callout !== undefined) await webhook.ack(callout);
    expect(await testing).toMatchObject({
      status: 202,
      body: { state: 'delivered', attempt: { url: 'pull:', status: 200 } },
    });
    await webhook.remove();
  });

  it('do not keep an API from stopping: waiting requests are answered', async () => {
    const webhook = await aPulledWebhook();
    const stopped = api();
    const waiting = webhook.pull({ waitSeconds: 60 });
    // The request is on its way as soon as the API has counted it.
    await eventually(() => stopped.log().some(({ msg }) => msg === 'listening'));
    const events = await webhook.pull({ waitSeconds: 0 });
    expect(events).toEqual([]);
    await stopped.signal('SIGTERM');
    expect(await stopped.exit).toEqual({ code: 0, signal: null });
    expect(await waiting).toEqual([]);
  });
});
