import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { answer, eventually, type NameServerResponse, type NameServerRecord, startNameServer } from '@callout/testing';
import type { Refusal } from '@callout/outbound/guard';
import { createResolver } from '@callout/outbound/resolver';
import type { SenderDeps } from '@callout/outbound/send';
import { createSenderSetup, gist, post, type SenderSetup } from './sender.fixture.ts';

let setup: SenderSetup;
const stops: (() => Promise<void>)[] = [];
beforeEach(() => {
  setup = createSenderSetup();
});
afterEach(async () => {
  await setup.stop();
  for (const stop of stops.splice(0)) await stop();
});

type Zone = Partial<Record<'A' | 'AAAA', NameServerResponse>> & { delayMs?: number };

const a = (...values: string[]): NameServerRecord[] => values.map((value) => ({ type: 'A', ttl: 0, value }));
const aaaa = (...values: string[]): NameServerRecord[] => values.map((value) => ({ type: 'AAAA', ttl: 0, value }));
const cname = (value: string): NameServerRecord => ({ type: 'CNAME', ttl: 0, value });
const mapped = (hexadecimal: string) => `0:0:0:0:0:ffff:${hexadecimal}`;
const forbidden = { kind: 'failed', reason: 'addressForbidden' };

/** A sender with our own name server, and a receiver on the one address that stands for the internet. */
async function senderWith(zoneOf: (name: string) => Zone, deps: Partial<SenderDeps> = {}) {
  const server = await startNameServer(
    (type, name) => zoneOf(name)[type] ?? [],
    (name) => zoneOf(name).delayMs,
  );
  stops.push(server.stop);
  const receiver = await setup.receiver((connection) => connection.write(answer(200, 'ok')));
  const refusals: Refusal[] = [];
  const sender = setup.sender({
    resolve: createResolver({ servers: [server.address], hostsFile: '/nonexistent' }),
    onRefusal: (refusal) => refusals.push(refusal),
    ...deps,
  });
  return {
    receiver,
    refusals,
    questions: server.questions,
    send: (name = 'hooks.example.com') => sender.send(post(`http://${name}:${receiver.port}/`)),
  };
}

/** 127.0.0.1 is allowed in these tests, like a public address; other addresses of this machine are not. */
const zones: [what: string, zone: Zone, refused: string][] = [
  ['private addresses only', { A: a('10.0.0.1') }, '10.0.0.1'],
  ['a public and a private address', { A: a('127.0.0.1', '192.168.0.1') }, '192.168.0.1'],
  ['a private and a public address', { A: a('192.168.0.1', '127.0.0.1') }, '192.168.0.1'],
  ['a private AAAA beside a public A', { A: a('127.0.0.1'), AAAA: aaaa('fd00:0:0:0:0:0:0:1') }, 'fd00::1'],
  ['a loopback AAAA beside a public A', { A: a('127.0.0.1'), AAAA: aaaa('0:0:0:0:0:0:0:1') }, '::1'],
  ['a mapped private AAAA', { AAAA: aaaa(mapped('a00:1')) }, '::ffff:10.0.0.1'],
  ['a mapped metadata AAAA', { A: a('127.0.0.1'), AAAA: aaaa(mapped('a9fe:a9fe')) }, '::ffff:169.254.169.254'],
  ['the address of no host at all', { A: a('0.0.0.0') }, '0.0.0.0'],
  ['the metadata address', { A: a('169.254.169.254') }, '169.254.169.254'],
  ['an alias of a private name', { A: [cname('inside.example'), ...a('10.1.2.3')] }, '10.1.2.3'],
  [
    'a hundred addresses, the last one private',
    { A: a(...Array.from<string>({ length: 99 }).fill('127.0.0.1'), '10.9.9.9') },
    '10.9.9.9',
  ],
];

