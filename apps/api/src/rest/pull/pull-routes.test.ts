import { createHmac, verify } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { valuesOfWebhook } from '@callout/webhooks/webhook-values';
import { fieldChanges } from '@callout/domain/changes/field-changes';
import { claimDueCallouts } from '@callout/pipeline/deliver/claim';
import { webhooksWithDueCallouts } from '@callout/pipeline/sweep/find-due';
import { claimRules } from '@callout/pipeline/fixtures/callouts';
import { deleteExpiredWebhooks } from '@callout/webhooks/expired-webhooks';
import { eventually } from '@callout/testing';
import { Webhook } from 'standardwebhooks';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { aPulledWebhook, secretKey } from './pulled-webhook.fixture.ts';

const api = runTestApi();
const neverMade = '01971f2e-6c00-7000-8000-000000000001';

describe('POST …/Pull', () => {
  it('hands out the bytes and headers that a request would have had, signed', async () => {
    const webhook = await aPulledWebhook(api);
    const [calloutID] = await webhook.add(7);
    const [callout] = await webhook.pull();
    expect(callout).toMatchObject({ calloutID, body: '{}', ackID: expect.any(String) });
    const { headers = {}, body = '' } = callout ?? {};
    expect(headers).toMatchObject({
      'Content-Type': 'application/json',
      'webhook-id': calloutID,
      'X-Hook-Attempt': '1',
      'X-Hook-Callout-Type': 'PATCH',
      'X-Hook-Event-Id': 'e',
    });
    expect(headers['X-Hook-Signature']).toBe(`sha1=${createHmac('sha1', secretKey).update(body).digest('base64')}`);
    const verifier = new Webhook(Buffer.from(secretKey).toString('base64'));
    expect(verifier.verify(body, headers)).toEqual({});
  });

  it('signs with the private key of the tenant where the webhook says so, and logs the headers that there were', async () => {
    const webhook = await aPulledWebhook(api, { signatureKind: 'ed25519' });
    const [calloutID = ''] = await webhook.add(7);
    const [callout] = await webhook.pull();
    const { headers = {}, body = '', ackID } = callout ?? {};
    const as = webhook.tenant.admin;
    const { items } = (await api.call('GET', '/WebhookKeys', { as })).body as { items: [{ signingPublicKey: string }] };
    const x = Buffer.from(items[0].signingPublicKey.slice('whpk_'.length), 'base64').toString('base64url');
    const signed = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`);
    const [version, signature = ''] = headers['webhook-signature']?.split(',') ?? [];
    expect(version).toBe('v1a');
    const jwk = { key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' } as const;
    expect(verify(null, signed, jwk, Buffer.from(signature, 'base64'))).toBe(true);
    expect(headers).not.toHaveProperty('X-Hook-Signature');
    await webhook.acknowledge({ acks: [ackID] });
    const log = await api.call('GET', `/Callouts/${calloutID}`, { as });
    const logged = JSON.stringify(log.body);
    expect(logged).toContain('"webhook-signature":"<redacted>"');
    expect(logged).not.toContain('X-Hook-Signature');
  });

  it('hands out nothing twice, also to several who ask at once, and never two callouts of one record', async () => {
    const webhook = await aPulledWebhook(api);
    const first = await webhook.add(1, 2, 3, 4, 5, 6, 7, 8);
    await webhook.add(1, 2, 3, 4, 5, 6, 7, 8);
    const pulls = await Promise.all(Array.from({ length: 6 }, () => webhook.pull({ max: 3 })));
    const ids = pulls.flat().map(({ calloutID }) => calloutID);
    expect(new Set(ids).size).toBe(ids.length);
    expect(first).toEqual(expect.arrayContaining(ids));
    expect(await webhook.pull()).toHaveLength(first.length - ids.length);
    expect(await webhook.pull()).toEqual([]);
  });

  it('hands out the next callout of a record when the one before is acknowledged', async () => {
    const webhook = await aPulledWebhook(api);
    const [first = '', second = ''] = await webhook.add(1, 1);
    const [pulled] = await webhook.pull();
    expect(pulled?.calloutID).toBe(first);
    expect(await webhook.acknowledge({ acks: [pulled?.ackID] })).toEqual(['acked']);
    expect(await webhook.stateOf(first)).toBe('delivered');
    expect((await webhook.pull()).map(({ calloutID }) => calloutID)).toEqual([second]);
  });

  it.each([
    [
      'its credential is revoked',
      (userNameFolded: string) =>
        api.database.prisma.credential.update({ where: { userNameFolded }, data: { revokedAt: new Date() } }),
    ],
    [
      'its tenant has moved to another zone',
      async (userNameFolded: string, tenantId: number) => {
        const { prisma } = api.database;
        const zone = await prisma.zone.create({
          data: { name: userNameFolded, url: 'https://eu.example', webUrl: '' },
        });
        await prisma.zoneUser.create({ data: { userNameFolded, zoneId: zone.id } });
        await prisma.tenant.update({ where: { id: tenantId }, data: { state: 'left' } });
      },
    ],
  ])('hands out nothing to a request that waits when %s', async (_, end) => {
    const { prisma } = api.database;
    const webhook = await aPulledWebhook(api);
    const waiting = webhook.post('Pull', { waitSeconds: 20, expireSeconds: 60 });
    // It has signed in, and waits.
    await eventually(async () => {
      const row = await prisma.webhook.findFirstOrThrow({ where: { key: webhook.webhookKey } });
      expect(row.expiresAt).not.toBeNull();
    });
    await end(webhook.tenant.integrator.userName.toLowerCase(), webhook.tenant.id);
    const [callout = ''] = await webhook.add(1);
    expect(await waiting).toMatchObject({
      status: 401,
      body: { errors: [expect.stringContaining('no longer valid')] },
    });
    expect(await webhook.attemptsOf(callout)).toEqual([]);
  });

  it('is claimed by no worker, and found by no sweep', async () => {
    const webhook = await aPulledWebhook(api);
    await webhook.add(1);
    const { webhookKey } = webhook;
    expect(await claimDueCallouts(api.database.pool, [{ webhookKey, slots: 10 }], claimRules)).toEqual([]);
    expect(await webhooksWithDueCallouts(api.database.pool, webhookKey - 1, 1)).not.toContain(webhookKey);
    expect(await webhook.pull()).toHaveLength(1);
  });

  it('lets a program say for how long its webhook stays without it', async () => {
    const webhook = await aPulledWebhook(api, { deactivationUrl: 'pull:' });
    const { pool, prisma } = api.database;
    await webhook.post('rotateSecret', { secretKey: 'a secret that is new', overlapHours: 1 });
    await webhook.pull({ expireSeconds: 60 });
    expect(await deleteExpiredWebhooks(pool, 10)).toEqual([]);
    await pool.query(`UPDATE webhooks SET expires_at = now() - interval '1 second' WHERE key = $1`, [
      webhook.webhookKey,
    ]);
    const row = await prisma.webhook.findUniqueOrThrow({ where: { key: webhook.webhookKey } });
    expect(await deleteExpiredWebhooks(pool, 10)).toEqual([webhook.webhookKey]);
    const { rows } = await pool.query(
      'SELECT fields, cause FROM changes WHERE webhook_key = $1 ORDER BY id DESC LIMIT 1',
      [webhook.webhookKey],
    );
    expect(rows).toEqual([{ fields: fieldChanges(valuesOfWebhook(row), null), cause: 'notFetched' }]);
    expect(await api.call('GET', webhook.path, { as: webhook.tenant.integrator })).toMatchObject({ status: 404 });
    expect(await prisma.webhookField.count({ where: { webhookKey: webhook.webhookKey } })).toBe(0);
    expect(await deleteExpiredWebhooks(pool, 10)).toEqual([]);
    expect(await webhook.post('Pull', { expireSeconds: 59 })).toMatchObject({ status: 400 });
  });

  it('counts that time from the end of the wait', async () => {
    const webhook = await aPulledWebhook(api);
    await webhook.add(1);
    expect(await webhook.pull({ expireSeconds: 60, waitSeconds: 60 })).toHaveLength(1);
    const { rows } = await api.database.pool.query(
      `SELECT expires_at > now() + interval '90 s' AS "isLater" FROM webhooks WHERE key = $1`,
      [webhook.webhookKey],
    );
    expect(rows).toEqual([{ isLater: true }]);
  });

  it('refuses a webhook whose callouts are sent, and an inactive one', async () => {
    const pushed = await aPulledWebhook(api, { webhookUrl: 'http://127.0.0.1:9999/in' });
    expect(await pushed.post('Pull', {})).toMatchObject({ status: 409 });
    const inactive = await aPulledWebhook(api, { isActive: false });
    expect(await inactive.post('Pull', {})).toMatchObject({ status: 409 });
  });

  it.each([
    [{ max: 0 }, 'max'],
    [{ max: 501 }, 'max'],
    [{ max: 1.5 }, 'max'],
    [{ max: 'many' }, 'max'],
    [{ waitSeconds: -1 }, 'waitSeconds'],
    [{ waitSeconds: 61 }, 'waitSeconds'],
    [{ leaseSeconds: 4 }, 'leaseSeconds'],
    [{ leaseSeconds: 3601 }, 'leaseSeconds'],
    [{ leaseSeconds: [] }, 'leaseSeconds'],
  ])('refuses %j', async (body, field) => {
    const webhook = await aPulledWebhook(api);
    expect(await webhook.post('Pull', body)).toMatchObject({ status: 400, body: { details: [{ field }] } });
  });

  it('accepts an empty body, keys in any case, and numbers in quotes', async () => {
    const webhook = await aPulledWebhook(api);
    await webhook.add(1, 2);
    expect(await webhook.post('Pull', { MAX: '1', waitseconds: '0' })).toMatchObject({ body: { items: [{}] } });
    expect(await webhook.post('Pull', undefined)).toMatchObject({ status: 200, body: { items: [{}] } });
  });

  it('stops before a response becomes too large, and hands out the rest next', async () => {
    const webhook = await aPulledWebhook(api);
    const ids = await webhook.add(1, 2, 3, 4, 5);
    const large = `"${'x'.repeat(1_500_000)}"`;
    await api.database.pool.query('UPDATE callout_bodies SET body = $2 WHERE callout_id = ANY($1)', [ids, large]);
    await api.database.pool.query('UPDATE open_callouts SET body_bytes = $2 WHERE callout_id = ANY($1)', [
      ids,
      large.length,
    ]);
    const sizes: number[] = [];
    for (let left = ids.length; left > 0; left -= sizes.at(-1) ?? left) sizes.push((await webhook.pull()).length);
    expect(sizes).toEqual([2, 2, 1]);
  });
});

describe('POST …/Pull/ack', () => {
  it('stores acknowledgements: the same one may be repeated, and another one changes nothing', async () => {
    const webhook = await aPulledWebhook(api);
    const [calloutId = ''] = await webhook.add(1);
    const [pulled] = await webhook.pull();
    const acks = [pulled?.ackID];
    const both = await Promise.all([webhook.acknowledge({ acks }), webhook.acknowledge({ acks })]);
    expect(both).toEqual([['acked'], ['acked']]);
    expect(await webhook.acknowledge({ nacks: acks })).toEqual(['acked']);
    expect(await webhook.attemptsOf(calloutId)).toMatchObject([
      { number: 1, url: 'pull:', status: 200, failure: null },
    ]);
  });

  it('hands out a rejected callout again, after the wait of the schedule, and keeps the reason', async () => {
    const webhook = await aPulledWebhook(api);
    const [calloutId = ''] = await webhook.add(1, 1);
    const [pulled] = await webhook.pull();
    const response = await webhook.post('Pull/ack', { nacks: [{ ackID: pulled?.ackID, reason: 'disk\nfull ' }] });
    expect(response).toMatchObject({
      status: 200,
      body: { items: [{ status: 'nacked', retryAfterSeconds: expect.any(Number) }] },
    });
    expect(await webhook.pull()).toEqual([]);
    expect(await webhook.attemptsOf(calloutId)).toMatchObject([
      { status: null, failureReason: 'nacked', failure: expect.stringContaining('refused it: disk full.') },
    ]);
    await webhook.hasten();
    const [again] = await webhook.pull();
    expect(again).toMatchObject({ calloutID: calloutId, headers: { 'X-Hook-Attempt': '2', 'webhook-id': calloutId } });
    expect(again?.ackID).not.toBe(pulled?.ackID);
  });

  it('waits as long as a nack asks for', async () => {
    const webhook = await aPulledWebhook(api);
    await webhook.add(1);
    const [pulled] = await webhook.pull();
    const nacks = [{ ackID: pulled?.ackID, retryAfterSeconds: 3_600 }];
    expect(await webhook.post('Pull/ack', { nacks })).toMatchObject({
      body: { items: [{ retryAfterSeconds: 3_600 }] },
    });
  });

  it('returns a status for each id, also for unknown ones', async () => {
    const [webhook, other] = [await aPulledWebhook(api), await aPulledWebhook(api)];
    await webhook.add(1);
    await other.add(1);
    const [[own], [foreign]] = [await webhook.pull(), await other.pull()];
    const acks = [neverMade, "'; DROP TABLE pull_leases", own?.ackID, foreign?.ackID];
    expect(await webhook.acknowledge({ acks })).toEqual(['unknown', 'unknown', 'acked', 'unknown']);
    expect(await other.acknowledge({ acks: [foreign?.ackID] })).toEqual(['acked']);
  });

  it('says that a lease has lapsed when the callout was handed out again', async () => {
    const webhook = await aPulledWebhook(api);
    const [calloutId = ''] = await webhook.add(1);
    const [first] = await webhook.pull();
    await api.database.pool.query(
      `UPDATE open_callouts SET lease_owner = gen_random_uuid(), lease_until = now() + interval '1 minute' WHERE callout_id = $1`,
      [calloutId],
    );
    expect(await webhook.acknowledge({ acks: [first?.ackID] })).toEqual(['lapsed']);
    expect(await webhook.acknowledge({ acks: [first?.ackID] })).toEqual(['lapsed']);
    expect(await webhook.stateOf(calloutId)).toBe('open');
  });

  it('counts an acknowledgement of a callout that was cancelled meanwhile', async () => {
    const webhook = await aPulledWebhook(api);
    const [calloutId = ''] = await webhook.add(1);
    const [pulled] = await webhook.pull();
    await webhook.post('cancel', { states: ['due'] });
    expect(await webhook.stateOf(calloutId)).toBe('cancelled');
    expect(await webhook.acknowledge({ acks: [pulled?.ackID] })).toEqual(['acked']);
    expect(await webhook.stateOf(calloutId)).toBe('delivered');
  });

  it('ends a callout that was rejected as often as the schedule allows, and finally deactivates its webhook', async () => {
    const webhook = await aPulledWebhook(api);
    await webhook.add(...Array.from({ length: 25 }, (_, n) => n + 1));
    for (let attempt = 1; attempt <= 9; attempt += 1) {
      await webhook.hasten();
      const nacks = (await webhook.pull()).map(({ ackID }) => ackID);
      expect(nacks).toHaveLength(25);
      await webhook.acknowledge({ nacks });
    }
    expect(await api.call('GET', webhook.path, { as: webhook.tenant.integrator })).toMatchObject({
      body: { item: { isActive: false } },
    });
    const { id: tenantId } = webhook.tenant;
    expect(await api.database.prisma.notification.count({ where: { tenantId, kind: 'deactivated' } })).toBe(1);
  });

  it.each([
    [{}, undefined],
    [{ acks: 'one' }, 'acks'],
    [{ acks: [1] }, 'acks[0]'],
    [{ acks: ['x'.repeat(101)] }, 'acks[0]'],
    [{ nacks: [{ reason: 'no' }] }, 'nacks[0].ackID'],
    [{ nacks: [{ ackID: 'a', reason: 'x'.repeat(1001) }] }, 'nacks[0].reason'],
    [{ nacks: [{ ackID: 'a', reason: 'a\0b' }] }, 'nacks[0].reason'],
    [{ nacks: [{ ackID: 'a', retryAfterSeconds: 0 }] }, 'nacks[0].retryAfterSeconds'],
    [{ acks: ['a'], nacks: ['a'] }, 'nacks[0]'],
    [{ acks: Array.from({ length: 1001 }, (_, n) => `a${n}`) }, 'acks'],
  ])('refuses what is wrong: %j', async (body, field) => {
    const webhook = await aPulledWebhook(api);
    const response = await webhook.post('Pull/ack', body);
    expect(response.status).toBe(400);
    expect((response.body as { details: { field?: string }[] }).details[0]?.field).toBe(field);
  });
});

describe('a webhook with the URL pull:', () => {
  it('may be written in any case, and no other URL of that scheme is accepted', async () => {
    const webhook = await aPulledWebhook(api, { webhookUrl: 'PULL:', deactivationUrl: 'Pull:' });
    const as = webhook.tenant.integrator;
    expect(await api.call('GET', webhook.path, { as })).toMatchObject({
      body: { item: { webhookUrl: 'pull:', deactivationUrl: 'pull:' } },
    });
    const body = { webhookUrl: 'pull:me' };
    expect(await api.call('PATCH', webhook.path, { as, body })).toMatchObject({ status: 400 });
  });

  it('is found by that URL, and no longer once it has another', async () => {
    const webhook = await aPulledWebhook(api);
    const as = webhook.tenant.integrator;
    const search = encodeURIComponent(JSON.stringify({ Filter: [{ op: 'eq', field: 'webhookUrl', value: 'pull:' }] }));
    const found = async () => (await api.call('GET', `/CompanyWebhooks/query?search=${search}`, { as })).body;
    expect(await found()).toMatchObject({ items: [{ id: webhook.id, webhookUrl: 'pull:' }] });
    const changed = await api.call('PATCH', webhook.path, { as, body: { webhookUrl: 'https://93.184.216.34/' } });
    expect(changed).toMatchObject({ status: 200 });
    expect(await found()).toMatchObject({ items: [] });
    expect(await webhook.post('Pull', {})).toMatchObject({ status: 409 });
  });

  it('hands out its deactivation call, also when it is deleted, and is gone then', async () => {
    const webhook = await aPulledWebhook(api, { deactivationUrl: 'pull:' });
    const as = webhook.tenant.integrator;
    await api.call('DELETE', webhook.path, { as });
    const [call] = await webhook.pull();
    expect(JSON.parse(call?.body ?? '')).toMatchObject({ Action: 'Deactivated', Id: webhook.id });
    expect(await webhook.acknowledge({ acks: [call?.ackID] })).toEqual(['acked']);
    expect(await webhook.post('Pull', {})).toMatchObject({ status: 404 });
  });

  it('holds callouts above the threshold, and hands them out when there is capacity', async () => {
    const webhook = await aPulledWebhook(api);
    const { id } = webhook.tenant;
    await api.database.prisma.tenant.update({ where: { id }, data: { calloutThreshold: 2 } });
    await webhook.add(1, 2, 3, 4);
    const first = await webhook.pull();
    expect(first).toHaveLength(2);
    await webhook.acknowledge({ acks: first.map(({ ackID }) => ackID) });
    expect(await webhook.pull()).toEqual([]);
    await api.database.prisma.tenant.update({ where: { id }, data: { calloutThreshold: 3 } });
    expect(await webhook.pull()).toHaveLength(1);
    await api.database.prisma.tenant.update({ where: { id }, data: { calloutThreshold: 0 } });
    expect(await webhook.pull()).toHaveLength(1);
  });
});
