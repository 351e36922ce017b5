import { byService } from '@callout/domain/changes/actor';
import { describe, expect, it } from '@jest/globals';
import { updateResource } from '@callout/tenancy/resource-changes';
import { endWebhook } from '@callout/webhooks/webhook-changes';
import { createDisposableDatabase } from '@callout/local/test-run';
import { actor, useWebhookChanges } from '../fixtures/webhook-changes.ts';

const { setup, address, setActive, deactivate, callsOf, stored, changesOf } =
  useWebhookChanges(createDisposableDatabase);

describe('concurrent deactivations', () => {
  it('make one deactivation call per webhook', async () => {
    for (let round = 1; round <= 10; round += 1) {
      await Promise.all([
        setActive(1, false),
        updateResource(setup.database, setup.tenantId, 1, { isActive: 'false' }, actor),
        deactivate(setup.keys, 'repeatedFailure', byService),
        deactivate(setup.keys.toReversed(), 'gone', byService),
        setActive(2, false),
      ]);
      for (const key of setup.keys) {
        const calls = await callsOf(key);
        expect(calls.map(({ sequenceNumber }) => sequenceNumber)).toEqual(
          Array.from({ length: round }, (_, n) => n + 1),
        );
        expect(await stored(key)).toMatchObject({ isActive: false, lastSequence: BigInt(round) });
      }
      expect(await changesOf(1)).toHaveLength(2 * round - 1);
      await updateResource(setup.database, setup.tenantId, 1, { isActive: 'true' }, actor);
      await Promise.all([setActive(1, true), setActive(2, true)]);
    }
  });

  it('with a deletion among them make one call or two, and the webhook stays deleted', async () => {
    await Promise.all(
      [setActive(1, false), endWebhook(setup.database, address(1), 'deleted', actor)].map((one) =>
        one.catch(() => undefined),
      ),
    );
    const calls = await callsOf(setup.keys[0]);
    expect([1, 2]).toContain(calls.length);
    expect(await stored(setup.keys[0])).toMatchObject({
      deletedAt: expect.any(Date),
      lastSequence: BigInt(calls.length),
    });
  });
});
