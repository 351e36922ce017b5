import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from '@jest/globals';
import { callApi, eventually, everyCompanyEvent, forThisFile, startMovableAddress } from '@callout/testing';
import { type ExampleCommand, type ExampleProgram, runExample } from '../receiver-library/example-program.fixture.ts';
import {
  canVerifyEd25519,
  installedConsumers,
  type Language,
  prepareExample,
} from '../receiver-library/languages.fixture.ts';
import { aPulledWebhook, api, installation, startApi } from './pulled-webhook.fixture.ts';

const folder = forThisFile(
  async () => ({ directory: await mkdtemp(path.join(tmpdir(), 'callout-consumers-')) }),
  ({ directory }) => rm(directory, { recursive: true }),
);
const prepared = new Map<Language, ExampleCommand>();
const toStop: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  await Promise.all(toStop.splice(0).map(async (stop) => stop()));
});

/** Starts the example of a language, to fetch from a webhook through a port. */
async function runConsumer(language: Language, port: number, webhookId: number, change: Record<string, string> = {}) {
  const command =
    prepared.get(language) ?? (await prepareExample(language, await mkdtemp(path.join(folder.directory, 'one-'))));
  prepared.set(language, command);
  const { userName, secret, apiIntegrationCode } = installation().tenant.integrator;
  const env = {
    WEBHOOK_URL: `http://127.0.0.1:${port}/atservicesrest/v1.0/CompanyWebhooks/${webhookId}`,
    CALLOUT_USER: userName,
    CALLOUT_SECRET: secret,
    CALLOUT_INTEGRATION_CODE: apiIntegrationCode,
    ...change,
  };
  const program = runExample({ ...command, env });
  toStop.push(async () => program.stop());
  return program;
}

/** Sends so many updates of each record, one after another: `name 0`, `name 1`, … */
async function sendUpdates(records: readonly number[], rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const fields = { companyName: `name ${round}` };
    const events = records.map((id) => ({ entityType: 'Account', action: 'Update', id, fields }));
    const call = { method: 'POST', path: '/EntityEvents', body: { events } } as const;
    expect(await callApi(await api().ready(), installation().tenant.source, call)).toMatchObject({ status: 202 });
  }
}

async function deliveredOf(records: readonly number[]): Promise<number> {
  return installation().database.prisma.callout.count({
    where: { recordId: { in: [...records] }, state: 'delivered' },
  });
}

/** The public key of the tenant. */
async function publicKeyOf(): Promise<string> {
  const call = { method: 'GET', path: '/WebhookKeys' } as const;
  const reply = await callApi(await api().ready(), installation().tenant.admin, call);
  const { body } = reply as { body?: { items: readonly { signingPublicKey: string }[] } };
  return body?.items[0]?.signingPublicKey ?? '';
}

function anotherPublicKey(): string {
  const { x = '' } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
  return `whpk_${Buffer.from(x, 'base64url').toString('base64')}`;
}

async function openOf(records: readonly number[]): Promise<number> {
  return installation().database.prisma.openCallout.count({ where: { recordId: { in: [...records] } } });
}

/** The names that were handled, by the record, in the order in which they were handled first. */
function handledBy(programs: readonly ExampleProgram[]): Record<string, string[]> {
  const names: Record<string, string[]> = {};
  for (const line of programs.flatMap(({ lines }) => lines)) {
    const [, record = '', name = line] = /^Update Account (\d+) \{"CompanyName":"(.*)"\}$/u.exec(line) ?? [];
    names[record] ??= [];
    if (!names[record].includes(name)) names[record].push(name);
  }
  return names;
}

