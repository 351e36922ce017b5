import { describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { actor, useWebhookChanges } from '@callout/pipeline/fixtures/webhook-changes';
import { removeResource, updateResource } from './resource-changes.ts';

const { setup, setActive, callsOf, stored, notificationsOf } = useWebhookChanges(createDisposableDatabase);

describe('the owner of webhooks', () => {
  it('deactivates all of them, and notifies the address that it has or had last', async () => {
    await updateResource(setup.database, setup.tenantId, 1, { isActive: 'false', email: 'new@example.com' }, actor);
    for (const key of setup.keys) {
      expect(await callsOf(key)).toHaveLength(1);
      expect((await notificationsOf(key)).map(({ recipient }) => recipient)).toEqual(['new@example.com']);
    }
    await updateResource(setup.database, setup.tenantId, 1, { isActive: 'false' }, actor);
    await expect(removeResource(setup.database, setup.tenantId, 1, actor)).resolves.toEqual({ dueWebhookKeys: [] });
    for (const key of setup.keys) expect(await callsOf(key)).toHaveLength(1);
  });

  it('leaves inactive webhooks as they are', async () => {
    await setActive(1, false);
    const before = await stored(setup.keys[0]);
    await expect(removeResource(setup.database, setup.tenantId, 1, actor)).resolves.toEqual({
      dueWebhookKeys: [setup.keys[1]],
    });
    expect(await stored(setup.keys[0])).toEqual(before);
  });

  it('raises the version of a webhook that only excluded it', async () => {
    await setup.database.prisma.resource.create({
      data: { tenantId: setup.tenantId, id: 2, email: 'other@example.com' },
    });
    const exclusion = {
      tenantId: setup.tenantId,
      entityType: 'Account',
      id: 1,
      webhookKey: setup.keys[1],
      resourceId: 2,
    };
    await setup.database.prisma.webhookExcludedResource.create({ data: exclusion });
    await expect(removeResource(setup.database, setup.tenantId, 2, actor)).resolves.toEqual({ dueWebhookKeys: [] });
    expect(await stored(setup.keys[0])).toMatchObject({ isActive: true, version: 1 });
    expect(await stored(setup.keys[1])).toMatchObject({ isActive: true, version: 2 });
  });
});
