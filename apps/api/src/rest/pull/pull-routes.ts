import { userAgent } from '@callout/domain/callout/user-agent';
import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { Problem } from '@callout/domain/problem';
import { unknownKeysOf } from '@callout/domain/input/unknown-names';
import { idOf } from '@callout/database/schema/ids';
import { extendLife, findPulledWebhook } from '@callout/pipeline/pull/pulled-webhooks';
import { nextToPull, readPullLeases } from '@callout/pipeline/pull/pull-leases';
import { movingAmong, type PullRules, type SettledPulls, settlePulls } from '@callout/pipeline/pull/settle-pulls';
import { scheduleOf } from '@callout/pipeline/settle/retry.rules';
import type { ApiContext } from '../../api-context.ts';
import { ok, warningsOf } from '../../http/api-response.ts';
import { tenantIsMoving } from '@callout/database/connection/transaction/served-tenant';
import { sharedLookup } from '../../http/auth/shared-lookup.ts';
import type { Call, Endpoint } from '../../http/route/endpoint.ts';
import type { AddRoute } from '../../http/route/route-table.ts';
import { refuseWhenStrict } from '../../http/route/strict.ts';
import { addressOf, webhookEndpoint } from '../webhooks/webhook-endpoint.ts';
import { createClaimTurns } from './claim-turns.ts';
import { knownAckKeys, knownPullKeys, parseAck, parsePull } from './pull-body.ts';
import { ackOperation, pullOperation, type PullAcknowledgementResults } from './pull-schemas.ts';
import { pull, type PullDeps } from './pull.ts';

/** Fetching the callouts of a webhook in place of receiving them: `POST /CompanyWebhooks/3/Pull`, `…/Pull/ack`. */
export function addPullRoutes(add: AddRoute, api: ApiContext): void {
  const deps = pullDepsOf(api);
  for (const entity of api.catalogue.watched) {
    const path = `/${entity.webhookCollection}/:id/Pull`;
    add(path, { POST: fetchCallouts(api, deps, entity) });
    add(`${path}/ack`, { POST: acknowledge(api, entity) });
  }
}

function fetchCallouts(api: ApiContext, deps: PullDeps, entity: EntityDefinition): Endpoint {
  const { entityType } = entity;
  return {
    mayWait: true,
    ...webhookEndpoint(api, entity, 'write', pullOperation, async (call) => {
      const { max, waitSeconds, leaseSeconds, expireSeconds } = parsePull(call.body);
      const unknownNames = unknownKeysOf(call.body, knownPullKeys);
      refuseWhenStrict(call, unknownNames);
      const { tenantId } = call.caller;
      const webhook = await webhookOf(api, entity, call);
      if (!webhook.isPulled && !webhook.isDeactivationPulled) {
        throw Problem.conflict(
          'The callouts of this webhook are sent to its webhookUrl: set it to pull: to fetch them instead',
          'webhookUrl',
        );
      }
      if (!webhook.isActive && !webhook.isDeactivationPulled) {
        throw Problem.conflict('The webhook is not active: activate it first');
      }
      // While the request waits, the callouts are being fetched: the time counts from the end of the wait.
      if (expireSeconds !== null) {
        await extendLife(deps.pool, webhook.webhookKey, (waitSeconds + expireSeconds) * 1_000);
      }
      const { gone, isStillAllowed } = call;
      const { webhookKey } = webhook;
      const times = { leaseMs: leaseSeconds * 1_000, waitMs: waitSeconds * 1_000 };
      const items = await pull(deps, { tenantId, entityType, webhookKey, max, ...times, gone, isStillAllowed });
      return ok({ items, ...warningsOf(unknownNames) });
    }),
  };
}

function pullDepsOf({
  config,
  database: { pool },
  keyRing,
  log,
  tracing,
  pulls,
  unsentResponses,
}: ApiContext): PullDeps {
  return {
    pool,
    keyRing,
    userAgent,
    threshold: config.CALLOUT_THRESHOLD,
    tracing,
    log,
    waiters: pulls,
    turns: createClaimTurns(),
    admit: (tenantId) => unsentResponses.admit(tenantId),
    look: sharedLookup((webhookKeys) => nextToPull(pool, webhookKeys)),
    nowMs: () => performance.now(),
  };
}

function acknowledge(api: ApiContext, entity: EntityDefinition): Endpoint {
  const { config, onPullsSettled, pulls } = api;
  const { pool } = api.database;
  const rules: PullRules = {
    schedule: scheduleOf(config.RETRY_SCHEDULE),
    userAgent,
    deactivateAfter: config.DEACTIVATE_AFTER_FAILURES,
    // A fetched callout waits as the program has requested, also after failing for long.
    failingAfterMs: Infinity,
    random: Math.random,
  };
  return webhookEndpoint(api, entity, 'write', ackOperation, async (call) => {
    const acks = parseAck(call.body);
    const unknownNames = unknownKeysOf(call.body, knownAckKeys);
    refuseWhenStrict(call, unknownNames);
    const { webhookKey } = await webhookOf(api, entity, call);
    const ids = [...acks.keys()].flatMap((one) => idOf(one) ?? []);
    const leases = await readPullLeases(pool, webhookKey, ids);
    const results = leases.flatMap((lease) => {
      const ack = acks.get(lease.id);
      return ack === undefined ? [] : [{ lease, result: ack }];
    });
    const settled = await settlePulls(pool, results, rules);
    // An acknowledgement without effect has to be repeated, in the new zone.
    const isUnknown = ids.some((id) => !settled.outcomes.has(id));
    if (isUnknown && (await movingAmong(pool, [webhookKey])).size > 0) throw tenantIsMoving();
    if (settled.settlements.length > 0) {
      pulls.ring([webhookKey]);
      onPullsSettled?.(settled);
    }
    const waits = waitsOf(settled);
    const calloutOf = new Map(leases.map(({ id, calloutId }) => [id, calloutId]));
    const items: PullAcknowledgementResults['items'] = [...acks.keys()].map((ackID) => ({
      ackID,
      status: settled.outcomes.get(ackID) ?? 'unknown',
      retryAfterSeconds: waits.get(calloutOf.get(ackID)) ?? null,
    }));
    return ok({ items, ...warningsOf(unknownNames) });
  });
}

/** The seconds until the next attempt, by the callout. */
function waitsOf({ settlements }: SettledPulls): Map<string | undefined, number> {
  return new Map(
    settlements.flatMap(({ callout, next }) =>
      next.kind === 'retry' ? [[callout.id, Math.ceil(next.waitMs / 1_000)] as const] : [],
    ),
  );
}

async function webhookOf({ database: { pool } }: ApiContext, entity: EntityDefinition, call: Call) {
  const webhook = await findPulledWebhook(pool, addressOf(entity, call));
  if (webhook === undefined) throw Problem.notFound();
  return webhook;
}
