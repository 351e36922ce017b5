import type { KeyObject } from 'node:crypto';
import { type SigningKeys, prepareSecret, type PreparedSecret } from './sign.rules.ts';
import { type KeyRing, type EncryptedSecret, secretAad } from '@callout/domain/secrets/keyring';
import { isSameOrigin, type StoredSecrets } from '@callout/domain/receiver/receiver-settings';
import { type CallCredentials, credentialsOf } from './receiver/call-credentials.rules.ts';
import { LRUCache } from 'lru-cache';
import { createTenantCache, type TenantCacheLimits } from '../cache/tenant-cache.ts';
import { usesSecret, usesSigningKey } from '@callout/domain/callout/signature-kind';
import { openSigningKey } from '@callout/domain/secrets/signing-key';
import type { Client } from '@callout/database/connection/database';
import { statementFrom } from '@callout/database/connection/statement/statement';

/** An encrypted key before a rotation, and until when it also signs. */
interface PreviousKey {
  encrypted: EncryptedSecret;
  until: Date;
}

/** The Ed25519 private keys of a tenant, encrypted. */
interface StoredSigningKey {
  /** The public id of the keys of the tenant, which the encryption is bound to. */
  id: string;
  current: EncryptedSecret;
  /** Null without a previous key, or when the overlap is over. */
  previous: PreviousKey | null;
}

/** Where the callouts of a webhook go, and the secrets, encrypted. */
export interface StoredTarget {
  webhookKey: number;
  webhookVersion: number;
  tenantId: number;
  webhookGuid: string;
  webhookUrl: string;
  deactivationUrl: string;
  mergesWhileWaiting: boolean;
  /** A kind of `signatureKinds`. */
  signatureKind: string;
  secret: EncryptedSecret;
  /** The secret before a rotation; null without a rotation, or when the overlap is over. */
  previousSecret: PreviousKey | null;
  /** Null for a webhook whose callouts are signed by the secret alone. */
  signingKey: StoredSigningKey | null;
  /** PEM; null: the public authorities. */
  caCertificate: string | null;
  /** Request headers and authentication (`StoredSecrets`), encrypted; null: no such data. */
  receiver: EncryptedSecret | null;
}

/** An encrypted secret as PostgreSQL returns the columns, which are null together. */
type Columns<Prefix extends string> = Record<`${Prefix}KeyId`, string | null> &
  Record<`${Prefix}Nonce` | `${Prefix}Ciphertext`, Buffer | null>;

interface TargetRow
  extends
    Omit<StoredTarget, 'secret' | 'previousSecret' | 'signingKey' | 'receiver'>,
    Columns<'previous'>,
    Columns<'receiver'>,
    Columns<'signing'>,
    Columns<'previousSigning'> {
  keyId: string;
  nonce: Buffer;
  ciphertext: Buffer;
  previousUntil: Date | null;
  signingId: string | null;
  previousSigningUntil: Date | null;
}

const read = statementFrom<TargetRow>('deliver/delivery_read_targets');

/**
 * Reads the current target of a webhook; also of a deleted webhook, whose last call may still be due. Null: the webhook
 * does not exist.
 */
export async function readTarget(client: Client, webhookKey: number): Promise<StoredTarget | null> {
  const [row] = await read(client, [[webhookKey]]);
  if (row === undefined) return null;
  const { keyId, nonce, ciphertext, previousKeyId, previousNonce, previousCiphertext, previousUntil } = row;
  return {
    webhookKey: row.webhookKey,
    webhookVersion: row.webhookVersion,
    tenantId: row.tenantId,
    webhookGuid: row.webhookGuid,
    webhookUrl: row.webhookUrl,
    deactivationUrl: row.deactivationUrl,
    mergesWhileWaiting: row.mergesWhileWaiting,
    signatureKind: row.signatureKind,
    secret: { keyId, nonce, ciphertext },
    previousSecret: previousOf(encryptedOf(previousKeyId, previousNonce, previousCiphertext), previousUntil),
    signingKey: signingKeyOf(row),
    caCertificate: row.caCertificate,
    receiver: encryptedOf(row.receiverKeyId, row.receiverNonce, row.receiverCiphertext),
  };
}

function signingKeyOf(row: TargetRow): StoredSigningKey | null {
  const current = encryptedOf(row.signingKeyId, row.signingNonce, row.signingCiphertext);
  if (row.signingId === null || current === null) return null;
  const { previousSigningKeyId, previousSigningNonce, previousSigningCiphertext, previousSigningUntil } = row;
  const encrypted = encryptedOf(previousSigningKeyId, previousSigningNonce, previousSigningCiphertext);
  return { id: row.signingId, current, previous: previousOf(encrypted, previousSigningUntil) };
}

