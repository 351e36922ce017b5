import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { openSigningKey, publicKeyText, signingJwk, signingKeyPair } from '@callout/domain/secrets/signing-key';
import { createReceiver } from '../receiver/receiver.ts';
import { publicKeysAt } from './public-keys.ts';
import { SECRET, sentCallout, type SentOptions } from './signed-callout.fixture.ts';
import { VerificationError } from './verification-error.ts';
import { verify } from './verify.ts';

const now = new Date('2026-01-15T09:30:05Z');
const clock = { now: () => now };
const [pair, olderPair, otherPair] = [1, 2, 3].map((byte) => signingKeyPair(Buffer.alloc(32, byte))) as [
  ReturnType<typeof signingKeyPair>,
  ReturnType<typeof signingKeyPair>,
  ReturnType<typeof signingKeyPair>,
];
const publicKey = publicKeyText(pair.publicKey);
const privateKey = openSigningKey(pair.privateKey);

const signed = (ed25519: Partial<NonNullable<SentOptions['ed25519']>> = {}, options: SentOptions = {}) =>
  sentCallout(
    {},
    { id: 'callout-1', signedAt: now, ...options, ed25519: { current: privateKey, alone: true, ...ed25519 } },
  );

const refused = async (work: Promise<unknown>): Promise<string> => {
  const error: unknown = await work.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  if (error instanceof VerificationError) return error.code;
  throw new Error(`expected a VerificationError, got ${String(error)}`);
};

