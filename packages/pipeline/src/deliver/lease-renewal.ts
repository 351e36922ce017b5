import type { Client } from '@callout/database/connection/database';
import { statementFrom } from '@callout/database/connection/statement/statement';
import type { LeasedCallout } from './claim.ts';

const renew = statementFrom<{ id: string }>('deliver/delivery_renew');

/**
 * Extends the leases of callouts, from now on.
 * @returns the ids of those that are still held; a row that is locked at this moment is left out as well.
 */
export async function renewLeases(
  client: Client,
  callouts: readonly Pick<LeasedCallout, 'id' | 'leaseOwner'>[],
  leaseMs: number,
): Promise<string[]> {
  const values = [callouts.map(({ id }) => id), callouts.map(({ leaseOwner }) => leaseOwner), leaseMs];
  return (await renew(client, values)).map(({ id }) => id);
}

export interface LeaseRenewalDeps {
  readonly renew: (callouts: readonly LeasedCallout[]) => Promise<readonly string[]>;
  readonly leaseMs: number;
  /** A monotonic clock in milliseconds, by which leases are measured. */
  readonly nowMs: () => number;
  readonly onError: (error: unknown) => void;
}

/** A lease has three rounds of renewal: one may fail. */
const roundsPerLease = 3;

/**
 * Renews the leases of the calls under way, all of a process by one statement, so that a lease can be shorter than a call:
 * what a worker held that died or is frozen is soon sent by another. A call that ends within a third of its lease, as
 * nearly all do, is never renewed.
 */
export function createLeaseRenewal({ renew: renewAll, leaseMs, nowMs, onError }: LeaseRenewalDeps) {
  /** When the lease of each ends. */
  const held = new Map<LeasedCallout, number>();
  let underWay: Promise<void> | null = null;

  async function round(): Promise<void> {
    const startedAtMs = nowMs();
    const most = (leaseMs * (roundsPerLease - 1)) / roundsPerLease;
    const old = [...held].flatMap(([callout, endsAtMs]) => (endsAtMs - startedAtMs <= most ? [callout] : []));
    if (old.length === 0) return;
    const renewed = new Set(await renewAll(old));
    for (const callout of old) {
      if (renewed.has(callout.id) && held.has(callout)) held.set(callout, startedAtMs + leaseMs);
    }
  }

  const timer = setInterval(() => {
    underWay ??= round()
      .catch(onError)
      .finally(() => (underWay = null));
  }, leaseMs / roundsPerLease).unref();

  return {
    /** Renews the lease of a callout until the returned function is called. */
    hold(callout: LeasedCallout): () => void {
      held.set(callout, callout.leaseEndsAtMs);
      return () => void held.delete(callout);
    },
    async stop(): Promise<void> {
      clearInterval(timer);
      await underWay;
    },
  };
}