describe.each(installedConsumers)('the example in $name that fetches callouts', (language) => {
  it('handles every callout, those of a record in order, though it and the API are killed', async () => {
    const first = 1_000 + 100 * installedConsumers.indexOf(language);
    const records = [1, 2, 3, 4, 5].map((one) => first + one);
    const rounds = 6;
    const webhook = await aPulledWebhook();
    const address = await startMovableAddress(await api().ready());
    toStop.push(async () => address.stop());
    await sendUpdates(records, rounds);

    const killed = await runConsumer(language, address.port, webhook.id);
    await eventually(() => killed.lines.length >= 3);
    killed.signal('SIGKILL');
    await killed.ended;
    await webhook.endLeases();

    const next = await runConsumer(language, address.port, webhook.id);
    await eventually(() => next.lines.length >= 3);
    await api().signal('SIGKILL');
    await webhook.endLeases();
    address.moveTo(await startApi().ready());

    const all = records.length * rounds;
    await eventually(async () => (await deliveredOf(records)) === all);
    const names = Array.from({ length: rounds }, (_, round) => `name ${round}`);
    expect(handledBy([killed, next])).toEqual(Object.fromEntries(records.map((id) => [id, names])));
    // Of each record, one callout may have been handled and not acknowledged when the first was killed.
    expect(killed.lines.length + next.lines.length).toBeLessThanOrEqual(all + records.length);
    await webhook.remove();
  });

  it('ends on SIGTERM, with everything acknowledged that it has handled', async () => {
    const first = 2_000 + 200 * installedConsumers.indexOf(language);
    const records = Array.from({ length: 100 }, (_, at) => first + at);
    const webhook = await aPulledWebhook();
    await sendUpdates(records, 1);
    const program = await runConsumer(language, await api().ready(), webhook.id);
    await eventually(() => program.lines.length > 0);
    program.signal('SIGTERM');
    expect([await program.ended, program.errors]).toEqual([0, []]);
    expect(await deliveredOf(records)).toBe(program.lines.length);
    await webhook.remove();
  });

  it('verifies signatures too where it has a secret or a public key, and handles nothing else', async () => {
    const first = 3_000 + 100 * installedConsumers.indexOf(language);
    const webhook = await aPulledWebhook({ signatureKind: 'both' });
    const port = await api().ready();
    const keys = [everyCompanyEvent.secretKey, ...(canVerifyEd25519(language) ? [await publicKeyOf()] : [])];
    for (const [nth, SECRET_KEY] of keys.entries()) {
      const [refused, taken] = [first + 2 * nth, first + 2 * nth + 1];
      const other = SECRET_KEY.startsWith('whpk_') ? anotherPublicKey() : 'another secret';
      await sendUpdates([refused], 1);
      const refusing = await runConsumer(language, port, webhook.id, { SECRET_KEY: other });
      await eventually(() => refusing.errors.some((line) => /signature/u.test(line)));
      // It fails after three attempts.
      await eventually(async () => (await openOf([refused])) === 0);
      expect(refusing.lines).toEqual([]);
      await refusing.stop();
      await sendUpdates([taken], 1);
      const program = await runConsumer(language, port, webhook.id, { SECRET_KEY });
      await eventually(async () => (await deliveredOf([taken])) === 1);
      expect(handledBy([program])).toEqual({ [taken]: ['name 0'] });
      await program.stop();
    }
    await webhook.remove();
  });

  it('ends at once, with a sentence, when it is refused or knows too little', async () => {
    const webhook = await aPulledWebhook();
    const port = await api().ready();
    const refused = await runConsumer(language, port, webhook.id, { CALLOUT_SECRET: 'another' });
    expect([await refused.ended, refused.errors]).toEqual([1, [expect.stringMatching(/401.*credential/iu)]]);
    const without = await runConsumer(language, port, webhook.id, { CALLOUT_SECRET: '' });
    expect([await without.ended, without.errors]).toEqual([1, [expect.stringMatching(/secret/iu)]]);
    const nowhere = await runConsumer(language, port, webhook.id, { WEBHOOK_URL: 'http://127.0.0.1:8080' });
    expect([await nowhere.ended, nowhere.errors]).toEqual([1, [expect.stringMatching(/address of a webhook/u)]]);
    await webhook.remove();
  });
});

/** Fetches two callouts with one thread, holds the work of the first until both are given back, and prints what began. */
const holdFirst = `
import json, threading
from concurrent.futures import ThreadPoolExecutor
import consumer

begun, given_back = [], threading.Event()

class Api:
    def post(self, path, body, timeout):
        if len(body["nacks"]) == 2:
            given_back.set()

def handle(callout):
    begun.append(callout["Id"])
    given_back.wait()

consumer.handle, consumer.LEASE_SECONDS = handle, 0
with ThreadPoolExecutor(1) as pool:
    body = lambda id: json.dumps({"Id": id, "SequenceNumber": id})
    consumer.work_on([{"ackID": f"ack {id}", "calloutID": f"{id}", "body": body(id)} for id in (1, 2)], Api(), pool)
print(begun)
`;

it.each(installedConsumers.filter(({ name }) => name === 'Python'))(
  'the example in $name never begins a callout that it has given back: another consumer may have handled later ones',
  async () => {
    const cwd = path.resolve(import.meta.dirname, '../../../../examples/python');
    const { stdout } = await promisify(execFile)('python3', ['-B', '-c', holdFirst], { cwd });
    expect(stdout).toBe('[1]\n');
  },
);
