import type { Client } from '@callout/database/connection/database';
import { statementFrom } from '@callout/database/connection/statement/statement';
import type { LeasedCallout } from '../claim.ts';

const renew = statementFrom<{ id: string }>('deliver/delivery_renew');

/**
 * Extends the leases of callouts, from now on.
 * @returns the ids of the callouts whose lease was extended; a row that is locked at the moment is left out as well.
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

/** A lease has three rounds of renewal, so that a round may fail. */
const roundsPerLease = 3;

/**
 * Renews the leases of the calls under way, all of a process by a single statement, so that a lease can be shorter than a
 * call: callouts of a worker that died or is frozen are soon sent by another. A call that ends within a third of the
 * lease, as nearly all do, is never renewed.
 */
export class LeaseRenewal {
  readonly #deps: LeaseRenewalDeps;
  /** When the lease of each callout ends. */
  readonly #endsAtMs = new Map<LeasedCallout, number>();
  readonly #timer: NodeJS.Timeout;
  #underWay: Promise<void> | null = null;

  constructor(deps: LeaseRenewalDeps) {
    this.#deps = deps;
    this.#timer = setInterval(() => {
      this.#underWay ??= this.#round()
        .catch(deps.onError)
        .finally(() => (this.#underWay = null));
    }, deps.leaseMs / roundsPerLease).unref();
  }

  /** Renews the lease of a callout until `end`. */
  begin(callout: LeasedCallout): void {
    this.#endsAtMs.set(callout, callout.leaseEndsAtMs);
  }

  end(callout: LeasedCallout): void {
    this.#endsAtMs.delete(callout);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#underWay;
  }

  async #round(): Promise<void> {
    const { leaseMs, nowMs } = this.#deps;
    const startedAtMs = nowMs();
    const most = (leaseMs * (roundsPerLease - 1)) / roundsPerLease;
    const old = [...this.#endsAtMs].flatMap(([callout, endsAtMs]) => (endsAtMs - startedAtMs <= most ? [callout] : []));
    if (old.length === 0) return;
    const renewedIds = new Set(await this.#deps.renew(old));
    for (const callout of old) {
      const isRenewed = renewedIds.has(callout.id) && this.#endsAtMs.has(callout);
      if (isRenewed) this.#endsAtMs.set(callout, startedAtMs + leaseMs);
    }
  }
}
