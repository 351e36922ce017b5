import { prepareSecret, secretAad, type KeyRing, type SecretKeys } from '@callout/core';
import type { StoredTarget } from '@callout/db';

/** Where a webhook's callouts go, and the key that signs them, ready for use. */
export interface Target {
  webhookVersion: number;
  url: string;
  secretKeys: SecretKeys;
}

export interface TargetsDeps {
  read: (webhookKeys: readonly number[]) => Promise<StoredTarget[]>;
  keyRing: KeyRing;
  /** Targets kept in memory at most. */
  maxKept: number;
}

/** The target of a webhook at this version or a later one; null when the webhook is gone. */
export type Targets = (webhookKey: number, webhookVersion: number) => Promise<Target | null>;

/**
 * Reads targets once per configuration version. Callouts that ask for the same one at the same time share a read.
 * Rejects when the stored secret cannot be opened: the key ring lacks its key.
 */
export function createTargets({ read, keyRing, maxKept }: TargetsDeps): Targets {
  const kept = new Map<number, Target>();
  const reading = new Map<string, Promise<Target | null>>();

  async function readOne(webhookKey: number): Promise<Target | null> {
    const [stored] = await read([webhookKey]);
    if (!stored) return null;
    const { tenantId, webhookGuid, webhookUrl, webhookVersion } = stored;
    const secret = keyRing.open(stored.secret, secretAad(tenantId, webhookGuid));
    const target = { webhookVersion, url: webhookUrl, secretKeys: { current: prepareSecret(secret) } };
    kept.delete(webhookKey);
    kept.set(webhookKey, target);
    for (const oldest of kept.keys()) {
      if (kept.size <= maxKept) break;
      kept.delete(oldest);
    }
    return target;
  }

  return async (webhookKey, webhookVersion) => {
    const target = kept.get(webhookKey);
    if (target && target.webhookVersion >= webhookVersion) return target;
    const name = `${webhookKey}/${webhookVersion}`;
    const underWay = reading.get(name) ?? readOne(webhookKey).finally(() => reading.delete(name));
    reading.set(name, underWay);
    return underWay;
  };
}
