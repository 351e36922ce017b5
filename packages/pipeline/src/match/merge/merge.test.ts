import { beforeEach, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { cancelOpenCallouts } from '../../deactivate/cancel.ts';
import { delivered, failed } from '../../fixtures/callouts.ts';
import { cancelOne, cancelRange } from '../../repair/cancel-callouts.ts';
import { redeliverOne, redeliverRange } from '../../repair/redeliver.ts';
import { anyCallout } from '../../repair/ended-callouts.fixture.ts';
import { useMerging } from './merging.fixture.ts';

const setup = useMerging(createDisposableDatabase);
type Webhook = Awaited<ReturnType<typeof setup.makeWebhook>>;
let webhook: Webhook;
beforeEach(async () => {
  webhook = await setup.makeWebhook();
});

const inAnHour = { kind: 'retry', waitMs: 3_600_000 } as const;
const query = (text: string, values: unknown[] = []) => setup.database.pool.query(text, values);
const repairDeps = { database: setup.database, enqueueDeliver: () => undefined };
const fieldsOf = (bodies: readonly Record<string, unknown>[]) => bodies.map(({ Fields: fields }) => fields);

/** A first callout about the record was delivered: its receiver knows these values. */
async function tell(fields: Record<string, string | null>): Promise<void> {
  await webhook.change('Create', fields);
  await webhook.deliverAll(delivered);
}

describe('a webhook that merges while it waits', () => {
  it('gets later changes of a record in the callout that has not been tried, with every event of it', async () => {
    await webhook.change('Update', { companyName: 'A', city: 'Oslo' });
    const [tried] = await webhook.fix(await webhook.claim());
    for (const city of ['Bergen', 'Bodo']) await webhook.change('Update', { city });
    await webhook.change('Update', { companyName: 'B' });
    expect(await webhook.lines()).toEqual([
      '1 due Update',
      '2 waiting Update',
      '3 merged Update → 2',
      '4 merged Update → 2',
    ]);
    await webhook.settle(tried ? [tried] : [], delivered);
    const [body, ...others] = await webhook.deliverAll(delivered);
    expect(others).toEqual([]);
    expect(body).toMatchObject({ SequenceNumber: 2, Fields: { CompanyName: 'B', City: 'Bodo' } });
    const { rows } = await query('SELECT id FROM events WHERE tenant_id = $1 ORDER BY id', [webhook.tenantId]);
    expect(body?.['MergedEventIDs']).toEqual(rows.slice(1).map(({ id }) => id as string));
    expect(Object.keys(body ?? {}).at(-1)).toBe('MergedEventIDs');
  });

  it('gets the changes of one match in one callout, whose bytes are final once it is tried', async () => {
    const ids = [
      ...(await webhook.store('Create', { city: 'Oslo' })),
      ...(await webhook.store('Update', { city: 'Bodo' })),
    ];
    await webhook.match(ids);
    expect(await webhook.lines()).toEqual(['1 due Create', '2 merged Update → 1']);
    const sent = await webhook.deliverAll(delivered);
    expect(sent).toMatchObject([{ Action: 'Create', Fields: { City: 'Bodo' } }]);
    expect((await query('SELECT FROM mergeable_callouts')).rowCount).toBe(0);
  });

  it('gets merged changes while the receiver is paused, and while the threshold holds them', async () => {
    await webhook.change('Update', { city: 'Oslo' });
    await query('INSERT INTO webhook_health (webhook_key, pauses, paused_until) VALUES ($1, 1, now())', [webhook.key]);
    await webhook.change('Update', { city: 'Bodo' });
    await query("UPDATE open_callouts SET state = 'held' WHERE webhook_key = $1", [webhook.key]);
    await webhook.change('Delete', {});
    expect(await webhook.lines()).toEqual(['1 held Delete', '2 merged Update → 1', '3 merged Delete → 1']);
    expect((await webhook.look())[0]?.body).toMatchObject({ Action: 'Delete', Fields: {} });
    await query("UPDATE open_callouts SET state = 'due' WHERE webhook_key = $1", [webhook.key]);
    const [claimed] = await webhook.fix(await webhook.claim());
    expect(claimed).toMatchObject({ action: 'Delete', sequenceNumber: 1 });
  });

  it('never merges a create into a delete, and nothing into what was tried', async () => {
    await webhook.change('Delete', {});
    await webhook.change('Create', { city: 'Oslo' });
    await webhook.change('Update', { city: 'Bodo' });
    expect(await webhook.lines()).toEqual(['1 due Delete', '2 waiting Create', '3 merged Update → 2']);
    const first = await webhook.fix(await webhook.claim());
    await webhook.settle(first, delivered);
    await webhook.settle(await webhook.fix(await webhook.claim()), inAnHour);
    await webhook.change('Update', { city: 'Bergen' });
    expect((await webhook.lines()).slice(1)).toEqual(['2 due Create', '3 merged Update → 2', '4 waiting Update']);
  });

  it('gets nothing of a field that returns to the value that its receiver has confirmed, and nothing at all when none is left', async () => {
    await tell({ companyName: 'A', city: 'Oslo' });
    await webhook.change('Update', { city: 'Bodo' });
    await webhook.change('Update', { companyName: 'B' });
    await webhook.change('Update', { city: 'Oslo' });
    expect((await webhook.look())[1]?.body).toMatchObject({ Fields: { CompanyName: 'B' } });
    await webhook.change('Update', { companyName: 'A' });
    expect((await webhook.lines()).slice(1)).toEqual([
      '2 merged Update',
      '3 merged Update → 2',
      '4 merged Update → 2',
      '5 merged Update → 2',
    ]);
    expect(await webhook.claim()).toEqual([]);
    // The next change begins anew.
    await webhook.change('Update', { city: 'Bodo' });
    expect(await webhook.deliverAll(delivered)).toMatchObject([{ SequenceNumber: 6, Fields: { City: 'Bodo' } }]);
  });

  it('gets nothing of a record that it was never shown', async () => {
    await webhook.change('Create', { city: 'Oslo' });
    await webhook.change('Update', { city: 'Bodo' });
    await webhook.change('Delete', {});
    expect(await webhook.lines()).toEqual(['1 merged Create', '2 merged Update → 1', '3 merged Delete → 1']);
    expect((await query('SELECT FROM open_callouts WHERE webhook_key = $1', [webhook.key])).rowCount).toBe(0);
  });

  it('gets a value again that a failed callout, or one that is still open, may have shown', async () => {
    await tell({ companyName: 'A', city: 'Oslo' });
    await webhook.change('Update', { city: 'Bodo' });
    await webhook.deliverAll(failed);
    await webhook.change('Update', { city: 'Bergen' });
    await webhook.change('Update', { city: 'Bodo' });
    expect(fieldsOf(await webhook.deliverAll(delivered))).toEqual([{ CompanyName: 'A', City: 'Bodo' }]);
    await webhook.change('Update', { city: 'Alta' });
    await webhook.settle(await webhook.fix(await webhook.claim()), inAnHour);
    await webhook.change('Update', { city: 'Bergen' });
    await webhook.change('Update', { city: 'Alta' });
    expect((await webhook.lines()).slice(-3)).toEqual(['5 due Update', '6 waiting Update', '7 merged Update → 6']);
  });

  it('gets a callout of its own for a change that another configuration made', async () => {
    await webhook.change('Update', { city: 'Oslo' });
    await query('UPDATE webhooks SET version = version + 1 WHERE key = $1', [webhook.key]);
    await webhook.change('Update', { city: 'Bodo' });
    await webhook.change('Update', { city: 'Alta' });
    expect(await webhook.lines()).toEqual(['1 due Update', '2 waiting Update', '3 merged Update → 2']);
    await query('UPDATE webhooks SET version = version + 1, merge_while_waiting = false WHERE key = $1', [webhook.key]);
    await webhook.change('Update', { city: 'Bergen' });
    expect((await webhook.lines()).at(-1)).toBe('4 waiting Update');
    expect(fieldsOf(await webhook.deliverAll(delivered)).map((fields) => (fields as { City: string }).City)).toEqual([
      'Oslo',
      'Alta',
      'Bergen',
    ]);
  });

  it('keeps the numbers of every verdict, merged or not', async () => {
    const ids = [...(await webhook.store('Update', { city: 'A' })), ...(await webhook.store('Update', { city: 'B' }))];
    await webhook.match(ids);
    const { rows } = await query('SELECT verdicts FROM event_matches WHERE event_id = ANY($1) ORDER BY event_id', [
      ids,
    ]);
    expect(rows.map(({ verdicts }) => verdicts as unknown)).toEqual([
      { passed: [[webhook.key, 1, 1]] },
      { passed: [[webhook.key, 1, 2]] },
    ]);
  });
});

describe('beside a claim', () => {
  it('a callout that is claimed and not yet tried is sent with what was merged meanwhile', async () => {
    await webhook.change('Update', { city: 'Oslo' });
    const claimed = await webhook.claim();
    await webhook.change('Update', { city: 'Bodo' });
    const [fixed] = await webhook.fix(claimed);
    expect(JSON.parse(fixed?.body ?? '')).toMatchObject({ Fields: { City: 'Bodo' } });
    // Its bytes are final, whatever becomes of the lease and of the server.
    await query('UPDATE open_callouts SET lease_owner = NULL, lease_until = NULL WHERE webhook_key = $1', [
      webhook.key,
    ]);
    await webhook.change('Update', { city: 'Alta' });
    expect(await webhook.lines()).toEqual(['1 due Update', '2 merged Update → 1', '3 waiting Update']);
    const again = await webhook.fix(await webhook.claim());
    expect(again.map(({ body }) => body)).toEqual([fixed?.body]);
  });

  it('a claimed callout of which nothing was left is not sent', async () => {
    await webhook.change('Create', { city: 'Oslo' });
    const claimed = await webhook.claim();
    await webhook.change('Delete', {});
    expect(await webhook.fix(claimed)).toEqual([]);
  });

  it('changes and first attempts at once lose no value, and no callout is sent with two bodies', async () => {
    const records = [1, 2, 3, 4];
    const last = new Map<number, string>();
    const bodies = new Map<string, string>();
    let isChanging = true;
    const changing = async () => {
      for (let n = 0; n < 15; n += 1) {
        await Promise.all(records.map((recordId) => webhook.change('Update', { city: `${n}` }, recordId)));
      }
      isChanging = false;
    };
    const sending = async () => {
      for (;;) {
        const wasChanging = isChanging;
        const claimed = await webhook.fix(await webhook.claim(3));
        for (const { id, body, recordId } of claimed) {
          expect(bodies.get(id) ?? body).toBe(body);
          bodies.set(id, body);
          last.set(recordId, (JSON.parse(body) as { Fields: { City: string } }).Fields.City);
        }
        await webhook.settle(claimed, delivered);
        if (claimed.length === 0 && !wasChanging) return;
      }
    };
    await Promise.all([changing(), sending(), sending()]);
    expect(records.map((recordId) => last.get(recordId))).toEqual(records.map(() => '14'));
    const states = (await webhook.look()).map(({ state }) => state);
    expect(states).toHaveLength(15 * records.length);
    expect(states.filter((state) => state !== 'delivered' && state !== 'merged')).toEqual([]);
  });
});

describe('beside repairs', () => {
  it('a callout that carries others is cancelled and redelivered with all of them', async () => {
    await webhook.change('Update', { city: 'Oslo' });
    await webhook.change('Update', { city: 'Bodo' });
    expect(await cancelRange(repairDeps, webhook.address, anyCallout)).toBe(1);
    expect(await webhook.lines()).toEqual(['1 cancelled Update', '2 merged Update → 1']);
    expect(await redeliverRange(repairDeps, webhook.address, anyCallout)).toMatchObject({ queued: 1 });
    await webhook.change('Update', { city: 'Alta' });
    expect(await webhook.lines()).toEqual(['1 due Update', '2 merged Update → 1', '3 waiting Update']);
    expect(fieldsOf(await webhook.deliverAll(delivered))).toMatchObject([{ City: 'Bodo' }, { City: 'Alta' }]);
  });

  it('a callout that carries others is cancelled with its webhook, and what comes after that is not merged into it', async () => {
    await webhook.change('Update', { city: 'Oslo' });
    await webhook.change('Update', { city: 'Bodo' });
    const set = (settings: string) =>
      query(`UPDATE webhooks SET version = version + 1, ${settings} WHERE key = $1`, [webhook.key]);
    await set('is_active = false, is_cancelling = true');
    await cancelOpenCallouts(setup.database.pool, webhook.key, () => false);
    await set('is_active = true, activated_at = now()');
    await webhook.change('Update', { city: 'Alta' });
    expect(await redeliverRange(repairDeps, webhook.address, anyCallout)).toMatchObject({ queued: 1 });
    await webhook.change('Update', { city: 'Voss' });
    expect(await webhook.lines()).toEqual([
      '1 due Update',
      '2 merged Update → 1',
      '3 waiting Update',
      '4 merged Update → 3',
    ]);
    expect(fieldsOf(await webhook.deliverAll(delivered))).toMatchObject([{ City: 'Bodo' }, { City: 'Voss' }]);
  });

  it('a merged callout is not redelivered: the refusal names the one that carries it', async () => {
    await webhook.change('Create', { city: 'Oslo' });
    await webhook.change('Update', { city: 'Bodo' });
    const [carrier, merged] = await webhook.look();
    const redeliver = (id = '') => redeliverOne(repairDeps, { webhook: webhook.address, calloutId: id });
    await expect(redeliver(merged?.id)).rejects.toThrow(`merged into callout 1 (${carrier?.id})`);
    expect(await cancelOne(repairDeps, { webhook: webhook.address, calloutId: merged?.id ?? '' })).toBe(0);
    await webhook.change('Delete', {});
    await expect(redeliver(carrier?.id)).rejects.toThrow('undid each other');
  });
});