describe('verify with a public key', () => {
  it('reads a callout that the private key signed, alone or beside a secret', async () => {
    for (const alone of [true, false]) {
      const { body, headers } = signed({ alone });
      for (const keys of [publicKey, ['another secret', publicKey], [SECRET, publicKey]]) {
        await expect(verify(body, headers, keys, clock)).resolves.toMatchObject({ id: 'callout-1' });
      }
    }
  });

  it('takes either key while one replaces the other', async () => {
    const { body, headers } = signed({ previous: openSigningKey(olderPair.privateKey) });
    for (const key of [pair, olderPair]) {
      await expect(verify(body, headers, publicKeyText(key.publicKey), clock)).resolves.toBeDefined();
    }
    expect(await refused(verify(body, headers, publicKeyText(otherPair.publicKey), clock))).toBe('wrong_signature');
  });

  it('refuses another body, id and time', async () => {
    const { body, headers } = signed();
    const verified = (change: Record<string, string>, text: string | Uint8Array = body) =>
      refused(verify(text, { ...headers, ...change }, publicKey, clock));
    expect(await verified({}, `${Buffer.from(body).toString()} `)).toBe('wrong_signature');
    expect(await verified({ 'webhook-id': 'callout-2' })).toBe('wrong_signature');
    expect(await verified({ 'webhook-timestamp': '1768469404' })).toBe('wrong_signature');
    const late = { now: () => new Date(now.getTime() + 301_000) };
    expect(await refused(verify(body, headers, publicKey, late))).toBe('too_old');
  });

  it.each([
    ['empty', 'v1a,'],
    ['too short', 'v1a,AAAA'],
    ['of zeros', `v1a,${Buffer.alloc(64).toString('base64')}`],
    ['in another base64', (right: string) => right.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')],
    ['named v1', (right: string) => right.replace('v1a,', 'v1,')],
    ['with a space in it', (right: string) => `${right.slice(0, 20)} ${right.slice(20)}`],
  ])('refuses a signature that is %s', async (_name, change) => {
    const { body, headers } = signed();
    const given = typeof change === 'string' ? change : change(headers['webhook-signature'] ?? '');
    const request = { ...headers, 'webhook-signature': given };
    expect(await refused(verify(body, request, publicKey, clock))).toBe('wrong_signature');
  });

  it('never makes a public key the key of an HMAC, which anyone could sign with', async () => {
    const { body, headers } = signed();
    const prefix = `${headers['webhook-id']}.${headers['webhook-timestamp']}.`;
    for (const key of [publicKey, publicKey.slice('whpk_'.length), pair.publicKey]) {
      const mac = createHmac('sha256', key).update(prefix).update(body).digest('base64');
      for (const version of ['v1', 'v1a']) {
        const forged = { ...headers, 'webhook-signature': `${version},${mac}` };
        expect(await refused(verify(body, forged, publicKey, clock))).toBe('wrong_signature');
      }
    }
  });

  it('never takes a signature of Ed25519 for a secret', async () => {
    const { body, headers } = signed();
    for (const secret of [
      SECRET,
      pair.privateKey,
      pair.publicKey.toString('base64'),
      `whsec_${pair.publicKey.toString('base64')}`,
    ]) {
      expect(await refused(verify(body, headers, secret, clock))).toBe('wrong_signature');
    }
  });

  it.each([
    ['no base64', 'whpk_not base64!'],
    ['a byte less', `whpk_${Buffer.alloc(31, 1).toString('base64')}`],
    ['nothing', 'whpk_'],
    ['zeros', `whpk_${Buffer.alloc(32).toString('base64')}`],
    ['the neutral point', `whpk_${Buffer.from([1, ...Buffer.alloc(31)]).toString('base64')}`],
    ['it with the sign bit', `whpk_${Buffer.from([1, ...Buffer.alloc(30), 0x80]).toString('base64')}`],
    [
      'a point of order eight',
      `whpk_${Buffer.from('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05', 'hex').toString('base64')}`,
    ],
  ])('refuses a public key that is %s', async (_name, key) => {
    const { body, headers } = signed();
    // A signature that OpenSSL accepts under the neutral point, over any message.
    const anyone = Buffer.from([1, ...Buffer.alloc(63)]).toString('base64');
    const forged = { ...headers, 'webhook-signature': `v1a,${anyone}` };
    await expect(verify(body, forged, key, clock)).rejects.toThrow('A public key is not one');
  });

  it('has no use for a public key where X-Hook-Signature counts', async () => {
    const { body, headers } = signed();
    const options = { ...clock, signature: 'x-hook-signature' } as const;
    await expect(verify(body, headers, publicKey, options)).rejects.toThrow('no public key verifies it');
  });
});

let server: Server | undefined;

afterEach(async () => {
  server?.closeAllConnections();
  await new Promise<void>((resolve) => (server === undefined ? resolve() : void server.close(() => resolve())));
  server = undefined;
});

/** Serves keys with the given answers, and counts the requests. */
async function serving(answer: (request: IncomingMessage, response: ServerResponse, nth: number) => void) {
  let count = 0;
  server = createServer((request, response) => {
    count += 1;
    answer(request, response, count);
  });
  await new Promise<void>((resolve) => void server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/.well-known/webhook-keys/1`, count: () => count };
}

const jwksOf = (...pairs: readonly ReturnType<typeof signingKeyPair>[]) =>
  JSON.stringify({ keys: pairs.map((one) => signingJwk(one.publicKey)) });

/** A clock that stands until it is moved. */
function aClock() {
  let at = now.getTime();
  return { now: () => new Date(at), pass: (seconds: number) => void (at += seconds * 1000) };
}

describe('publicKeysAt', () => {
  it('reads the keys once for many callouts, and again after five minutes', async () => {
    const time = aClock();
    const { url, count } = await serving((_request, response) => response.end(jwksOf(pair)));
    const keys = publicKeysAt(url, time);
    const { body, headers } = signed();
    await Promise.all(Array.from({ length: 20 }, () => verify(body, headers, keys, clock)));
    time.pass(300);
    await verify(body, headers, keys, clock);
    expect(count()).toBe(1);
    time.pass(1);
    await verify(body, headers, keys, clock);
    expect(count()).toBe(2);
  });

  it('reads them again for a key that it does not know, once in three seconds however many forged requests come', async () => {
    const time = aClock();
    const { url, count } = await serving((_request, response, nth) =>
      response.end(nth === 1 ? jwksOf(olderPair) : jwksOf(pair)),
    );
    const keys = publicKeysAt(url, time);
    const { body, headers } = signed();
    expect(await refused(verify(body, headers, keys, clock))).toBe('wrong_signature');
    time.pass(2);
    expect(await refused(verify(body, headers, keys, clock))).toBe('wrong_signature');
    time.pass(1);
    await expect(verify(body, headers, keys, clock)).resolves.toBeDefined();
    expect(count()).toBe(2);
    const forged = signed({ current: openSigningKey(otherPair.privateKey) });
    for (let nth = 0; nth < 20; nth += 1) {
      expect(await refused(verify(forged.body, forged.headers, keys, clock))).toBe('wrong_signature');
    }
    expect(count()).toBe(2);
    // Without a signature of Ed25519 there is nothing to look for.
    time.pass(60);
    const plain = sentCallout({}, { signedAt: now });
    expect(await refused(verify(plain.body, plain.headers, keys, clock))).toBe('wrong_signature');
    expect(count()).toBe(2);
  });

  it('goes on with the keys of the last day while they cannot be read', async () => {
    const time = aClock();
    let isAway = false;
    const { url } = await serving((_request, response) => {
      response.statusCode = isAway ? 503 : 200;
      response.end(jwksOf(pair));
    });
    const keys = publicKeysAt(url, time);
    const { body, headers } = signed();
    await verify(body, headers, keys, clock);
    isAway = true;
    time.pass(24 * 3600);
    await expect(verify(body, headers, keys, clock)).resolves.toBeDefined();
    time.pass(3);
    await expect(verify(body, headers, keys, clock)).rejects.toThrow(
      'could not be read: the answer has the status 503',
    );
  });

  it('asks an address that fails no more often, however many requests come, and says why each time', async () => {
    const time = aClock();
    const { url, count } = await serving((_request, response, nth) => {
      response.statusCode = nth === 1 ? 503 : 200;
      response.end(jwksOf(pair));
    });
    const keys = publicKeysAt(url, time);
    const { body, headers } = signed();
    for (let nth = 0; nth < 20; nth += 1) {
      await expect(verify(body, headers, keys, clock)).rejects.toThrow('the answer has the status 503');
    }
    expect(count()).toBe(1);
    time.pass(3);
    await expect(verify(body, headers, keys, clock)).resolves.toBeDefined();
    expect(count()).toBe(2);
  });

  it('accepts the callout that comes again 4 s after a key was replaced at once', async () => {
    const time = aClock();
    let current = olderPair;
    const { url } = await serving((_request, response) => response.end(jwksOf(current)));
    const keys = publicKeysAt(url, time);
    const before = signed({ current: openSigningKey(olderPair.privateKey) });
    await expect(verify(before.body, before.headers, keys, clock)).resolves.toBeDefined();
    current = pair;
    const { body, headers } = signed();
    expect(await refused(verify(body, headers, keys, clock))).toBe('wrong_signature');
    time.pass(4);
    await expect(verify(body, headers, keys, clock)).resolves.toBeDefined();
    expect(await refused(verify(before.body, before.headers, keys, clock))).toBe('wrong_signature');
  });

  it.each<[string, (response: ServerResponse) => void, RegExp]>([
    ['no JSON', (response) => response.end('<html>'), /has no public key/u],
    ['null', (response) => response.end('null'), /has no public key/u],
    ['no keys', (response) => response.end('{"keys":[]}'), /has no public key/u],
    ['keys that are no list', (response) => response.end('{"keys":"many"}'), /has no public key/u],
    [
      'keys for something else',
      (response) =>
        response.end(
          JSON.stringify({
            keys: [
              null,
              5,
              { ...signingJwk(pair.publicKey), use: 'enc' },
              { ...signingJwk(pair.publicKey), crv: 'X25519' },
              { kty: 'oct', k: signingJwk(pair.publicKey).x, alg: 'HS256' },
              { ...signingJwk(pair.publicKey), x: 'AAAA' },
              signingJwk(Buffer.alloc(32)),
            ],
          }),
        ),
      /has no public key/u,
    ],
    ['404', (response) => void response.writeHead(404).end(jwksOf(pair)), /status 404/u],
    ['a redirect', (response) => void response.writeHead(302, { Location: '/elsewhere' }).end(), /could not be read/u],
    [
      'an endless body',
      (response) => {
        const more = () => void (response.destroyed || response.write(' '.repeat(16_384), more));
        more();
      },
      /more than 65536 bytes/u,
    ],
    ['a broken body', (response) => void response.write('{"keys":', () => response.destroy()), /could not be read/u],
  ])('refuses %s, says so, and lets the callout come again', async (_name, answer, message) => {
    const { url } = await serving((_request, response) => answer(response));
    const { body, headers } = signed();
    await expect(verify(body, headers, publicKeysAt(url), clock)).rejects.toThrow(message);
    const errors: unknown[] = [];
    const onError = (error: unknown) => void errors.push(error);
    const receiver = createReceiver({ secrets: publicKeysAt(url), onCallout: () => undefined, onError, ...clock });
    expect((await receiver.receive(body, headers)).status).toBe(500);
    expect(String(errors[0])).toMatch(message);
  });

  it('gives up an address that takes its time, by the limit of the request', async () => {
    let limit: AbortSignal | null | undefined;
    const never: typeof fetch = (_url, init) =>
      new Promise((_resolve, reject) => {
        limit = init?.signal;
        limit?.addEventListener('abort', () => reject(new Error('the time is up')));
        // As the limit does after 5 s.
        limit?.dispatchEvent(new Event('abort'));
      });
    const { body, headers } = signed();
    await expect(verify(body, headers, publicKeysAt('https://keys.example', { fetch: never }), clock)).rejects.toThrow(
      'could not be read: the time is up',
    );
    expect(limit).toBeInstanceOf(AbortSignal);
  });

  it.each([
    'http://hooks.example.com/keys',
    'http://127.0.0.1.example.com/keys',
    'http://10.0.0.1/keys',
    'ftp://localhost/keys',
    'file:///etc/keys',
    'data:application/json,{}',
    'https://user:password@hooks.example.com/keys',
  ])('refuses the address %s', (url) => {
    expect(() => publicKeysAt(url)).toThrow('must begin with https');
  });

  it.each(['https://hooks.example.com/keys', 'http://localhost:8080/keys', 'http://127.0.0.1:8080/', 'http://[::1]/'])(
    'takes the address %s',
    (url) => {
      expect(() => publicKeysAt(url)).not.toThrow();
    },
  );
});
