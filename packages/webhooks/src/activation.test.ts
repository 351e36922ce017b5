import { describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { actor, useWebhookChanges } from '@callout/pipeline/fixtures/webhook-changes';
import { removeResource, updateResource } from '@callout/tenancy/resource-changes';
import { rules } from './activation-rules.fixture.ts';
import { updateWebhook } from './webhook-changes.ts';

const { setup, address, setActive, stored, changesOf } = useWebhookChanges(createDisposableDatabase);

describe('reactivation', () => {
  it('begins without earlier failures and is recorded in the history', async () => {
    await setActive(1, false);
    // A late result of an attempt may leave a webhook in this state.
    await setup.database.prisma.webhookHealth.create({
      data: { webhookKey: setup.keys[0], failedInRow: 24, pauses: 3 },
    });
    const before = await stored(setup.keys[0]);
    await expect(setActive(1, true)).resolves.toEqual({ dueWebhookKeys: [] });
    expect(await setup.database.prisma.webhookHealth.count({ where: { webhookKey: setup.keys[0] } })).toBe(0);
    const after = await stored(setup.keys[0]);
    expect(after.activatedAt?.getTime()).toBeGreaterThan(before.activatedAt?.getTime() ?? Infinity);
    expect(await changesOf(1)).toEqual([
      ['activated', 'user', actor.resourceId],
      ['deactivated', 'user', actor.resourceId],
    ]);
  });

  it('is refused while the owner is inactive or deleted, and stores nothing', async () => {
    await updateResource(setup.database, setup.tenantId, 1, { isActive: 'false' }, actor);
    await expect(setActive(1, true)).rejects.toMatchObject({ kind: 'conflict' });
    await removeResource(setup.database, setup.tenantId, 1, actor);
    await expect(setActive(1, true)).rejects.toMatchObject({ kind: 'conflict' });
    expect(await changesOf(1)).toEqual([['deactivated', 'ownerDeactivated', actor.resourceId]]);
  });

  it('keeps the failures of a webhook that was active already', async () => {
    await setup.database.prisma.webhookHealth.create({ data: { webhookKey: setup.keys[0], failedInRow: 24 } });
    await updateWebhook(setup.database, address(1), { settings: { isActive: true, name: 'new' } }, rules, actor);
    expect(await setup.database.prisma.webhookHealth.count({ where: { webhookKey: setup.keys[0] } })).toBe(1);
    expect(await changesOf(1)).toEqual([['updated', 'user', actor.resourceId]]);
  });
});
