import { describe, expect, it } from '@jest/globals';
import { eventually } from '@callout/testing';
import { runCommand } from '../run-command.fixture.ts';
import { callout } from './one-callout.fixture.ts';
import { useSignedIn } from './signed-in.fixture.ts';

const own = useSignedIn(callout);

let changes = 0;
const change = (id: number) => {
  changes += 1;
  const fields = { companyName: `Name ${changes}` };
  return callout.send(own.tenant, { entityType: 'Account', action: 'Update', id, fields });
};
const failedIn = async () =>
  (await own.json<{ webhook: string; reason: string; count: number }[]>('failed')).map(
    ({ webhook, reason, count }) => `${webhook} ${reason} ${count}`,
  );

describe('callout failed', () => {
  it('is not about tests, and neither is what callout status counts', async () => {
    const webhook = await callout.webhook(own.tenant);
    webhook.answer({ status: 500 });
    const named = `CompanyWebhooks/${webhook.id}`;
    expect(await own.run('webhooks', 'test', named)).toMatchObject({ status: 1 });
    expect(await own.run('failed')).toMatchObject({ status: 0, stdout: 'Nothing failed.\n' });
    expect(await own.run('status')).toMatchObject({ status: 0, stdout: expect.stringMatching(/^FAILED 24H +0$/mu) });
    webhook.answer({ status: 200 });
    expect(await own.run('webhooks', 'delete', named, '--yes')).toMatchObject({ status: 0 });
  });

  it('groups what failed, lists and exports it, and redelivers it after a sentence about order', async () => {
    expect(await own.run('failed')).toMatchObject({ status: 0, stdout: 'Nothing failed.\n' });
    const [one, two] = [await callout.webhook(own.tenant), await callout.webhook(own.tenant)];
    one.answer({ status: 500 });
    two.answer({ status: 404 });
    await change(1);
    await change(2);
    const [first, second] = [`CompanyWebhooks/${one.id}`, `CompanyWebhooks/${two.id}`];
    await eventually(async () =>
      expect((await failedIn()).toSorted()).toEqual([`${first} status5xx 2`, `${second} status4xx 2`]),
    );
    one.answer({ status: 200 });
    await change(1);
    await eventually(async () => {
      const delivered = await own.json<unknown[]>('deliveries', 'list', '--state', 'delivered', '--webhook', first);
      expect(delivered).toHaveLength(1);
    });

    const table = await own.run('failed', '--since', '1h', '--webhook', first);
    expect(table.stdout).toMatch(
      /CompanyWebhooks\/\d+ +active +2 +status5xx .*The receiver answered 500: it failed\./u,
    );
    expect(table.stderr).toContain('Failed: 2. `callout failed redeliver --dry-run`');
    const listed = await own.json<{ id: string; reason: string }[]>('failed', 'list', '--reason', 'STATUS4XX');
    expect(listed.map(({ reason }) => reason)).toEqual(expect.arrayContaining(['status4xx', 'status4xx']));
    const exported = await own.run('failed', 'export', '--webhook', first, '--since', '1h');
    expect(exported).toMatchObject({ status: 0, stderr: 'Exported callouts: 2.\n' });
    const lines = exported.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string; recordID: number; body: string });
    // Callouts of two records are made in any order.
    expect(lines.toSorted((a, b) => a.recordID - b.recordID)).toMatchObject([
      { recordID: 1, reason: 'status5xx' },
      { recordID: 2, reason: 'status5xx', lastAttempt: { status: 500 }, body: expect.stringContaining('"Id":2') },
    ]);
    expect(exported.stdout).not.toMatch(/v1,[\w+/]{20}/u);
    const byId = await own.run('failed', 'export', lines[0]?.id ?? '');
    expect(byId.stdout.trim().split('\n')).toHaveLength(1);

    const older = /1 of 2 callouts is older than a callout of the same record that was delivered since/u;
    const dry = await own.run('failed', 'redeliver', '--webhook', first, '--dry-run');
    expect(dry).toMatchObject({ status: 0, stdout: expect.stringMatching(older) });
    const unasked = await own.run('failed', 'redeliver', '--webhook', first);
    expect(unasked).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/Callouts to be sent now: 2\.\n?.*1 of 2/su),
    });
    const declined = await runCommand(['failed', 'redeliver', '--webhook', first], own.env, ['no\n'], true);
    expect(declined).toMatchObject({
      status: 1,
      stdout: 'Nothing was changed.\n',
      stderr: expect.stringMatching(older),
    });
    const asked = await runCommand(['redeliver', '--webhook', first], own.env, ['no\n'], true);
    expect(asked.stderr).toMatch(older);
    const redelivered = await own.run('failed', 'redeliver', '--webhook', first, '--yes');
    expect(redelivered).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/Callouts to be sent now: 2\.\n1 of 2/u),
    });
    await eventually(async () => expect(await failedIn()).toEqual([`${second} status4xx 3`]));

    await own.run('webhooks', 'deactivate', second, '--yes');
    const left = await own.run('failed', 'redeliver', '--yes');
    expect(left).toMatchObject({ status: 1, stdout: expect.stringContaining(`${second}: 3 left as they are.`) });
  });

  it.each([
    [['failed', 'list', '--reason', 'busy'], 'It must be one or more of status3xx'],
    [['failed', '--webhook', 'nothing'], 'names no webhook'],
    [['failed', 'redeliver', 'x', '--yes'], 'calloutIDs must be 1 to 1000 ids of callouts'],
    [['failed', 'export', '--since', 'soon'], 'It must be a time'],
  ])('refuses %j', async (args, message) => {
    expect(await own.run(...args)).toMatchObject({ status: 2, stderr: expect.stringContaining(message) });
  });
});
