import { describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { actor, useWebhookScene } from '../test/webhook-scene.ts';

const { scene, setActive, callsOf, stored, notificationsOf } = useWebhookScene(createDisposableDatabase);

describe('the owner of webhooks', () => {
  it('takes all of them along, and is told at the address that it has or had last', async () => {
    await scene.resources.update(scene.tenantId, 1, { isActive: 'false', email: 'new@example.com' }, actor);
    for (const key of scene.keys) {
      expect(await callsOf(key)).toHaveLength(1);
      expect((await notificationsOf(key)).map(({ recipient }) => recipient)).toEqual(['new@example.com']);
    }
    await scene.resources.update(scene.tenantId, 1, { isActive: 'false' }, actor);
    await expect(scene.resources.remove(scene.tenantId, 1, actor)).resolves.toEqual({ dueWebhookKeys: [] });
    for (const key of scene.keys) expect(await callsOf(key)).toHaveLength(1);
  });

  it('leaves those that are inactive as they are', async () => {
    await setActive(1, false);
    const before = await stored(scene.keys[0]);
    await expect(scene.resources.remove(scene.tenantId, 1, actor)).resolves.toEqual({
      dueWebhookKeys: [scene.keys[1]],
    });
    expect(await stored(scene.keys[0])).toEqual(before);
  });

  it('raises the version of a webhook that only excluded it', async () => {
    await scene.database.prisma.resource.create({
      data: { tenantId: scene.tenantId, id: 2, email: 'other@example.com' },
    });
    const exclusion = {
      tenantId: scene.tenantId,
      entityType: 'Account',
      id: 1,
      webhookKey: scene.keys[1],
      resourceId: 2,
    };
    await scene.database.prisma.webhookExcludedResource.create({ data: exclusion });
    await expect(scene.resources.remove(scene.tenantId, 2, actor)).resolves.toEqual({ dueWebhookKeys: [] });
    expect(await stored(scene.keys[0])).toMatchObject({ isActive: true, version: 1 });
    expect(await stored(scene.keys[1])).toMatchObject({ isActive: true, version: 2 });
  });
});
