import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { openSigningKey, signingJwk, signingKeyPair } from '@callout/domain/secrets/signing-key';
import { calloutHeaders, prepareSecret } from '@callout/pipeline/deliver/sign.rules';
import { createVerifier, type Keys } from './verify-pulled.ts';

const SECRET = 'a secret of mine';
const BODY = '{"text":"no callout, but signed"}';
const pair = signingKeyPair(Buffer.alloc(32, 1));

function signed(kind: 'hmac' | 'ed25519' | 'both', change: Record<string, string> = {}): Record<string, string> {
  const headers = calloutHeaders({
    signingKeys: {
      hmac: kind === 'ed25519' ? undefined : { current: prepareSecret(SECRET) },
      ed25519: kind === 'hmac' ? undefined : { current: openSigningKey(pair.privateKey) },
    },
    calloutId: 'callout-1',
    attemptNumber: 1,
    action: 'Update',
    eventId: 'order-17',
    body: Buffer.from(BODY),
    // The clock of this machine may be wrong.
    now: new Date(Date.now() - 3_600_000),
    userAgent: 'Callout/1.0',
  });
  return { ...headers, ...change };
}

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  }
});

/** @returns the address of public keys. */
async function serving(keys: readonly object[]): Promise<string> {
  const server = createServer((_request, response) => response.end(JSON.stringify({ keys })));
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/.well-known/webhook-keys/1`;
}

/** Verifies with the secret and the public key, unless they are to be others. */
async function verified(headers: Record<string, string>, keys: Partial<Keys> = {}, body = BODY) {
  const reasons: string[] = [];
  const verify = createVerifier({
    secretKey: SECRET,
    keysUrl: () => serving([signingJwk(pair.publicKey)]),
    onUnreadable: (reason) => reasons.push(reason),
    ...keys,
  });
  return { ...(await verify(headers, body)), reasons };
}

const noKeys = { secretKey: undefined, keysUrl: async () => null };
const right = { isVerified: true, wrong: [], reasons: [] };

describe('a callout that was fetched', () => {
  it.each([
    ['hmac', ['hmac']],
    ['ed25519', ['ed25519']],
    ['both', ['hmac', 'ed25519']],
  ] as const)('with the signature %s is verified by %j', async (kind, verifiedBy) => {
    expect(await verified(signed(kind))).toEqual({ ...right, verifiedBy });
  });

  it('is verified by the key that is known', async () => {
    expect(await verified(signed('both'), { secretKey: undefined })).toEqual({ ...right, verifiedBy: ['ed25519'] });
    expect(await verified(signed('both'), { keysUrl: async () => null })).toEqual({ ...right, verifiedBy: ['hmac'] });
    expect(await verified(signed('both'), noKeys)).toMatchObject({ isVerified: null, verifiedBy: [] });
  });

  it('is not genuine when one of its signatures is wrong, or it has none', async () => {
    const all = ['hmac', 'ed25519'] as const;
    expect(await verified(signed('both'), {}, `${BODY} `)).toMatchObject({ isVerified: false, wrong: all });
    expect(await verified(signed('both', { 'webhook-id': 'other' }))).toMatchObject({ isVerified: false, wrong: all });
    expect(await verified(signed('both'), { secretKey: 'another' })).toMatchObject({
      isVerified: false,
      verifiedBy: ['ed25519'],
      wrong: ['hmac'],
    });
    expect(await verified({})).toMatchObject({ isVerified: false, wrong: [] });
    expect(await verified({}, noKeys)).toMatchObject({ isVerified: null });
  });

  it('is not called wrong while public keys cannot be read, and the reason is reported', async () => {
    const unreadable = await verified(signed('ed25519'), { keysUrl: () => serving([]) });
    expect(unreadable).toMatchObject({ isVerified: null, reasons: [expect.stringContaining('has no public key')] });
    const unsafe = await verified(signed('ed25519'), { keysUrl: async () => 'http://hooks.example.com/keys' });
    expect(unsafe).toMatchObject({ isVerified: null, reasons: [expect.stringContaining('must begin with https')] });
  });

  it('asks for the address of the keys once, and again while there is none', async () => {
    const url = await serving([signingJwk(pair.publicKey)]);
    const urls = [null, url, 'http://127.0.0.1:1/never'];
    const verify = createVerifier({
      secretKey: undefined,
      keysUrl: async () => urls.shift() ?? null,
      onUnreadable: () => undefined,
    });
    const verdicts = [];
    for (let nth = 0; nth < 3; nth += 1) verdicts.push((await verify(signed('ed25519'), BODY)).isVerified);
    expect(verdicts).toEqual([null, true, true]);
  });
});
