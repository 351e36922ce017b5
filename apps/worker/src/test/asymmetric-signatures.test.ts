import { byOperator } from '@callout/domain/changes/actor';
import { randomBytes, webcrypto } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createLocalJWKSet, importJWK, type JWK } from 'jose';
import { signingKeyRow } from '@callout/database/fixtures/signing-key-row';
import { KeyRing } from '@callout/domain/secrets/keyring';
import { keyThumbprint, signingJwk } from '@callout/domain/secrets/signing-key';
import { reencryptSecrets } from '@callout/tenancy/operator/encrypted-secrets';
import { rotateSigningKey } from '@callout/webhooks/rotate-signing-key';
import { readSigningKeys } from '@callout/webhooks/signing-keys';
import { eventually, forThisFile, startScriptedReceiver, type ReceivedRequest } from '@callout/testing';
import { useWorker } from './fixtures/use-worker.ts';
import { aWebhook, type WebhookUnderTest } from './fixtures/webhook-under-test.ts';

const [oldKey, newKey] = ['old', 'new'].map((id) => `${id}:${randomBytes(32).toString('base64')}`);
const worker = useWorker({
  RETRY_SCHEDULE: '20ms,20ms',
  SECRET_KEYS: `${oldKey},${newKey}`,
});
const receiver = forThisFile(startScriptedReceiver, (started) => started.stop());
let webhook: WebhookUnderTest;

beforeEach(async () => {
  webhook = await aWebhook(worker, { urlOf: (path) => receiver.url(path), secretKey: 'a secret of the receiver' });
});

async function publicKeys(): Promise<JWK[]> {
  const keys = await readSigningKeys(worker.database.pool, webhook.tenantId);
  if (keys === undefined) throw new Error('the tenant has no keys');
  return [keys.current, ...(keys.previous === null ? [] : [keys.previous])].map(({ publicKey }) =>
    signingJwk(publicKey),
  );
}

const kids = async () => (await publicKeys()).map(({ kid }) => kid);

async function rotate(overlapHours: number): Promise<void> {
  const { database, keyRing } = worker;
  const keys = await readSigningKeys(database.pool, webhook.tenantId);
  const kid = keyThumbprint(keys?.current.publicKey ?? Buffer.alloc(0));
  await rotateSigningKey(
    { transaction: database.transaction, keyRing },
    webhook.tenantId,
    { kid, overlapHours },
    byOperator,
  );
}

/** The names of the keys that verify a request, as jose reads them: it knows nothing of how Callout signs. */
async function signersOf({ headers, body }: ReceivedRequest, known: readonly JWK[]): Promise<string[]> {
  const signed = Buffer.concat([
    Buffer.from(`${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.`),
    body,
  ]);
  const found: string[] = [];
  for (const one of String(headers['webhook-signature']).split(' ')) {
    const [version, signature = ''] = one.split(',');
    for (const jwk of version === 'v1a' ? known : []) {
      const key = await importJWK(jwk);
      if (key instanceof Uint8Array) throw new Error('not a public key');
      const isSigned = await webcrypto.subtle.verify('Ed25519', key, Buffer.from(signature, 'base64'), signed);
      if (isSigned) found.push(jwk.kid ?? '');
    }
  }
  return found;
}

const at = (path: string) => receiver.requests(path);
const versions = ({ headers }: ReceivedRequest) =>
  String(headers['webhook-signature'])
    .split(' ')
    .map((one) => one.split(',')[0]);

