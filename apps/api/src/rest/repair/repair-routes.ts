import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { cancelOne, cancelRange } from '@callout/pipeline/repair/cancel-callouts';
import { redeliverOne, redeliverRange } from '@callout/pipeline/repair/redeliver';
import { replayMissed } from '@callout/pipeline/repair/replay';
import { retryOneNow, retryRangeNow } from '@callout/pipeline/repair/retry-now';
import { unknownKeysOf } from '@callout/domain/input/unknown-names';
import { knownRotationKeys, parseSecretRotation } from '@callout/webhooks/input/secret-rotation';
import {
  type CalloutRange,
  type CalloutState,
  missedCalloutStates,
  openCalloutStates,
} from '@callout/domain/callout/callout-filter';
import type { CalloutAddress } from '@callout/pipeline/repair/repairs';
import { weakSecret } from '@callout/domain/secrets/weak-secret';
import { rotateSecret } from '@callout/webhooks/rotate-secret';
import type { WebhookAddress } from '@callout/database/locked-webhook';
import { createWithPermit, type WithPermit } from '@callout/runtime/concurrency/permits';
import { actorOf } from '../../http/auth/caller.ts';
import type { ApiContext } from '../../api-context.ts';
import { calloutRangeOfBody, type GivenRange, rangeItem } from './callout-range.ts';
import { queuedItem, redeliverOfTenant } from './redeliver-all.ts';
import { itemId, ok, warningsOf } from '../../http/api-response.ts';
import { versionedWrite } from '../../http/conditional/preconditions.ts';
import type { Endpoint } from '../../http/route/endpoint.ts';
import { refuseWhenStrict } from '../../http/route/strict.ts';
import { rights } from '../../http/auth/rights.ts';
import { ownWebhook } from '../../http/auth/portal-guard.ts';
import { operationOf, type OperationTemplate } from '../../http/operation/operation-schema.ts';
import type { AddRoute } from '../../http/route/route-table.ts';
import { createRate } from '../../http/limits/rate.ts';
import { problemOf } from '../../http/limits/tenant-budget.ts';
import { addressOf, webhookEndpoint } from '../webhooks/webhook-endpoint.ts';
import { webhookTag } from '../webhooks/webhook-item.ts';
import { describedWebhooks } from '../webhooks/webhook-operations.ts';
import {
  cancelMany,
  cancelOneOperation,
  redeliverMany,
  redeliverOneOperation,
  retryManyNow,
  retryOneNowOperation,
  rotateSecretOperation,
} from './repair-operations.ts';
import { createTestPlaces } from './test-places.ts';
import { sendTest } from './test-route.ts';

const REDELIVERY_WINDOW_S = 3_600;
/** A request a minute is more than repairs need, and each may send a million callouts. */
const REDELIVERIES_PER_HOUR = 60;
const limits = { total: 3, perKey: 1, maxWaiting: 30, maxWaitingPerKey: 5, maxWaitMs: 15_000 };
const refusals = {
  unavailable: 'Too many callouts are being redelivered, retried or cancelled: try again later',
  tooManyRequests: 'Callouts are being redelivered, retried or cancelled: wait for that to end',
  retryAfterS: 15,
};

