import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createResolver, type ResolverOptions } from '@callout/outbound/resolver';
import { type NameServer, type NameServerResponse, startNameServer } from '@callout/testing';

const servers: NameServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

async function resolverWith(answers: Record<string, NameServerResponse>, options: ResolverOptions = {}) {
  const server = await startNameServer((type, name) => answers[`${type} ${name}`] ?? []);
  servers.push(server);
  const resolve = createResolver({ servers: [server.address], hostsFile: '/nonexistent', ...options });
  return { resolve, questions: server.questions };
}

const a = (value: string, ttl = 0): NameServerResponse => [{ type: 'A', ttl, value }];
const aaaa = (value: string, ttl = 0): NameServerResponse => [{ type: 'AAAA', ttl, value }];

describe('createResolver', () => {
  it('returns the addresses of both families', async () => {
    const { resolve } = await resolverWith({
      'A both.example': a('8.8.8.8'),
      'AAAA both.example': aaaa('2606:4700:0:0:0:0:0:1'),
    });
    expect(await resolve('both.example')).toEqual(['8.8.8.8', '2606:4700::1']);
  });

  it('returns one family when the other has none or fails', async () => {
    const { resolve } = await resolverWith({
      'A one.example': a('8.8.8.8'),
      'A half.example': a('8.8.4.4'),
      'AAAA half.example': 'SERVFAIL',
    });
    expect(await resolve('one.example')).toEqual(['8.8.8.8']);
    expect(await resolve('half.example')).toEqual(['8.8.4.4']);
  });

  it('returns the private address behind a CNAME, to be judged', async () => {
    const { resolve } = await resolverWith({
      'A alias.example': [
        { type: 'CNAME', ttl: 60, value: 'inside.example' },
        { type: 'A', ttl: 60, value: '10.0.0.1' },
      ],
    });
    expect(await resolve('alias.example')).toEqual(['10.0.0.1']);
  });

  it('returns a hundred addresses', async () => {
    const many = Array.from({ length: 100 }, (_, nth) => ({ type: 'A' as const, ttl: 0, value: `8.8.4.${nth}` }));
    const { resolve } = await resolverWith({ 'A many.example': many });
    expect(await resolve('many.example')).toHaveLength(100);
  });

  it.each([
    ['NXDOMAIN', 'ENOTFOUND'],
    ['SERVFAIL', 'ESERVFAIL'],
  ] as const)('rejects with the code of a name that is %s', async (answer, code) => {
    const { resolve } = await resolverWith({ 'A gone.example': answer, 'AAAA gone.example': answer });
    await expect(resolve('gone.example')).rejects.toMatchObject({ code });
  });

  it('rejects with ENODATA when a name has no address, and prefers a temporary failure to a permanent one', async () => {
    const { resolve } = await resolverWith({ 'A half.example': 'NXDOMAIN', 'AAAA half.example': 'SERVFAIL' });
    await expect(resolve('empty.example')).rejects.toMatchObject({ code: 'ENODATA' });
    await expect(resolve('half.example')).rejects.toMatchObject({ code: 'ESERVFAIL' });
  });

  it('queries again each time when the TTL is 0, so that a changed answer is seen', async () => {
    let address = '8.8.8.8';
    const server = await startNameServer((type) => (type === 'A' ? a(address) : []));
    servers.push(server);
    const resolve = createResolver({ servers: [server.address] });
    expect(await resolve('rebinding.example')).toEqual(['8.8.8.8']);
    address = '10.0.0.1';
    expect(await resolve('rebinding.example')).toEqual(['10.0.0.1']);
  });

  it('keeps an answer for its shortest TTL and no longer', async () => {
    let nowMs = 1_000;
    const { resolve, questions } = await resolverWith(
      { 'A kept.example': a('8.8.8.8', 20), 'AAAA kept.example': aaaa('2606:4700:0:0:0:0:0:1', 5) },
      { now: () => nowMs },
    );
    await resolve('kept.example');
    nowMs += 5_000;
    await resolve('kept.example');
    expect(questions).toHaveLength(2);
    nowMs += 1;
    await resolve('kept.example');
    expect(questions).toHaveLength(4);
  });

  it('keeps no answer longer than its maximum', async () => {
    let nowMs = 1_000;
    const { resolve, questions } = await resolverWith({ 'A long.example': a('8.8.8.8', 86_400) }, { now: () => nowMs });
    await resolve('long.example');
    nowMs += 30_001;
    await resolve('long.example');
    expect(questions.filter((question) => question === 'A long.example')).toHaveLength(2);
  });

  it('keeps no more addresses than its maximum, of however few names', async () => {
    const record = (value: string) => ({ type: 'A' as const, ttl: 20, value });
    const pair = [record('8.8.8.8'), record('8.8.4.4')];
    const answers = { 'A first.example': pair, 'A second.example': pair };
    const { resolve, questions } = await resolverWith(answers, { maxCachedAddresses: 3 });
    for (const name of ['first.example', 'second.example', 'second.example', 'first.example']) await resolve(name);
    expect(questions.filter((question) => question.startsWith('A '))).toEqual([
      'A first.example',
      'A second.example',
      'A first.example',
    ]);
  });

  it('does not keep a failure', async () => {
    const answers: Record<string, NameServerResponse> = {
      'A back.example': 'SERVFAIL',
      'AAAA back.example': 'SERVFAIL',
    };
    const { resolve } = await resolverWith(answers);
    await expect(resolve('back.example')).rejects.toMatchObject({ code: 'ESERVFAIL' });
    answers['A back.example'] = a('8.8.8.8');
    expect(await resolve('back.example')).toEqual(['8.8.8.8']);
  });

  it('shares one query among concurrent lookups of the same name', async () => {
    const { resolve, questions } = await resolverWith({ 'A same.example': a('8.8.8.8') });
    const answers = await Promise.all(Array.from({ length: 50 }, () => resolve('same.example')));
    expect(new Set(answers.map(String))).toEqual(new Set(['8.8.8.8']));
    expect(questions.toSorted()).toEqual(['A same.example', 'AAAA same.example']);
  });

  it('knows localhost and the hosts file without a query', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'callout-hosts-'));
    const hostsFile = join(folder, 'hosts');
    await writeFile(
      hostsFile,
      '# comment\n10.0.0.7\tIntranet intranet.example # inside\n\nfd00::7 intranet\n6.6.6.6 localhost\n',
    );
    const { resolve, questions } = await resolverWith({}, { hostsFile });
    expect(await resolve('intranet')).toEqual(['10.0.0.7', 'fd00::7']);
    expect(await resolve('intranet.example')).toEqual(['10.0.0.7']);
    expect(await resolve('localhost')).toEqual(['127.0.0.1']);
    expect(await resolve('app.localhost.')).toEqual(['127.0.0.1']);
    expect(questions).toEqual([]);
    await rm(folder, { recursive: true });
  });
});

