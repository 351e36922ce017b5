import type { SecretKeys } from '@callout/core/deliver';
import type { KeyRing } from '@callout/core/secrets';
import { openTarget, type StoredTarget } from '@callout/db/claim';
import { LRUCache } from 'lru-cache';

/** Where a webhook's callouts go, and the keys that sign them, ready for use now. */
export interface Target {
  webhookVersion: number;
  /** For callouts and tests. */
  url: string;
  /** For the call that tells that the webhook went inactive or was deleted. */
  deactivationUrl: string;
  /** With the key before a rotation only while its overlap lasts. */
  secretKeys: SecretKeys;
}

export interface TargetsDeps {
  read: (webhookKeys: readonly number[]) => Promise<StoredTarget[]>;
  keyRing: KeyRing;
  /** Targets kept in memory at most. */
  maxKept: number;
  /** Milliseconds since 1970: ends the overlap of a rotation, which may happen while its target is kept. */
  nowMs: () => number;
}

/** The target of a webhook at this version or a later one; null when the webhook is gone. */
export type Targets = (webhookKey: number, webhookVersion: number) => Promise<Target | null>;

interface KeptTarget {
  target: Target;
  /** The same target while the key before a rotation signs too, and until when. */
  overlap: { target: Target; untilMs: number } | null;
}

/**
 * Reads targets once per configuration version. Callouts that ask for the same one at the same time share a read.
 * Rejects when a stored secret cannot be opened: the key ring lacks its key.
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
  const { webhookUrl, deactivationUrl, webhookVersion } = stored;
  const { current, overlap } = openTarget(stored, keyRing);
  const target: Target = { webhookVersion, url: webhookUrl, deactivationUrl, secretKeys: current };
  if (overlap === null) return { target, overlap };
  return { target, overlap: { target: { ...target, secretKeys: overlap.keys }, untilMs: overlap.untilMs } };
}
