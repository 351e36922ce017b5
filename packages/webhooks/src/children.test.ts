import { byResource } from '@callout/domain/changes/actor';
import { beforeEach, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { createChild, findChild, updateChild } from './children.ts';
import { useWebhookChanges } from '@callout/pipeline/fixtures/webhook-changes';

const { setup } = useWebhookChanges(createDisposableDatabase);

const parent = (webhookId = 1) => ({ tenantId: setup.tenantId, entityType: 'Account', webhookId });
const flags = { isSubscribed: true, isDisplayAlways: false };
const collection = 'CompanyWebhookFields';

// The setup's webhooks have a field record each, which no counter knows of.
beforeEach(async () => {
  await setup.database.prisma.counter.create({ data: { tenantId: setup.tenantId, collection, nextId: 10 } });
});

it('changes the flags that are named, and none when none is', async () => {
  const id = await createChild(setup.database, 'fields', parent(), { targetId: 7, flags }, collection, byResource(1));
  const { webhookId: _one, ...anyWebhook } = parent();
  const stored = async () => (await findChild(setup.database, 'fields', anyWebhook, id))?.flags;
  await updateChild(setup.database, 'fields', parent(), id, { isDisplayAlways: true }, byResource(1));
  expect(await stored()).toEqual({ isSubscribed: true, isDisplayAlways: true });
  await updateChild(setup.database, 'fields', parent(), id, { isSubscribed: false }, byResource(1));
  expect(await stored()).toEqual({ isSubscribed: false, isDisplayAlways: true });
  await updateChild(setup.database, 'fields', parent(), id, {}, byResource(1));
  expect(await stored()).toEqual({ isSubscribed: false, isDisplayAlways: true });
  await expect(updateChild(setup.database, 'fields', parent(), id + 1, {}, byResource(1))).rejects.toMatchObject({
    kind: 'notFound',
  });
  await expect(updateChild(setup.database, 'fields', parent(2), id, flags, byResource(1))).rejects.toMatchObject({
    kind: 'notFound',
  });
});

it('gives the id of a child that is refused to the next one, and leaves the version as it was', async () => {
  const create = (targetId: number) =>
    createChild(setup.database, 'fields', parent(), { targetId, flags }, collection, byResource(1));
  const version = async () =>
    (await setup.database.prisma.webhook.findUnique({ where: { key: setup.keys[0] } }))?.version;
  const first = await create(7);
  const before = await version();
  await expect(create(7)).rejects.toMatchObject({ kind: 'conflict' });
  expect(await version()).toBe(before);
  expect(await create(8)).toBe(first + 1);
});
