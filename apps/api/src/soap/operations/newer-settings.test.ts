import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { soapNameOf } from '@callout/domain/catalogue/names';
import { isJsonType } from '@callout/domain/metadata/field';
import { webhookFields } from '@callout/webhooks/input/webhook-fields';
import { sampleOf } from '@callout/webhooks/settings/samples.fixture';
import { settings } from '@callout/webhooks/settings/settings';
import { forThisFile } from '@callout/testing';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeTenant } from '../../fixtures/test-tenant.ts';
import { webhookBody } from '../../fixtures/webhook-body.ts';
import { inLiveOrder } from '../entities/live-fields.ts';
import { rest, soapClient } from '../soap-client.fixture.ts';

const api = runTestApi();
const tenant = forThisFile(
  () => makeTenant(api.database),
  async () => undefined,
);

async function makeWebhook(change: Record<string, unknown>): Promise<number> {
  const { body } = await rest(api, 'POST', '/CompanyWebhooks', tenant.integrator, webhookBody(change));
  const { itemId } = body as { itemId?: number };
  if (itemId === undefined) throw new Error(JSON.stringify(body));
  return itemId;
}

/** The fields of webhooks, in the order of the live API, and whether this API has them as elements. */
const webhookElements = Object.entries(webhookFields)
  .filter(([name]) => name !== 'id')
  .map(([name, field]) => ({
    name,
    soapName: 'soapName' in field ? field.soapName : soapNameOf(name),
    isElement: !isJsonType(field.dataType) && !('items' in field),
    isSetting: !('isReadOnly' in field),
  }));
/** Those that the live API lacks come after its last one. */
const inOrder = inLiveOrder('AccountWebhook', webhookElements);
const newerFields = inOrder.slice(inOrder.findIndex(({ soapName }) => soapName === 'Ready') + 1);

describe('an update of a webhook with settings that the live API lacks', () => {
  const isNewer = new Set(newerFields.filter(({ isSetting }) => isSetting).map(({ name }) => name));
  const newer = Object.fromEntries(
    settings.filter(({ key }) => isNewer.has(key)).map((setting) => [setting.key, sampleOf(setting)]),
  );
  const read = async (id: number) => {
    const { body } = await rest(api, 'GET', `/CompanyWebhooks/${id}`, tenant.integrator);
    return (body as { item: Record<string, unknown> }).item;
  };
  const secretsOf = (id: number) =>
    api.database.prisma.webhook.findFirstOrThrow({
      where: { tenantId: tenant.id, id, entityType: 'Account' },
      select: { receiverKeyId: true, receiverNonce: true, receiverCiphertext: true },
    });

  it('is tested with each of them, and docs/soap.md names each', async () => {
    expect(Object.keys(newer).toSorted()).toEqual([...isNewer].toSorted());
    const docs = await readFile(path.resolve(import.meta.dirname, '../../../../../docs/soap.md'), 'utf8');
    const names = newerFields.map(({ name, soapName, isElement }) => (isElement ? soapName : name));
    expect(names.filter((name) => !docs.includes(`\`${name}\``))).toEqual([]);
  });

  it('keeps them, whether it names one field or sends back all that it has read', async () => {
    const id = await makeWebhook(newer);
    const [before, secrets] = [await read(id), await secretsOf(id)];
    expect(before).toMatchObject({ ...newer, requestHeaders: [{ name: 'X-Shop' }], receiverAuth: { kind: 'bearer' } });
    expect(secrets.receiverCiphertext).not.toBeNull();
    const client = await soapClient(api, tenant.integrator);
    const named = await client.write('update', ['AccountWebhook', { id, Name: 'renamed' }]);
    expect([named.returnCode, named.errors]).toEqual([1, []]);
    expect(await read(id)).toEqual({ ...before, name: 'renamed' });

    const { entities } = await client.query(
      'AccountWebhook',
      `<field>id<expression op="equals">${id}</expression></field>`,
    );
    const [found] = entities;
    const elements = newerFields.filter(({ name, isElement }) => isElement && (newer[name] ?? null) !== null);
    expect(found).toMatchObject(Object.fromEntries(elements.map(({ name, soapName }) => [soapName, newer[name]])));
    const whole = await client.write('update', ['AccountWebhook', { ...found, Name: 'again' }]);
    expect([whole.returnCode, whole.errors]).toEqual([1, []]);
    // As a program made from the live description has it.
    const known = Object.fromEntries(
      Object.entries(found ?? {}).filter(([name]) => !(name.charAt(0).toLowerCase() + name.slice(1) in newer)),
    );
    const live = await client.write('update', ['AccountWebhook', { ...known, Name: 'once more' }]);
    expect([live.returnCode, live.errors]).toEqual([1, []]);
    expect(await read(id)).toEqual({ ...before, name: 'once more' });
    expect(await secretsOf(id)).toEqual(secrets);
  });

  it('changes those that it names, and makes webhooks without them', async () => {
    const id = await makeWebhook(newer);
    const client = await soapClient(api, tenant.integrator);
    const { returnCode } = await client.write('update', ['AccountWebhook', { id, PayloadFormat: 'cloudevents' }]);
    expect(returnCode).toBe(1);
    expect(await read(id)).toMatchObject({
      ...newer,
      payloadFormat: 'cloudevents',
      requestHeaders: [{}],
      receiverAuth: {},
    });
    const { entities } = await client.write('create', [
      'AccountWebhook',
      {
        Active: false,
        Name: 'made here',
        WebhookUrl: 'http://127.0.0.1:9999/in',
        DeactivationUrl: 'http://127.0.0.1:9999/off',
        SecretKey: 'a shared secret',
      },
    ]);
    expect(await read(Number(entities[0]?.['id']))).toMatchObject({
      condition: null,
      payloadFormat: 'reference',
      requestHeaders: [],
      receiverAuth: { kind: 'none' },
    });
  });
});
