import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@callout/testing';
import { callout } from './one-callout.fixture.ts';
import { useSignedIn } from './signed-in.fixture.ts';

const own = useSignedIn(callout);
let webhook: string;

describe('a webhook and two events', () => {
  beforeAll(async () => {
    const fields = ['--fields', 'city,phone', '--previous-values', '--show-secret'];
    const args = ['--on', 'Company', '--name', 'Cities', '--url', 'pull:', '--deactivation-url', 'pull:', ...fields];
    ({ webhook } = await own.json<{ webhook: string }>('webhooks', 'create', ...args));
    const change = { entityType: 'Account', action: 'Update' };
    await callout.send(own.tenant, { ...change, eventID: 'first', id: 1, fields: { city: 'Oslo', phone: '1' } });
    await callout.send(own.tenant, { ...change, eventID: 'second', id: 1, fields: { city: 'Bergen', phone: null } });
    await eventually(async () => {
      const found = await own.json<unknown[]>('deliveries', 'list', '--webhook', webhook);
      return found.length === 2;
    });
  });

  it('update --preview shows which of the last events would make a callout, and changes nothing', async () => {
    const file = path.join(own.home, 'condition.json');
    await writeFile(file, JSON.stringify({ condition: { op: 'eq', field: 'city', value: 'Bergen' } }));
    const update = ['webhooks', 'update', webhook, '--file', file];
    const previewed = await own.run(...update, '--format', 'typed', '--preview');
    expect(previewed).toMatchObject({ status: 0, stderr: '' });
    const [counts, gone, title, before = '', after = ''] = previewed.stdout.split('\n');
    expect(counts).toBe(
      'Of the last 2 events, 2 make a callout now, and 1 would after the change. Nothing is changed.',
    );
    expect(gone).toBe('- first of record 1 (condition)');
    expect(title).toBe('The callout of second now and after:');
    expect(JSON.parse(before)).toMatchObject({ Fields: { City: 'Bergen', Phone: null } });
    expect(JSON.parse(after)).toMatchObject({ fields: { city: 'Bergen', phone: null } });
    const changes = [{ eventID: 'first', getsCalloutBefore: true, getsCalloutAfter: false, ruleAfter: 'condition' }];
    expect(await own.json(...update, '--preview')).toMatchObject({
      comparison: { events: 2, calloutsBefore: 2, calloutsAfter: 1, changes },
    });
    expect(await own.json('webhooks', 'show', webhook)).toMatchObject({ condition: null, payloadFormat: 'reference' });
  });

  it('create --preview shows what a webhook that is not stored would make of them, without a secret', async () => {
    const file = path.join(own.home, 'new-webhook.json');
    const condition = { op: 'eq', field: 'city', value: 'Bergen' };
    await writeFile(file, JSON.stringify({ condition, isSubscribedToUpdateEvents: true }));
    const create = ['webhooks', 'create', '--on', 'Company', '--file', file, '--fields', 'city', '--preview'];
    const before = await own.json<unknown[]>('webhooks', 'list');
    const [counts, made, title, body = ''] = (await own.run(...create)).stdout.split('\n');
    expect([counts, made, title]).toEqual([
      'Of the last 2 events, 1 would make a callout. Nothing is created.',
      '+ second of record 1',
      'The callout of second:',
    ]);
    expect(JSON.parse(body)).toMatchObject({ Fields: { City: 'Bergen' } });
    expect(await own.json(...create)).toMatchObject({
      comparison: { events: 2, calloutsBefore: 0, calloutsAfter: 1 },
    });
    expect(await own.json('webhooks', 'list')).toHaveLength(before.length);
    expect(await own.run(...create, '--fields', 'town')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('town'),
    });
  });

  it('update --preview refuses what it cannot preview, and what the update itself would refuse', async () => {
    const update = ['webhooks', 'update', webhook, '--preview'];
    expect(await own.run(...update, '--fields', 'phone')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--preview takes fields from --file only'),
    });
    const file = path.join(own.home, 'wrong.json');
    await writeFile(file, JSON.stringify({ condition: { op: 'eq', field: 'town', value: 'Bergen' } }));
    expect(await own.run(...update, '--file', file)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('town'),
    });
  });

  it('explain shows what changed fields were before, of a webhook with previous values', async () => {
    const { stdout } = await own.run('explain', 'second', '--webhook', webhook);
    expect(stdout).toMatch(/^BEFORE +city Oslo, phone 1$/mu);
    expect((await own.run('explain', 'first', '--webhook', webhook)).stdout).toMatch(/^BEFORE +nothing is known$/mu);
    await own.run('webhooks', 'update', webhook, '--no-previous-values');
    expect((await own.run('explain', 'second', '--webhook', webhook)).stdout).not.toContain('BEFORE');
  });

  it('update names a version, by an option or in the file, and shows both when it has been changed since', async () => {
    const { etag } = await own.json<{ etag: string }>('webhooks', 'show', webhook);
    expect((await own.run('webhooks', 'show', webhook)).stdout).toMatch(new RegExp(`^ETAG +${etag}$`, 'mu'));
    const update = ['webhooks', 'update', webhook];
    // As shells pass it on: without quotes.
    await own.json(...update, '--name', 'Theirs', '--if-match', etag.replaceAll('"', ''));
    const file = path.join(own.home, 'mine.json');
    await writeFile(file, JSON.stringify({ etag, name: 'Mine', secretKey: 'a secret of mine' }));
    const present = (await own.json<{ etag: string }>('webhooks', 'show', webhook)).etag;
    for (const fields of [[], ['--fields', 'phone']]) {
      const refused = await own.run(...update, '--file', file, ...fields);
      expect(refused).toMatchObject({ status: 1, stdout: '' });
      expect(refused.stderr).toMatch(/has been changed since .*\nSETTING +NOW +YOURS\nname +Theirs +Mine\n/u);
      expect(refused.stderr).toContain(`--if-match '${present}'`);
      expect(refused.stderr).not.toContain('a secret of mine');
    }
    expect(await own.run(...update, '--fields', 'phone', '--if-match', etag)).toMatchObject({ status: 1 });
    expect(await own.json('webhooks', 'show', webhook)).toMatchObject({ etag: present, name: 'Theirs' });
    await own.json(...update, '--file', file, '--if-match', present);
    await own.json(...update, '--name', 'Cities');
  });
});