describe('callouts of a webhook with the signatureKind ed25519', () => {
  it('are signed in every attempt, and have no signature of a secret', async () => {
    await webhook.update({ signatureKind: 'ed25519' });
    receiver.script(webhook.callouts, (_request, nth) => ({ status: nth < 3 ? 500 : 200 }));
    await webhook.change(1);
    await webhook.allEnded();
    const requests = at(webhook.callouts);
    expect(requests).toHaveLength(3);
    const keys = await publicKeys();
    for (const request of requests) {
      expect(versions(request)).toEqual(['v1a']);
      expect(await signersOf(request, keys)).toEqual(await kids());
      expect(request.headers).not.toHaveProperty('x-hook-signature');
      const altered = { ...request, body: Buffer.concat([request.body, Buffer.from(' ')]) };
      expect(await signersOf(altered, keys)).toEqual([]);
    }
    // Its set of keys is one that libraries for JWKS take as it is.
    expect(() => createLocalJWKSet({ keys })).not.toThrow();
  });

  it('include the call about its deactivation, and that of a deleted webhook', async () => {
    await webhook.update({ signatureKind: 'ed25519' });
    await webhook.update({ isActive: false });
    await eventually(() => receiver.count(webhook.deactivations) === 1);
    await webhook.allEnded();
    await webhook.update({ isActive: true });
    await webhook.remove();
    await eventually(() => receiver.count(webhook.deactivations) === 2);
    for (const request of at(webhook.deactivations)) {
      expect(await signersOf(request, await publicKeys())).toEqual(await kids());
    }
  });

  it('are logged without the header that was not sent', async () => {
    await webhook.change(1);
    await webhook.allEnded();
    await webhook.update({ signatureKind: 'ed25519' });
    await webhook.change(2);
    await webhook.allEnded();
    const stored = (await webhook.attempts()).map(({ requestHeaders }) => Object.keys(requestHeaders as object));
    expect(stored.map((names) => names.includes('X-Hook-Signature'))).toEqual([false, true]);
  });
});

describe('the signatures of a webhook with the signatureKind both', () => {
  it('are of the secret and of every key of the tenant that is valid', async () => {
    await webhook.update({ signatureKind: 'both' });
    await webhook.rotate('another secret of the receiver', 1);
    await rotate(1);
    await webhook.change(1);
    await webhook.allEnded();
    const [request] = at(webhook.callouts);
    if (request === undefined) throw new Error('no call came');
    expect(versions(request)).toEqual(['v1', 'v1', 'v1a', 'v1a']);
    expect(await signersOf(request, await publicKeys())).toEqual(await kids());
    expect(request.headers).toHaveProperty('x-hook-signature');
  });
});

describe('the keys of a tenant', () => {
  it('are changed by a rotation for the next callout of a worker that has the old ones in memory', async () => {
    await webhook.update({ signatureKind: 'ed25519' });
    const signers: string[][] = [];
    const known = new Map<string, JWK>();
    for (const overlapHours of [1, 1, 0]) {
      await webhook.change(signers.length + 1);
      await webhook.allEnded();
      for (const jwk of await publicKeys()) known.set(jwk.kid ?? '', jwk);
      const request = at(webhook.callouts)[signers.length];
      if (request === undefined) throw new Error('no call came');
      signers.push(await signersOf(request, [...known.values()]));
      expect(signers.at(-1)).toEqual(await kids());
      await rotate(overlapHours);
    }
    await webhook.change(9);
    await webhook.allEnded();
    expect(await kids()).toHaveLength(1);
    const last = at(webhook.callouts)[3];
    expect(last && (await signersOf(last, [...known.values(), ...(await publicKeys())]))).toEqual(await kids());
  });

  it('sign as before while they are encrypted with another key of the ring', async () => {
    await webhook.update({ signatureKind: 'ed25519' });
    const before = await kids();
    await webhook.change(1);
    await webhook.allEnded();
    const ring = KeyRing.parse(`${newKey},${oldKey}`);
    await reencryptSecrets(worker.database.pool, ring, { after: 0, limit: 100 });
    expect((await signingKeyRow(worker.database.pool, webhook.tenantId))?.keyId).toBe('new');
    // Read again: its version is another one.
    await webhook.update({ name: 'renamed' });
    await webhook.change(2);
    await webhook.allEnded();
    const signers = await Promise.all(
      at(webhook.callouts).map(async (request) => signersOf(request, await publicKeys())),
    );
    expect(signers).toEqual([before, before]);
  });
});