describe('a name in DNS', () => {
  it.each(zones)('with %s is refused, and nothing is connected', async (_what, zone, refused) => {
    const { send, receiver, refusals } = await senderWith(() => zone);
    expect(await send()).toMatchObject(forbidden);
    expect(refusals).toMatchObject([{ hostname: 'hooks.example.com', address: refused }]);
    expect(receiver.connections()).toBe(0);
  });

  it('with a hundred public addresses is called at one that accepts', async () => {
    const { send, receiver } = await senderWith(() => ({
      A: a(...Array.from<string>({ length: 100 }).fill('127.0.0.1')),
    }));
    expect(await send()).toMatchObject({ status: 200 });
    expect(receiver.connections()).toBe(1);
  });

  it.each<[string, Zone, string]>([
    ['no address', {}, 'has no address in DNS'],
    ['an alias that leads nowhere', { A: [cname('nowhere.example')] }, 'has no address in DNS'],
    ['no existence', { A: 'NXDOMAIN', AAAA: 'NXDOMAIN' }, 'does not exist in DNS'],
    ['a server that fails', { A: 'SERVFAIL', AAAA: 'SERVFAIL' }, 'could not be resolved: the name servers failed'],
  ])('with %s is a failure with a reason', async (_what, zone, words) => {
    const { send, receiver } = await senderWith(() => zone);
    expect(await send()).toMatchObject({
      kind: 'failed',
      reason: 'dnsFailed',
      message: expect.stringContaining(`hooks.example.com ${words}. `),
    });
    expect(receiver.connections()).toBe(0);
  });

  it('that takes 1.5 s to resolve is called, also after many that were resolved at once', async () => {
    const { send } = await senderWith((name) => ({
      A: a('127.0.0.1'),
      ...(name.startsWith('slow') && { delayMs: 1_500 }),
    }));
    for (let nth = 0; nth < 5; nth += 1) await send(`fast-${nth}.example.com`);
    expect(await send('slow.example.com')).toMatchObject({ status: 200 });
  });

  it('with one family that is never answered is called at the other', async () => {
    const { send } = await senderWith(() => ({ A: a('127.0.0.1'), AAAA: 'silent' }));
    expect(await send()).toMatchObject({ status: 200 });
  });

  it('with one family that fails is called at the other', async () => {
    const { send } = await senderWith(() => ({ A: a('127.0.0.1'), AAAA: 'SERVFAIL' }));
    expect(await send()).toMatchObject({ status: 200 });
  });

  it('whose server is silent ends with the time limit, and its late answer connects nothing', async () => {
    const { send, receiver, questions } = await senderWith(() => ({ A: 'silent', AAAA: 'silent' }), { timeoutMs: 300 });
    expect(gist(await send('slow.example.com'))).toEqual({
      kind: 'failed',
      reason: 'timeout',
      message: expect.stringMatching(/^slow\.example\.com:\d+ could not be resolved within 0\.3 s\. Check /u),
    });
    await eventually(() => questions.includes('A slow.example.com'));
    expect(receiver.connections()).toBe(0);
  });

  it('whose server is silent does not make another name wait, however many such names there are', async () => {
    const { send, questions } = await senderWith(
      (name) => (name.startsWith('slow') ? { A: 'silent', AAAA: 'silent' } : { A: a('127.0.0.1') }),
      { timeoutMs: 4_000 },
    );
    let ended = 0;
    const slow = Array.from({ length: 64 }, async (_, nth) => {
      await send(`slow-${nth}.example.com`);
      ended += 1;
    });
    expect(await send()).toMatchObject({ status: 200 });
    // All of them had been queried before, and none was abandoned: they were still pending.
    expect(new Set(questions.filter((question) => question.startsWith('A slow'))).size).toBe(64);
    expect(ended).toBe(0);
    await Promise.all(slow);
  });

  it('that is public first and private second (TTL 0) is refused on the connection that is still open', async () => {
    let address = '127.0.0.1';
    const { send, receiver, refusals } = await senderWith(() => ({ A: a(address) }));
    expect(await send()).toMatchObject({ status: 200 });
    expect(receiver.open()).toBe(1);
    address = '127.0.0.2';
    expect(await send()).toMatchObject(forbidden);
    expect(refusals).toMatchObject([{ address: '127.0.0.2' }]);
    expect([receiver.requests.length, receiver.connections()]).toEqual([1, 1]);
  });
});
