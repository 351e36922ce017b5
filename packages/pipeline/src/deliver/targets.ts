import type { SecretKeys } from './sign.rules.ts';
import type { KeyRing } from '@callout/domain/secrets/keyring';
import { isSameOrigin } from '@callout/domain/receiver/receiver-settings';
import { openCredentials, openTarget, type StoredTarget } from './claim/targets.ts';
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
  /** Includes the key before a rotation only while its overlap lasts. */
  secretKeys: SecretKeys;
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
  target: Target;
  /** The target while the key before a rotation also signs, and until when. */
  overlap: { target: Target; untilMs: number } | null;
}

/**
 * Reads targets once per configuration version. Concurrent requests for the same target share a read.
 * Rejects when a stored secret cannot be decrypted because the key ring lacks its key.
 */
export function createTargets({ read, keyRing, maxKept, nowMs }: TargetsDeps): Targets {
  const kept = new LRUCache<number, KeptTarget>({ max: maxKept });
  const reading = new Map<string, Promise<KeptTarget | null>>();

  async function readOne(webhookKey: number): Promise<KeptTarget | null> {
    const [stored] = await read([webhookKey]);
    if (!stored) return null;
    const opened = open(stored, keyRing);
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
    return found.overlap !== null && nowMs() < found.overlap.untilMs ? found.overlap.target : found.target;
  };
}

function open(stored: StoredTarget, keyRing: KeyRing): KeptTarget {
  const { webhookUrl, deactivationUrl, webhookVersion, mergesWhileWaiting } = stored;
  const { current, overlap } = openTarget(stored, keyRing);
  const credentials = credentialsOfTarget(stored, keyRing);
  const target: Target = {
    webhookVersion,
    url: webhookUrl,
    deactivationUrl,
    mergesWhileWaiting,
    secretKeys: current,
    credentials,
  };
  if (overlap === null) return { target, overlap };
  return { target, overlap: { target: { ...target, secretKeys: overlap.keys }, untilMs: overlap.untilMs } };
}

function credentialsOfTarget(stored: StoredTarget, keyRing: KeyRing): TargetCredentials | undefined {
  const credentials = openCredentials(stored, keyRing);
  if (credentials === undefined) return undefined;
  const { webhookKey, tenantId, webhookGuid, webhookUrl, deactivationUrl } = stored;
  const isForDeactivation = isSameOrigin(webhookUrl, deactivationUrl);
  return { owner: { webhookKey, tenantId, webhookGuid }, credentials, isForDeactivation };
}
