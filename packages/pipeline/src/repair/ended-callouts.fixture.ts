import type { Database } from '@callout/database/connection/database';
import { claimDueCallouts } from '../deliver/claim.ts';
import type { ClaimedCallout } from '@callout/domain/callout/claimed';
import { settleAttempts } from '../settle/settle.ts';
import type { Settlement } from '../settle/settlement.rules.ts';
import { claimRules, insertCallout, settlementOf, settleRules } from '../fixtures/callouts.ts';
import { insertTenant, insertWebhook } from '@callout/database/fixtures/tenant';
import { missedCalloutStates, type CalloutRange } from '@callout/domain/callout/callout-filter';
import { useDatabase, type CreateDatabase } from '@callout/database/fixtures/own-database';
import type { WebhookAddress } from '@callout/database/locked-webhook';
import type { RepairDeps, CalloutAddress } from './repairs.ts';

/** A range of all callouts. */
export const anyCallout: CalloutRange = {
  since: null,
  until: null,
  states: null,
  fromSequence: null,
  toSequence: null,
};

/** A range of the callouts that a receiver did not get. */
export const missed: CalloutRange = { ...anyCallout, states: missedCalloutStates };

/** A callout as tests read it. */
export interface SeenCallout {
  id: string;
  recordId: number;
  sequenceNumber: number;
  /** The state of its row of work, or its final state. */
  state: string;
  isLeased: boolean;
  attemptsMade: number | null;
  attemptsBefore: number | null;
  isRedelivery: boolean | null;
  isFinished: boolean;
  /** Milliseconds until it may be sent; negative when it is past. */
  dueInMs: number | null;
  leaseInMs: number | null;
}

export interface RepairSetup {
  readonly database: Database;
  readonly deps: RepairDeps;
  /** The keys of enqueued webhooks. */
  readonly enqueued: number[];
  /** A tenant with one webhook on companies. */
  makeWebhook(): Promise<Target>;
}

/** A webhook, and operations on its callouts. */
export interface Target {
  readonly tenantId: number;
  readonly key: number;
  readonly address: WebhookAddress;
  callout(calloutId: string): CalloutAddress;
  /** Stores callouts as match does, one of each record; returns their ids. */
  make(...recordIds: number[]): Promise<string[]>;
  claim(slots?: number): Promise<ClaimedCallout[]>;
  settle(claimed: readonly ClaimedCallout[], next: Settlement['next']): Promise<void>;
  /** Sends due callouts until none is left; returns the numbers in the order of sending. */
  deliverAll(next: Settlement['next']): Promise<number[]>;
  /** In order of record and number. */
  look(): Promise<SeenCallout[]>;
  /** `record/number state`, such as `7/1 due`, of the open ones. */
  open(): Promise<string[]>;
}

/** For the tests of a file, over their own database. Call it before hooks that need it. */
export function useRepairs(createDatabase: CreateDatabase): RepairSetup {
  const database = useDatabase(createDatabase);
  const enqueued: number[] = [];
  const enqueueDeliver = (keys: number[]) => void enqueued.push(...keys);
  return {
    database,
    deps: { database, enqueueDeliver },
    enqueued,
    async makeWebhook() {
      const tenantId = await insertTenant(database.pool);
      await database.prisma.resource.create({ data: { tenantId, id: 1, email: 'owner@example.com' } });
      return targetOf(database, tenantId, await insertWebhook(database.pool, tenantId, 1));
    },
  };
}

function targetOf({ pool }: Database, tenantId: number, key: number): Target {
  const address = { tenantId, entityType: 'Account', id: 1 };
  const claim = (slots = 100) => claimDueCallouts(pool, [{ webhookKey: key, slots }], claimRules);
  async function settle(claimed: readonly ClaimedCallout[], next: Settlement['next']): Promise<void> {
    const rules = { ...settleRules, deactivateAfter: 0 };
    // A receiver that rejects a callout is not down, so the webhook is not paused.
    await settleAttempts(
      pool,
      claimed.map((callout) => settlementOf(callout, next)),
      rules,
    );
  }
  return {
    tenantId,
    key,
    address,
    callout: (calloutId) => ({ webhook: address, calloutId }),
    async make(...recordIds) {
      const ids: string[] = [];
      for (const recordId of recordIds) ids.push(await insertCallout(pool, { tenantId, webhookKey: key, recordId }));
      return ids;
    },
    claim,
    settle,
    async deliverAll(next) {
      const sent: number[] = [];
      for (;;) {
        const claimed = await claim();
        if (claimed.length === 0) return sent;
        sent.push(...claimed.map(({ sequenceNumber }) => sequenceNumber));
        await settle(claimed, next);
      }
    },
    async look() {
      const { rows } = await pool.query<SeenCallout>(
        `SELECT c.id, c.record_id AS "recordId", c.sequence_number AS "sequenceNumber", coalesce(o.state, c.state) AS state,
           coalesce(o.lease_until > now(), false) AS "isLeased", o.attempts_made AS "attemptsMade",
           o.attempts_before AS "attemptsBefore", o.is_redelivery AS "isRedelivery",
           c.finished_at IS NOT NULL AS "isFinished",
           (extract(epoch FROM o.due_at - now()) * 1000)::float AS "dueInMs",
           (extract(epoch FROM o.lease_until - now()) * 1000)::float AS "leaseInMs"
         FROM callouts c LEFT JOIN open_callouts o ON o.callout_id = c.id
         WHERE c.webhook_key = $1 ORDER BY c.record_id, c.sequence_number`,
        [key],
      );
      return rows;
    },
    async open() {
      const seen = await this.look();
      return seen
        .filter(({ attemptsMade }) => attemptsMade !== null)
        .map(({ recordId, sequenceNumber, state }) => `${recordId}/${sequenceNumber} ${state}`);
    },
  };
}
