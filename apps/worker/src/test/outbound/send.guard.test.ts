import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { parseCidrs } from '@callout/domain/target/address';
import { hostileHosts, hostileUrls } from '@callout/domain/fixtures/hostile-targets';
import type { Refusal } from '@callout/outbound/guard';
import { answer } from '@callout/testing';
import { createSenderSetup, gist, post, resolvesTo, testPolicy, type SenderSetup } from './sender.fixture.ts';

let setup: SenderSetup;
beforeEach(() => {
  setup = createSenderSetup();
});
afterEach(() => setup.stop());

const delivers = () => setup.receiver((connection) => connection.write(answer(200, 'ok')));
const forbidden = { kind: 'failed', reason: 'addressForbidden' };

/** A name server whose answer changes with each query; the last one stays. */
function resolvesInTurn(...answers: readonly (readonly string[])[]) {
  let nth = 0;
  return async () => {
    nth += 1;
    return answers[Math.min(nth, answers.length) - 1] ?? [];
  };
}

describe('the outbound guard', () => {
  it('sends to a name that resolves to an allowed address, under its own name', async () => {
    const receiver = await delivers();
    const outcome = await setup.sender().send(post(`http://hooks.example.com:${receiver.port}/a/b?c=d`));
    expect(gist(outcome)).toEqual({ kind: 'answered', status: 200, body: 'ok', bodyCut: null });
    expect(receiver.requests[0]?.head).toMatch(/^POST \/a\/b\?c=d HTTP\/1\.1\r\n/u);
    expect(receiver.requests[0]?.head).toContain(`\r\nHost: hooks.example.com:${receiver.port}\r\n`);
  });

  it.each([
    ['private', ['127.0.0.2']],
    ['allowed and private', ['127.0.0.1', '127.0.0.2']],
    ['private and allowed', ['10.0.0.1', '127.0.0.1']],
    ['allowed by A and private by AAAA', ['127.0.0.1', '::1']],
    ['metadata', ['169.254.169.254']],
  ])('connects nowhere when a name resolves to %s', async (_what, addresses) => {
    const receiver = await delivers();
    const refusals: Refusal[] = [];
    const sender = setup.sender({ resolve: resolvesTo(...addresses), onRefusal: (refusal) => refusals.push(refusal) });
    const outcome = await sender.send(post(`http://hooks.example.com:${receiver.port}/`));
    expect(outcome).toMatchObject(forbidden);
    expect(refusals).toMatchObject([
      { hostname: 'hooks.example.com', address: addresses.find((each) => each !== '127.0.0.1') },
    ]);
    expect(receiver.connections()).toBe(0);
  });

  it.each(hostileHosts)('refuses the host %s before anything is resolved', async (host) => {
    const sender = setup.sender({
      resolve: () => Promise.reject(new Error('must not be asked')),
      policy: { ...testPolicy, allowCidrs: [] },
    });
    expect(await sender.send(post(`http://${host}/`))).toMatchObject({ kind: 'failed', reason: 'invalidTarget' });
  });

  it('calls a permitted address directly, in any spelling', async () => {
    const receiver = await delivers();
    const sender = setup.sender({ resolve: () => Promise.reject(new Error('must not be asked')) });
    for (const host of ['127.0.0.1', '127.1', '0x7f000001', '[::ffff:127.0.0.1]']) {
      expect(await sender.send(post(`http://${host}:${receiver.port}/`))).toMatchObject({ status: 200 });
    }
  });

  it('judges again on an open connection: a name that moves inside is refused', async () => {
    const receiver = await delivers();
    const sender = setup.sender({ resolve: resolvesInTurn(['127.0.0.1'], ['127.0.0.2']) });
    const url = `http://rebinding.example:${receiver.port}/`;
    expect(await sender.send(post(url))).toMatchObject({ status: 200 });
    expect(receiver.open()).toBe(1);
    expect(await sender.send(post(url))).toMatchObject(forbidden);
    expect(receiver.requests).toHaveLength(1);
  });

  it('closes the open connection when a name moves to another allowed address', async () => {
    const before = await setup.receiver((connection) => connection.write(answer(200, 'before')));
    await setup.receiver((connection) => connection.write(answer(200, 'after')), {
      host: '127.0.0.3',
      port: before.port,
    });
    const sender = setup.sender({ resolve: resolvesInTurn(['127.0.0.1'], ['127.0.0.3'], ['127.0.0.1']) });
    const bodies: unknown[] = [];
    for (let nth = 0; nth < 3; nth += 1)
      bodies.push(gist(await sender.send(post(`http://moving.example:${before.port}/`)))['body']);
    expect(bodies).toEqual(['before', 'after', 'before']);
    expect(before.connections()).toBe(1);
  });

  it('judges by the current policy, also on an open connection', async () => {
    const receiver = await delivers();
    const deps = { policy: testPolicy };
    const sender = setup.sender({
      get policy() {
        return deps.policy;
      },
    });
    const urls = [`http://hooks.example.com:${receiver.port}/`, `http://127.0.0.1:${receiver.port}/`];
    for (const url of urls) expect(await sender.send(post(url))).toMatchObject({ status: 200 });
    deps.policy = { ...testPolicy, allowCidrs: parseCidrs(['127.0.0.3']) };
    expect(await sender.send(post(urls[0] ?? ''))).toMatchObject(forbidden);
    expect(await sender.send(post(urls[1] ?? ''))).toMatchObject({ kind: 'failed', reason: 'invalidTarget' });
    deps.policy = { ...testPolicy, allowHttp: false };
    expect(gist(await sender.send(post(urls[0] ?? '')))).toEqual({
      kind: 'failed',
      reason: 'invalidTarget',
      message:
        'The URL must begin with https://, unless the operator sets ALLOW_HTTP_TARGETS. Give the webhook another URL.',
    });
    expect(receiver.requests).toHaveLength(2);
  });

  it('tries the next judged address when one does not accept', async () => {
    const receiver = await delivers();
    const sender = setup.sender({ resolve: resolvesTo('127.0.0.3', '127.0.0.1') });
    expect(await sender.send(post(`http://hooks.example.com:${receiver.port}/`))).toMatchObject({ status: 200 });
  });

  it.each([301, 302, 303, 307, 308])('does not follow a redirect with %d, and keeps its location', async (status) => {
    const elsewhere = await delivers();
    const locations = [
      `http://127.0.0.1:${elsewhere.port}/`,
      'http://169.254.169.254/',
      '/',
      'https://hooks.example.com/',
      'file:///etc/passwd',
    ];
    for (const location of locations) {
      const receiver = await setup.receiver((connection) =>
        connection.write(answer(status, '', [`Location: ${location}`])),
      );
      const outcome = await setup.sender().send(post(`http://hooks.example.com:${receiver.port}/`));
      expect(outcome).toMatchObject({ kind: 'answered', status, headers: { location } });
      expect(receiver.requests).toHaveLength(1);
    }
    expect(elsewhere.connections()).toBe(0);
  });

  it('connects directly to the receiver whatever proxy is in the environment', async () => {
    const [receiver, proxy] = [await delivers(), await delivers()];
    const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'];
    // oxlint-disable-next-line node/no-process-env -- the environment is what this is about
    const { env } = process;
    const saved = names.map((name) => [name, env[name]] as const);
    for (const name of names) env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : `http://127.0.0.1:${proxy.port}`;
    try {
      expect(await setup.sender().send(post(`http://hooks.example.com:${receiver.port}/`))).toMatchObject({
        status: 200,
      });
    } finally {
      for (const [name, value] of saved) {
        if (value === undefined) delete env[name];
        else env[name] = value;
      }
    }
    expect([receiver.requests.length, proxy.connections()]).toEqual([1, 0]);
  });

  it('reports that DNS failed, and that it did not respond', async () => {
    const notFound = setup.sender({
      resolve: () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })),
    });
    expect(gist(await notFound.send(post('http://gone.example/')))).toEqual({
      kind: 'failed',
      reason: 'dnsFailed',
      message: 'gone.example does not exist in DNS. Check the host in the URL, and its records in DNS.',
    });
    const silent = setup.sender({ resolve: () => new Promise(() => undefined), timeoutMs: 50 });
    expect(gist(await silent.send(post('http://slow.example/')))).toEqual({
      kind: 'failed',
      reason: 'timeout',
      message: expect.stringMatching(/^slow\.example could not be resolved within 0\.05 s\. Check the name servers/u),
    });
  });

  it('does not hide a defect of the resolver', async () => {
    const sender = setup.sender({ resolve: () => Promise.reject(new TypeError('undefined is not a function')) });
    await expect(sender.send(post('http://hooks.example.com/'))).rejects.toThrow(TypeError);
  });

  it.each(hostileUrls)('does not send to the stored target %j', async (url) => {
    const outcome = await setup.sender().send(post(url));
    expect(outcome).toMatchObject({
      kind: 'failed',
      reason: 'invalidTarget',
      message: expect.stringMatching(/^The URL must .*\.$/u),
    });
  });
});