/** Repairs of a webhook's deliveries, like `POST /CompanyWebhooks/3/redeliver`. */
export function addRepairRoutes(add: AddRoute, api: ApiContext): void {
  const redeliveries = createRate(
    api.makeCounter('redeliveries', REDELIVERY_WINDOW_S),
    (most, endsInS) =>
      `The redelivery limit of this tenant, ${most} ranges per hour, is used up. Try again in ${endsInS} s, or name more callouts at once.`,
  );
  /** Throws a Problem (429) when the hour of the tenant is used up. */
  const limitRedeliveries = (tenantId: number) => redeliveries(tenantId, REDELIVERIES_PER_HOUR);
  // Many callouts take seconds, with a connection in use and repeated locks of the webhook.
  const withPermit = createWithPermit<number>(limits, (refusal) => problemOf(refusals, refusal));
  add('/Callouts/redeliver', { POST: redeliverOfTenant(api, { withPermit, limitRedeliveries }) });
  const testPlaces = createTestPlaces();
  for (const entity of api.catalogue.watched) {
    const path = `/${entity.webhookCollection}/:id`;
    const redeliverRanges = many(
      api,
      entity,
      withPermit,
      missedCalloutStates,
      redeliverMany,
      async (webhook, filter, { isDryRun, withInactive = false }) => {
        if (!isDryRun) await limitRedeliveries(webhook.tenantId);
        const redelivery = await redeliverRange(api, webhook, filter, { isDryRun });
        // Reopened callouts have lower numbers, and go first.
        const replayed = withInactive ? await replayMissed(api, webhook, filter, { isDryRun }) : undefined;
        return { ...queuedItem(redelivery, isDryRun, replayed), filter: rangeItem(filter) };
      },
    );
    const retryAllNow = many(api, entity, withPermit, ['due'], retryManyNow, async (webhook, filter) => {
      await limitRedeliveries(webhook.tenantId);
      return { ...(await retryRangeNow(api, webhook, filter)), filter: rangeItem(filter) };
    });
    const cancelAll = many(api, entity, withPermit, openCalloutStates, cancelMany, async (webhook, filter) => ({
      cancelled: await cancelRange(api, webhook, filter),
      filter: rangeItem(filter),
    }));
    add(`${path}/redeliver`, { POST: redeliverRanges });
    add(`${path}/retryNow`, { POST: retryAllNow });
    add(`${path}/cancel`, { POST: cancelAll });
    const redeliver = one(api, entity, redeliverOneOperation, async (callout) =>
      queuedItem(await redeliverOne(api, callout), false),
    );
    const retryNow = one(api, entity, retryOneNowOperation, (callout) => retryOneNow(api, callout));
    const cancel = one(api, entity, cancelOneOperation, async (callout) => ({
      cancelled: await cancelOne(api, callout),
    }));
    add(`${path}/Callouts/:calloutID/redeliver`, { POST: redeliver });
    add(`${path}/Callouts/:calloutID/retryNow`, { POST: retryNow });
    add(`${path}/Callouts/:calloutID/cancel`, { POST: cancel });
    add(`${path}/rotateSecret`, { POST: rotate(api, entity) });
    add(`${path}/test`, { POST: sendTest(api, entity, testPlaces) });
  }
}

/**
 * Repairs many callouts of a webhook, with a permit of the tenant. `states` is the default. The response repeats the
 * filter, and names unknown keys.
 */
function many(
  api: ApiContext,
  entity: EntityDefinition,
  withPermit: WithPermit<number>,
  states: readonly CalloutState[],
  template: OperationTemplate,
  repair: (webhook: WebhookAddress, range: CalloutRange, bodyRange: GivenRange) => Promise<object>,
): Endpoint {
  const endpoint = webhookEndpoint(api, entity, 'write', template, async (call) => {
    const webhook = addressOf(entity, call);
    const bodyRange = calloutRangeOfBody(call.body, {
      mayBeEmpty: template === retryManyNow,
      isOfOpen: template !== redeliverMany,
    });
    const { range, unknownNames } = bodyRange;
    const filter = { ...range, states: range.states ?? states };
    refuseWhenStrict(call, unknownNames);
    return withPermit(webhook.tenantId, async () =>
      ok({ ...(await repair(webhook, filter, bodyRange)), ...warningsOf(unknownNames) }),
    );
  });
  return { ...endpoint, isRepair: true };
}

/** Repairs a single callout of a webhook. */
function one(
  api: ApiContext,
  entity: EntityDefinition,
  template: OperationTemplate,
  repair: (callout: CalloutAddress) => Promise<object>,
): Endpoint {
  const endpoint = webhookEndpoint(api, entity, 'write', template, async (call) =>
    ok(await repair({ webhook: addressOf(entity, call), calloutId: call.params['calloutID'] ?? '' })),
  );
  return { ...endpoint, isRepair: true };
}

function rotate(api: ApiContext, entity: EntityDefinition): Endpoint {
  const { names, tags } = describedWebhooks(entity);
  return {
    roles: rights.webhooks.write,
    portal: ownWebhook(entity),
    maxBodyBytes: api.config.MAX_BODY_BYTES,
    schema: operationOf(rotateSecretOperation, names, tags.main),
    async handle(call) {
      const webhook = addressOf(entity, call);
      const rotation = parseSecretRotation(call.body);
      const unknownNames = unknownKeysOf(call.body, knownRotationKeys);
      const warnings = weakSecret(rotation.secretKey);
      refuseWhenStrict(call, [...unknownNames, ...warnings]);
      const { watch, tagged } = versionedWrite(call.preconditions, webhookTag);
      await rotateSecret(
        { transaction: api.database.transaction, keyRing: api.keyRing },
        webhook,
        rotation,
        actorOf(call.caller),
        watch,
      );
      const messages = warnings.map(({ message }) => message);
      return tagged(itemId(webhook.id, messages, unknownNames));
    },
  };
}
