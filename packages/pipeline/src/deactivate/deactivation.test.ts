import { byOperator, byService } from '@callout/domain/changes/actor';
import { describe, expect, it } from '@jest/globals';
import { removeResource, updateResource } from '@callout/tenancy/resource-changes';
import { endWebhook, updateWebhook } from '@callout/webhooks/webhook-changes';
import { createDisposableDatabase } from '@callout/local/test-run';
import { claimDueCallouts } from '../deliver/claim.ts';
import { actor, useWebhookChanges } from '../fixtures/webhook-changes.ts';
import { rules } from '@callout/webhooks/activation-rules.fixture';

const { setup, address, setActive, deactivate, callsOf, stored, changesOf, notificationsOf } =
  useWebhookChanges(createDisposableDatabase);

describe('a webhook that becomes inactive', () => {
  it('gets one call, with the next number, whose body has the reason, the time and the person', async () => {
    await setup.database.pool.query('UPDATE webhooks SET last_sequence = 41 WHERE key = $1', [setup.keys[0]]);
    await expect(setActive(1, false)).resolves.toEqual({ dueWebhookKeys: [setup.keys[0]] });
    const { guid, updatedAt, lastSequence } = await stored(setup.keys[0]);
    const [call, ...others] = await callsOf(setup.keys[0]);
    expect(others).toEqual([]);
    const eventTime = `${updatedAt.toISOString().slice(0, 19)}Z`;
    expect(call).toEqual({
      sequenceNumber: 42,
      state: 'due',
      body:
        `{"Action":"Deactivated","Guid":"${guid}","EntityType":"Account","Id":1,"Fields":{},"EventTime":"${eventTime}",` +
        '"SequenceNumber":42,"PersonID":7}',
    });
    expect(lastSequence).toBe(42n);
    expect(await callsOf(setup.keys[1])).toEqual([]);
  });

  it('gets no second call while it stays inactive, and one when it is deleted', async () => {
    await setActive(1, false);
    await expect(setActive(1, false)).resolves.toEqual({ dueWebhookKeys: [] });
    await updateWebhook(setup.database, address(1), { settings: { name: 'new' } }, rules, actor);
    await expect(deactivate([setup.keys[0]], 'gone', byService)).resolves.toEqual({ dueWebhookKeys: [] });
    expect(await callsOf(setup.keys[0])).toHaveLength(1);
    await expect(endWebhook(setup.database, address(1), 'deleted', actor)).resolves.toEqual({
      dueWebhookKeys: [setup.keys[0]],
    });
    expect((await callsOf(setup.keys[0])).map(({ sequenceNumber }) => sequenceNumber)).toEqual([1, 2]);
    await expect(endWebhook(setup.database, address(1), 'deleted', actor)).rejects.toMatchObject({ kind: 'notFound' });
    await expect(deactivate([setup.keys[0]], 'deleted', byService)).resolves.toEqual({ dueWebhookKeys: [] });
    expect(await callsOf(setup.keys[0])).toHaveLength(2);
  });

  it('gets one call only when it is deleted at the same time', async () => {
    await endWebhook(setup.database, address(1), 'deleted', actor);
    expect(await callsOf(setup.keys[0])).toEqual([{ sequenceNumber: 1, state: 'due', body: expect.any(String) }]);
    expect(await stored(setup.keys[0])).toMatchObject({ isActive: false, deletedAt: expect.any(Date), version: 2 });
  });

  it('is called at the address that the same update set', async () => {
    const settings = { isActive: false, deactivationUrl: 'http://127.0.0.1/new' };
    await updateWebhook(setup.database, address(1), { settings }, rules, actor);
    expect(await stored(setup.keys[0])).toMatchObject({ isActive: false, deactivationUrl: 'http://127.0.0.1/new' });
    expect(await callsOf(setup.keys[0])).toHaveLength(1);
  });
});

