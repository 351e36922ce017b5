import { createHmac, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { calloutHeaders } from './sign.rules.ts';
import { KeyRing, secretAad } from '@callout/domain/secrets/keyring';
import { type StoredTarget, createTargets, type Target } from './targets.ts';
import { Webhook } from 'standardwebhooks';
import { signingKeyPair, openSigningKey } from '@callout/domain/secrets/signing-key';

const keyRing = KeyRing.parse(`k:${randomBytes(32).toString('base64')}`);
const webhookGuid = '0f8fad5b-d9cb-469f-a165-70867728950e';
const aad = secretAad(7, webhookGuid);
const encrypt = (secret: string) => keyRing.encrypt(secret, aad, randomBytes(12));
const until = new Date('2026-01-02T00:00:00Z');

function storedTarget(change: Partial<StoredTarget> = {}): StoredTarget {
  return {
    webhookKey: 1,
    mergesWhileWaiting: false,
    webhookVersion: 1,
    tenantId: 7,
    webhookGuid,
    webhookUrl: 'https://example.com/in',
    deactivationUrl: 'https://example.com/off',
    signatureKind: 'hmac',
    signingKey: null,
    secret: encrypt('the new secret'),
    previousSecret: null,
    caCertificate: null,
    receiver: null,
    ...change,
  };
}

const keysId = '6f8fad5b-d9cb-469f-a165-70867728950e';
const [pair, olderPair] = [signingKeyPair(Buffer.alloc(32, 1)), signingKeyPair(Buffer.alloc(32, 2))];
const encryptFor = (privateKey: string) => keyRing.encrypt(privateKey, secretAad(7, keysId), randomBytes(12));

function storedSigningKey() {
  return { id: keysId, current: encryptFor(pair.privateKey), previous: null };
}

/** Targets over the rows in `stored` at the time of reading; counts the reads. */
function targetsOf(stored: StoredTarget[], nowMs: () => number = Date.now, maxKept = 10) {
  const reads: number[] = [];
  const read = async (key: number) => {
    reads.push(key);
    return stored.find(({ webhookKey }) => webhookKey === key) ?? null;
  };
  return { reads, targetOf: createTargets({ read, keyRing, maxKept, maxBytes: 1_000_000, nowMs }) };
}

const body = Buffer.from('{"Action":"Update"}');

/** The headers of a callout to this target, with the current time as the receiver's clock. */
function signedFor(target: Target | null): Record<string, string> {
  if (target === null) throw new Error('no target');
  const call = { calloutId: 'msg_1', attemptNumber: 1, body, now: new Date(), userAgent: 'test' };
  return calloutHeaders({ ...call, signingKeys: target.signingKeys });
}

/** Whether a receiver with this secret accepts each of the two signatures. */
function accepts(secret: string, headers: Record<string, string>): { standard: boolean; sha1: boolean } {
  let standard = true;
  try {
    new Webhook(Buffer.from(secret), { format: 'raw' }).verify(body, headers);
  } catch {
    standard = false;
  }
  const sha1 = `sha1=${createHmac('sha1', secret).update(body).digest('base64')}`;
  return { standard, sha1: headers['X-Hook-Signature'] === sha1 };
}

describe('createTargets', () => {
  it('decrypts a target with both of its addresses', async () => {
    const { targetOf } = targetsOf([storedTarget()]);
    const target = await targetOf(1, 1);
    expect(target).toMatchObject({ url: 'https://example.com/in', deactivationUrl: 'https://example.com/off' });
    expect(accepts('the new secret', signedFor(target))).toEqual({ standard: true, sha1: true });
    expect(await targetOf(2, 1)).toBeNull();
  });

  it('signs with both keys until the overlap ends, also when the target was read before', async () => {
    let nowMs = until.getTime() - 1;
    const previousSecret = { encrypted: encrypt('the old secret'), until };
    const { reads, targetOf } = targetsOf([storedTarget({ previousSecret })], () => nowMs);

    const during = signedFor(await targetOf(1, 1));
    expect(accepts('the old secret', during)).toEqual({ standard: true, sha1: true });
    expect(accepts('the new secret', during)).toEqual({ standard: true, sha1: false });

    nowMs = until.getTime();
    const after = signedFor(await targetOf(1, 1));
    expect(accepts('the old secret', after)).toEqual({ standard: false, sha1: false });
    expect(accepts('the new secret', after)).toEqual({ standard: true, sha1: true });
    expect(reads).toEqual([1]);
  });

  it('opens the private key of a tenant once for all of its webhooks, and no secret that does not sign', async () => {
    const lost = KeyRing.parse(`lost:${randomBytes(32).toString('base64')}`);
    const signed = {
      signatureKind: 'ed25519',
      signingKey: storedSigningKey(),
      secret: lost.encrypt('x', aad, randomBytes(12)),
    };
    const { targetOf } = targetsOf([1, 2].map((webhookKey) => storedTarget({ ...signed, webhookKey })));
    const [one, other] = [await targetOf(1, 1), await targetOf(2, 1)];
    expect(one?.signingKeys.hmac).toBeUndefined();
    expect(one?.signingKeys.ed25519?.current).toBe(other?.signingKeys.ed25519?.current);
    expect(one?.signingKeys.ed25519?.current.equals(openSigningKey(pair.privateKey))).toBe(true);
  });

  it('signs with secrets and private keys until each of their overlaps ends', async () => {
    let nowMs = until.getTime() - 1;
    const later = new Date(until.getTime() + 1_000);
    const previous = { encrypted: encryptFor(olderPair.privateKey), until: later };
    const previousSecret = { encrypted: encrypt('the old secret'), until };
    const signed = { signatureKind: 'both', previousSecret, signingKey: { ...storedSigningKey(), previous } };
    const { reads, targetOf } = targetsOf([storedTarget(signed)], () => nowMs);
    const versions = async () => {
      const signatures = signedFor(await targetOf(1, 1))['webhook-signature'] ?? '';
      return signatures.split(' ').map((signature) => signature.split(',')[0]);
    };
    expect(await versions()).toEqual(['v1', 'v1', 'v1a', 'v1a']);
    nowMs = until.getTime();
    expect(await versions()).toEqual(['v1', 'v1a', 'v1a']);
    nowMs = later.getTime();
    expect(await versions()).toEqual(['v1', 'v1a']);
    expect(reads).toEqual([1]);
  });

  it('rejects when the tenant has no key pair, or one of another tenant or id', async () => {
    const refused = (signingKey: StoredTarget['signingKey']) =>
      targetsOf([storedTarget({ signatureKind: 'both', signingKey })]).targetOf(1, 1);
    await expect(refused(null)).rejects.toThrow('the tenant of webhook 1 has no key pair that signs');
    await expect(refused({ ...storedSigningKey(), id: webhookGuid })).rejects.toThrow('does not open with key k');
  });

  it('reads once per version, however many callouts request it', async () => {
    const stored = [storedTarget()];
    const { reads, targetOf } = targetsOf(stored);
    await Promise.all([targetOf(1, 1), targetOf(1, 1), targetOf(1, 1)]);
    expect(reads).toHaveLength(1);
    stored[0] = storedTarget({ webhookVersion: 3, webhookUrl: 'https://example.com/moved' });
    expect((await targetOf(1, 1))?.url).toBe('https://example.com/in');
    expect((await targetOf(1, 2))?.url).toBe('https://example.com/moved');
    await targetOf(1, 3);
    expect(reads).toHaveLength(2);
  });

  it('keeps no more targets than its limit', async () => {
    const { reads, targetOf } = targetsOf(
      [1, 2, 3].map((webhookKey) => storedTarget({ webhookKey })),
      Date.now,
      2,
    );
    for (const webhookKey of [1, 2, 3, 3, 2, 1]) await targetOf(webhookKey, 1);
    expect(reads).toEqual([1, 2, 3, 1]);
  });

  it('rejects when the key ring cannot decrypt a secret, and tries again the next time', async () => {
    const lost = KeyRing.parse(`lost:${randomBytes(32).toString('base64')}`);
    const encrypted = lost.encrypt('the old secret', aad, randomBytes(12));
    const { targetOf } = targetsOf([storedTarget({ previousSecret: { encrypted, until } })]);
    await expect(targetOf(1, 1)).rejects.toThrow('The key ring has no key lost');
    await expect(targetOf(1, 1)).rejects.toThrow('The key ring has no key lost');
  });
});
