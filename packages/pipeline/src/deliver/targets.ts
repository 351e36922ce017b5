import type { KeyObject } from 'node:crypto';
import type { SigningKeys } from './sign.rules.ts';
import type { KeyRing } from '@callout/domain/secrets/keyring';
import { isSameOrigin } from '@callout/domain/receiver/receiver-settings';
import {
  keysAt,
  openCredentials,
  openTarget,
  privateKeysOf,
  type OpenedKeys,
  type OpenPrivateKey,
  type StoredTarget,
} from './claim/targets.ts';
import type { CallCredentials } from './receiver/call-credentials.rules.ts';
import { LRUCache } from 'lru-cache';

/** Where a webhook's callouts go, and the keys that sign them now. */
export interface Target {
  webhookVersion: number;
  /** For callouts and tests. */
  url: string;
  /** For the call about the deactivation or deletion of the webhook. */
  deactivationUrl: string;
  /** Until they are tried, later changes are merged into its callouts. */
  mergesWhileWaiting: boolean;
  /** Includes the keys before a rotation only while their overlap lasts. */
  signingKeys: SigningKeys;
  /** What its calls carry beside the signature; absent: nothing, as for most. */
  credentials?: TargetCredentials | undefined;
}

/** What the calls of a webhook carry beside the signature. */
export interface TargetCredentials {
  owner: { webhookKey: number; tenantId: number; webhookGuid: string };
  credentials: CallCredentials;
  /** Whether its deactivation call carries the same: only to the same scheme, host and port. */
  isForDeactivation: boolean;
}

export interface TargetsDeps {
  read: (webhookKeys: readonly number[]) => Promise<StoredTarget[]>;
  keyRing: KeyRing;
  /** Maximum number of targets in memory. */
  maxKept: number;
  /** Milliseconds since 1970: ends the overlap of a rotation, which may happen while its target is cached. */
  nowMs: () => number;
}

/** The target of a webhook at this version or a later one; null when the webhook does not exist. */
export type Targets = (webhookKey: number, webhookVersion: number) => Promise<Target | null>;

interface KeptTarget {
  /** With the present keys alone. */
  target: Target;
  opened: OpenedKeys;
  /** When the last key before a rotation stops signing; 0 without one. */
  overlapEndsAtMs: number;
}

/** Private keys in memory: those of the tenants with the latest calls. */
const maxPrivateKeys = 1_000;

/**
 * Reads targets once per configuration version. Concurrent requests for the same target share a read.
 * Rejects when a stored secret cannot be decrypted because the key ring lacks its key.
 */
export function createTargets({ read, keyRing, maxKept, nowMs }: TargetsDeps): Targets {
  const kept = new LRUCache<number, KeptTarget>({ max: maxKept });
  const reading = new Map<string, Promise<KeptTarget | null>>();
  const openPrivateKey = sharingPrivateKeys(keyRing);

  async function readOne(webhookKey: number): Promise<KeptTarget | null> {
    const [stored] = await read([webhookKey]);
    if (!stored) return null;
    const opened = open(stored, keyRing, openPrivateKey);
    kept.set(webhookKey, opened);
    return opened;
  }

  async function find(webhookKey: number, webhookVersion: number): Promise<KeptTarget | null> {
    const found = kept.get(webhookKey);
    if (found && found.target.webhookVersion >= webhookVersion) return found;
    const name = `${webhookKey}/${webhookVersion}`;
    const underWay = reading.get(name) ?? readOne(webhookKey).finally(() => reading.delete(name));
    reading.set(name, underWay);
    return underWay;
  }

  return async (webhookKey, webhookVersion) => {
    const found = await find(webhookKey, webhookVersion);
    if (!found) return null;
    const { target, opened, overlapEndsAtMs } = found;
    if (overlapEndsAtMs === 0) return target;
    const now = nowMs();
    return now < overlapEndsAtMs ? { ...target, signingKeys: keysAt(opened, now) } : target;
  };
}

/** Opens the private key of a tenant once for all of its webhooks. */
function sharingPrivateKeys(keyRing: KeyRing): OpenPrivateKey {
  const kept = new LRUCache<string, KeyObject>({ max: maxPrivateKeys });
  const open = privateKeysOf(keyRing);
  return (encrypted, aad) => {
    // A nonce is used once, so it names what it encrypted.
    const name = `${aad} ${Buffer.from(encrypted.nonce).toString('base64')}`;
    const found = kept.get(name) ?? open(encrypted, aad);
    kept.set(name, found);
    return found;
  };
}

function open(stored: StoredTarget, keyRing: KeyRing, openPrivateKey: OpenPrivateKey): KeptTarget {
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

function credentialsOfTarget(stored: StoredTarget, keyRing: KeyRing): TargetCredentials | undefined {
  const credentials = openCredentials(stored, keyRing);
  if (credentials === undefined) return undefined;
  const { webhookKey, tenantId, webhookGuid, webhookUrl, deactivationUrl } = stored;
  const isForDeactivation = isSameOrigin(webhookUrl, deactivationUrl);
  return { owner: { webhookKey, tenantId, webhookGuid }, credentials, isForDeactivation };
}