describe('search domains', () => {
  /** A resolver on a machine with this resolv.conf, and a name server that knows only these names. */
  async function resolverIn(resolvConf: string, known: Record<string, NameServerResponse>) {
    const dir = await mkdtemp(join(tmpdir(), 'callout-resolv-'));
    const file = join(dir, 'resolv.conf');
    await writeFile(file, resolvConf);
    const server = await startNameServer((type, name) => known[name] ?? (type === 'A' ? 'NXDOMAIN' : []));
    servers.push(server);
    const resolve = createResolver({ servers: [server.address], hostsFile: '/nonexistent', resolvConf: file });
    await rm(dir, { recursive: true });
    return { resolve, asked: () => server.questions.filter((one) => one.startsWith('A ')).map((one) => one.slice(2)) };
  }
  const kubernetes = [
    'nameserver 10.96.0.10',
    'search default.svc.cluster.local svc.cluster.local cluster.local',
    'options ndots:5',
  ].join('\n');

  it.each([
    ['receiver', 'receiver.default.svc.cluster.local', 1],
    ['receiver.other', 'receiver.other.svc.cluster.local', 3],
    ['receiver.other.svc', 'receiver.other.svc.cluster.local', 4],
    ['receiver', 'receiver', 4],
  ])('%s is found as %s', async (hostname, name, asked) => {
    const resolver = await resolverIn(kubernetes, { [name]: a('10.0.0.7') });
    expect(await resolver.resolve(hostname)).toContain('10.0.0.7');
    expect(resolver.asked()).toHaveLength(asked);
  });

  it('are not asked for a public name, which nothing inside can take over', async () => {
    const { resolve, asked } = await resolverIn(kubernetes, {
      'hooks.example.com': a('8.8.8.8'),
      'hooks.example.com.svc.cluster.local': a('10.0.0.7'),
    });
    expect(await resolve('hooks.example.com')).toEqual(['8.8.8.8']);
    expect(asked()).toEqual(['hooks.example.com']);
  });

  it('are not applied to a name with a dot at its end', async () => {
    const { resolve, asked } = await resolverIn(kubernetes, { 'receiver.default.svc.cluster.local': a('10.0.0.7') });
    await expect(resolve('receiver.')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    expect(asked()).toEqual(['receiver']);
  });

  it('are left at a name server that fails: the name may be there again a moment later', async () => {
    const { resolve } = await resolverIn(kubernetes, {
      'receiver.default.svc.cluster.local': 'SERVFAIL',
      'receiver.svc.cluster.local': a('10.0.0.8'),
    });
    await expect(resolve('receiver')).rejects.toMatchObject({ code: 'ESERVFAIL' });
  });

  it.each([
    ['domain example.net', ['receiver.example.net', 'receiver']],
    ['search one.example\nsearch . two.example.', ['receiver.two.example', 'receiver']],
    ['# search one.example\nnameserver 10.0.0.1', ['receiver']],
    ['', ['receiver']],
  ])('of %j are those that the system reads', async (resolvConf, names) => {
    const { resolve, asked } = await resolverIn(resolvConf, {});
    await expect(resolve('receiver')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    expect(asked()).toEqual(names);
  });
});