function encryptedOf(keyId: string | null, nonce: Buffer | null, ciphertext: Buffer | null): EncryptedSecret | null {
  return keyId !== null && nonce !== null && ciphertext !== null ? { keyId, nonce, ciphertext } : null;
}

function previousOf(encrypted: EncryptedSecret | null, until: Date | null): PreviousKey | null {
  return encrypted !== null && until !== null ? { encrypted, until } : null;
}

/** A key that signs, decrypted, and the key before a rotation with the end of the overlap. */
interface OpenedKey<Key> {
  current: Key;
  /** Null without a rotation. */
  previous: { key: Key; untilMs: number } | null;
}

/** The keys that sign a webhook's callouts. */
interface OpenedKeys {
  hmac?: OpenedKey<PreparedSecret> | undefined;
  ed25519?: OpenedKey<KeyObject> | undefined;
}

/** Decrypts a private key of a tenant. */
type OpenPrivateKey = (encrypted: EncryptedSecret, aad: string) => KeyObject;

/** Decrypts each private key at each use. */
function privateKeysOf(keyRing: KeyRing): OpenPrivateKey {
  return (encrypted, aad) => openSigningKey(keyRing.decrypt(encrypted, aad));
}

/**
 * Decrypts the secrets and private keys that sign for a webhook.
 * @param openPrivateKey opens a private key, which webhooks of a tenant share.
 * @throws when the key ring lacks a key, or the tenant has no key pair.
 */
export function openTarget(
  { tenantId, webhookGuid, webhookKey, secret, previousSecret, signatureKind, signingKey }: StoredTarget,
  keyRing: KeyRing,
  openPrivateKey = privateKeysOf(keyRing),
): OpenedKeys {
  const hmac = () => {
    const aad = secretAad(tenantId, webhookGuid);
    return opened({ current: secret, previous: previousSecret }, (one) => prepareSecret(keyRing.decrypt(one, aad)));
  };
  if (!usesSigningKey(signatureKind)) return { hmac: hmac() };
  if (signingKey === null) throw new Error(`the tenant of webhook ${webhookKey} has no key pair that signs`);
  const aad = secretAad(tenantId, signingKey.id);
  return {
    hmac: usesSecret(signatureKind) ? hmac() : undefined,
    ed25519: opened(signingKey, (one) => openPrivateKey(one, aad)),
  };
}

function opened<Key>(
  { current, previous }: { current: EncryptedSecret; previous: PreviousKey | null },
  decrypt: (encrypted: EncryptedSecret) => Key,
): OpenedKey<Key> {
  const before = previous && { key: decrypt(previous.encrypted), untilMs: previous.until.getTime() };
  return { current: decrypt(current), previous: before };
}

/** The keys that sign at a moment, in milliseconds since 1970. */
export function keysAt({ hmac, ed25519 }: OpenedKeys, nowMs: number): SigningKeys {
  return { hmac: hmac && rotatedAt(hmac, nowMs), ed25519: ed25519 && rotatedAt(ed25519, nowMs) };
}

function rotatedAt<Key>({ current, previous }: OpenedKey<Key>, nowMs: number) {
  return previous !== null && nowMs < previous.untilMs ? { current, previous: previous.key } : { current };
}

/** Where the callouts of a webhook go, and the keys that sign now. */
export interface Target {
  webhookVersion: number;
  /** For callouts and tests. */
  url: string;
  /** For the call about the deactivation or deletion of the webhook. */
  deactivationUrl: string;
  /** Later changes are merged into callouts that are not tried yet. */
  mergesWhileWaiting: boolean;
  /** Includes the keys before a rotation only while the overlap lasts. */
  signingKeys: SigningKeys;
  /** What the calls carry beside the signature; absent: nothing, as for most webhooks. */
  credentials?: TargetCredentials | undefined;
}

/** What the calls of a webhook carry beside the signature. */
export interface TargetCredentials {
  owner: { webhookKey: number; tenantId: number; webhookGuid: string };
  credentials: CallCredentials;
  /** Whether the deactivation call carries the credentials, too: only to the scheme, host and port of the callouts. */
  isForDeactivation: boolean;
}

