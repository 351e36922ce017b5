import { type CreateDatabase, useDatabase } from '@callout/database/fixtures/own-database';
import { anEvent, insertTenant, insertWebhook, values } from '@callout/database/fixtures/tenant';
import type { Action } from '@callout/domain/event';
import type { FieldValue } from '@callout/domain/values/values';
import type { ClaimedCallout } from '@callout/domain/callout/claimed';
import { claimDueCallouts } from '../../deliver/claim.ts';
import { claimRules, settlementOf, settleRules } from '../../fixtures/callouts.ts';
import { createIngestCommit } from '../../ingest/ingest.ts';
import { matchDeps } from '../match-deps.fixture.ts';
import { matchEvents, type MatchDeps } from '../match.ts';
import { readBodies, fixBodies } from '../../payload/callout-bodies.ts';
import { settleAttempts } from '../../settle/settle.ts';
import type { Settlement } from '../../settle/settlement.rules.ts';

/** The catalogue's number of a company's city. */
const city = 11;

/** A callout with its body, as tests read it. */
export interface SeenCallout {
  id: string;
  number: number;
  state: string;
  action: string;
  /** The number of the callout that carries it. */
  into: number | null;
  body: Record<string, unknown>;
}

/** For the tests of a file, over their own database. */
export function useMerging(createDatabase: CreateDatabase) {
  const database = useDatabase(createDatabase);
  const rules = { ...settleRules, deactivateAfter: 0 };
  let deps: Promise<MatchDeps> | undefined;

  return {
    database,
    /** A webhook on companies that merges: `companyName` is shown always, `city` when it has changed. */
    async makeWebhook(change: Partial<MatchDeps> = {}) {
      const { pool } = database;
      const tenantId = await insertTenant(pool);
      const key = await insertWebhook(pool, tenantId, 1);
      await pool.query('UPDATE webhooks SET merge_while_waiting = true WHERE key = $1', [key]);
      await pool.query("INSERT INTO webhook_fields VALUES ($1, 'Account', 2, $2, $3, true, false)", [
        tenantId,
        key,
        city,
      ]);
      const commit = createIngestCommit(pool);
      const claim = (slots = 100) => claimDueCallouts(pool, [{ webhookKey: key, slots }], claimRules);
      const settle = (claimed: readonly ClaimedCallout[], next: Settlement['next'], more: Partial<Settlement> = {}) =>
        settleAttempts(
          pool,
          claimed.map((callout) => settlementOf(callout, next, more)),
          rules,
        );
      const store = async (action: Action, fields: Record<string, FieldValue>, recordId = 1): Promise<string[]> => {
        const event = anEvent({ action, recordId, fields: values(fields), personId: 1 });
        return (await commit([{ tenantId, events: [event] }])).eventIds;
      };
      const match = async (ids: string[]) => {
        deps ??= matchDeps(database, (error) => {
          throw error;
        });
        return matchEvents({ ...(await deps), ...change }, ids);
      };
      return {
        tenantId,
        key,
        address: { tenantId, entityType: 'Account', id: 1 },
        /** Accepts an event, and leaves it pending. */
        store,
        match,
        /** Accepts and matches an event. */
        change: async (action: Action, fields: Record<string, FieldValue>, recordId = 1) =>
          match(await store(action, fields, recordId)),
        claim,
        /** What is sent of claimed callouts: their bytes are final from then on. */
        fix: async (claimed: readonly ClaimedCallout[]): Promise<ClaimedCallout[]> =>
          (await fixBodies(pool, claimed)).filter((one) => one !== null),
        settle,
        /** Claims, sends and settles until nothing is due. Returns the bodies in order. */
        async deliverAll(next: Settlement['next']): Promise<Record<string, unknown>[]> {
          const sent: Record<string, unknown>[] = [];
          for (;;) {
            const claimed = (await fixBodies(pool, await claim())).filter((one) => one !== null);
            if (claimed.length === 0) return sent;
            sent.push(...claimed.map(({ body }) => JSON.parse(body) as Record<string, unknown>));
            await settle(claimed, next);
          }
        },
        /** All of its callouts, in order of their numbers. */
        async look(): Promise<SeenCallout[]> {
          const { rows } = await pool.query<Omit<SeenCallout, 'body'>>(
            `SELECT c.id, c.sequence_number AS number, coalesce(o.state, c.state) AS state, c.action,
               (SELECT sequence_number FROM callouts i WHERE i.id = c.merged_into) AS into
             FROM callouts c LEFT JOIN open_callouts o ON o.callout_id = c.id
             WHERE c.webhook_key = $1 ORDER BY c.sequence_number`,
            [key],
          );
          const bodies = await readBodies(
            pool,
            rows.map(({ id }) => id),
          );
          return rows.map((row) => ({
            ...row,
            body: JSON.parse(bodies.get(row.id) ?? 'null') as Record<string, unknown>,
          }));
        },
        /** `number state action`, and the number of the callout that carries it. */
        async lines(): Promise<string[]> {
          return (await this.look()).map(
            ({ number, state, action, into }) => `${number} ${state} ${action}${into === null ? '' : ` → ${into}`}`,
          );
        },
      };
    },
  };
}