describe('deactivation calls that are still retried', () => {
  it('survive reactivation, deactivation and deletion, and are sent one after another', async () => {
    await setActive(1, false);
    const [claimed] = await claimDueCallouts(setup.database.pool, [{ webhookKey: setup.keys[0], slots: 1 }], {
      leaseMs: 60_000,
      threshold: 1,
    });
    expect(claimed).toMatchObject({ recordId: -1, action: 'Deactivated', sequenceNumber: 1 });
    await setActive(1, true);
    await setActive(1, false);
    await endWebhook(setup.database, address(1), 'deleted', actor);
    expect((await callsOf(setup.keys[0])).map(({ state }) => state)).toEqual(['due', 'waiting', 'waiting']);
  });
});

describe('each cause of a deactivation', () => {
  const causes = [
    ['user', () => setActive(1, false), actor.resourceId],
    [
      'ownerDeactivated',
      () => updateResource(setup.database, setup.tenantId, 1, { isActive: 'false' }, actor),
      actor.resourceId,
    ],
    ['ownerDeleted', () => removeResource(setup.database, setup.tenantId, 1, actor), actor.resourceId],
    [
      'ownerDeactivated',
      () => updateResource(setup.database, setup.tenantId, 1, { isActive: 'false' }, byOperator),
      null,
    ],
    ['repeatedFailure', () => deactivate([setup.keys[0]], 'repeatedFailure', byService), null],
    ['gone', () => deactivate([setup.keys[0]], 'gone', byService), null],
  ] as const;

  it.each(causes)(
    'is in the history of the webhook, and the person is in the call: %s',
    async (cause, act, personId) => {
      const { dueWebhookKeys } = await act();
      expect(dueWebhookKeys).toContain(setup.keys[0]);
      expect(await changesOf(1)).toEqual([['deactivated', cause, personId]]);
      const [call] = await callsOf(setup.keys[0]);
      expect(JSON.parse(call?.body ?? '')).toMatchObject({ PersonID: personId, Id: 1 });
      expect(await stored(setup.keys[0])).toMatchObject({ isActive: false, version: 2, deletedAt: null });
    },
  );

  it.each(causes)(
    'is reported to the owner and the other address, unless a user did it: %s',
    async (cause, act, _personId) => {
      const data = { notificationEmailAddress: 'ops@example.com' };
      await setup.database.prisma.webhook.update({ where: { key: setup.keys[0] }, data });
      await act();
      const notifications = await notificationsOf(setup.keys[0]);
      const notified = cause === 'user' ? [] : ['ops@example.com', 'owner@example.com'];
      expect(notifications.map(({ kind, recipient }) => [kind, recipient])).toEqual(
        notified.map((one) => ['deactivated', one]),
      );
      for (const { content } of notifications) expect(content).toMatchObject({ facts: { cause, openCallouts: 0 } });
    },
  );

  it('is stored as deleted for a deletion', async () => {
    await endWebhook(setup.database, address(1), 'deleted', actor);
    const kept = await setup.database.prisma.change.findMany({ where: { webhookKey: setup.keys[0] } });
    expect(kept).toMatchObject([
      {
        ...{ tenantId: setup.tenantId, action: 'deleted', cause: 'user', detail: null },
        ...{ actorKind: 'user', actorResourceId: actor.resourceId },
        fields: expect.arrayContaining([{ field: 'name', from: expect.any(String), to: null }]),
      },
    ]);
    expect(await notificationsOf(setup.keys[0])).toEqual([]);
  });

  it('is explained by the last failure, which is then removed', async () => {
    const health = { failedInRow: 25, lastFailure: 'The receiver answered 500.' };
    await setup.database.prisma.webhookHealth.create({ data: { webhookKey: setup.keys[0], ...health } });
    await deactivate([setup.keys[0]], 'repeatedFailure', byService);
    const [change] = await setup.database.prisma.change.findMany({ where: { webhookKey: setup.keys[0] } });
    expect(change).toMatchObject({ actorKind: 'service', detail: health.lastFailure });
    expect((await notificationsOf(setup.keys[0]))[0]?.content).toMatchObject({ facts: health });
    expect(await setup.database.prisma.webhookHealth.count({ where: { webhookKey: setup.keys[0] } })).toBe(0);
  });
});