export interface TargetsDeps extends TenantCacheLimits {
  read: (webhookKey: number) => Promise<StoredTarget | null>;
  keyRing: KeyRing;
  /** Milliseconds since 1970: ends the overlap of a rotation, which may happen while the target is cached. */
  nowMs: () => number;
}

/** The target of a webhook at a version or later; null when the webhook does not exist. */
export type Targets = (webhookKey: number, webhookVersion: number) => Promise<Target | null>;

interface KeptTarget {
  /** With the present keys alone. */
  target: Target;
  opened: OpenedKeys;
  /** When the last key before a rotation stops signing; 0 without a rotation. */
  overlapEndsAtMs: number;
}

/** Private keys in memory, of the tenants with the latest calls. */
const maxPrivateKeys = 1_000;

/**
 * Reads targets once per configuration version. Concurrent requests for a target share a read.
 * Rejects when a stored secret cannot be decrypted because the key ring lacks the key.
 */
export function createTargets({ read, keyRing, nowMs, ...limits }: TargetsDeps): Targets {
  const kept = createTenantCache<KeptTarget>(limits);
  const reading = new Map<string, Promise<KeptTarget | null>>();
  const openPrivateKey = sharingPrivateKeys(keyRing);

  async function readOne(webhookKey: number): Promise<KeptTarget | null> {
    const stored = await read(webhookKey);
    if (!stored) return null;
    const opened = openStored(stored, keyRing, openPrivateKey);
    kept.set(webhookKey, stored.tenantId, opened);
    return opened;
  }

  async function find(webhookKey: number, webhookVersion: number): Promise<KeptTarget | null> {
    const cached = kept.get(webhookKey);
    if (cached && cached.target.webhookVersion >= webhookVersion) return cached;
    const name = `${webhookKey}/${webhookVersion}`;
    const underWay = reading.get(name) ?? readOne(webhookKey).finally(() => reading.delete(name));
    reading.set(name, underWay);
    return underWay;
  }

  return async (webhookKey, webhookVersion) => {
    const cached = await find(webhookKey, webhookVersion);
    if (!cached) return null;
    const { target, opened, overlapEndsAtMs } = cached;
    if (overlapEndsAtMs === 0) return target;
    const now = nowMs();
    return now < overlapEndsAtMs ? { ...target, signingKeys: keysAt(opened, now) } : target;
  };
}

/** Decrypts the private key of a tenant once for all webhooks of the tenant. */
function sharingPrivateKeys(keyRing: KeyRing): OpenPrivateKey {
  const kept = new LRUCache<string, KeyObject>({ max: maxPrivateKeys });
  const decrypt = privateKeysOf(keyRing);
  return (encrypted, aad) => {
    // A nonce is used once, so the nonce names the key that was encrypted with it.
    const name = `${aad} ${Buffer.from(encrypted.nonce).toString('base64')}`;
    const privateKey = kept.get(name) ?? decrypt(encrypted, aad);
    kept.set(name, privateKey);
    return privateKey;
  };
}

function openStored(stored: StoredTarget, keyRing: KeyRing, openPrivateKey: OpenPrivateKey): KeptTarget {
  const { webhookUrl, deactivationUrl, webhookVersion, mergesWhileWaiting } = stored;
  const opened = openTarget(stored, keyRing, openPrivateKey);
  const credentials = credentialsOfTarget(stored, keyRing);
  const target: Target = {
    webhookVersion,
    url: webhookUrl,
    deactivationUrl,
    mergesWhileWaiting,
    signingKeys: keysAt(opened, Infinity),
    credentials,
  };
  const ends = [opened.hmac?.previous?.untilMs, opened.ed25519?.previous?.untilMs];
  return { target, opened, overlapEndsAtMs: Math.max(0, ...ends.filter((end) => end !== undefined)) };
}

/** Decrypts what the calls of a webhook carry beside the signature; undefined: nothing. */
function credentialsOfTarget(stored: StoredTarget, keyRing: KeyRing): TargetCredentials | undefined {
  const { webhookKey, tenantId, webhookGuid, webhookUrl, deactivationUrl, receiver, caCertificate } = stored;
  if (receiver === null && caCertificate === null) return undefined;
  const text = receiver && keyRing.decrypt(receiver, secretAad(tenantId, webhookGuid));
  return {
    owner: { webhookKey, tenantId, webhookGuid },
    credentials: credentialsOf(text === null ? {} : (JSON.parse(text) as StoredSecrets), caCertificate),
    isForDeactivation: isSameOrigin(webhookUrl, deactivationUrl),
  };
}
