import { Problem } from '@callout/domain/problem';
import {
  readWebhooksWith,
  type WebhookOfCallouts,
  type WebhookWithCallouts,
} from '@callout/history/log/callouts/failed-callouts';
import { redeliverRange } from '@callout/pipeline/repair/redeliver';
import { orderSentence, sumOfRedeliveries, type Redelivery } from '@callout/pipeline/repair/redelivery-order.rules';
import type { WithPermit } from '@callout/runtime/concurrency/permits';
import type { ApiContext } from '../../api-context.ts';
import { ok, warningsOf } from '../../http/api-response.ts';
import { rights } from '../../http/auth/rights.ts';
import type { Endpoint } from '../../http/route/endpoint.ts';
import { refuseWhenStrict } from '../../http/route/strict.ts';
import { rangeItem, tenantRangeOfBody } from './callout-range.ts';
import { redeliverAll } from './repair-operations.ts';

interface RedeliveryLimits {
  readonly withPermit: WithPermit<number>;
  /** Throws a Problem (429) when the tenant has used up its hour. */
  readonly limitRedeliveries: (tenantId: number) => Promise<void>;
}

const reasonsToSkip = {
  inactive: 'The webhook is not active: activate it, and redeliver these callouts then.',
  deleted: 'The webhook was deleted. The export has the bodies of its callouts.',
};

/**
 * `POST /Callouts/redeliver`: redelivers callouts of several webhooks, one webhook after the other. A webhook that is
 * not active does not keep the others from theirs.
 */
export function redeliverOfTenant(api: ApiContext, { withPermit, limitRedeliveries }: RedeliveryLimits): Endpoint {
  const entityTypes = api.catalogue.watched.map(({ entityType }) => entityType);
  return {
    roles: rights.webhooks.write,
    maxBodyBytes: api.config.MAX_BODY_BYTES,
    schema: redeliverAll,
    async handle(call) {
      const { tenantId } = call.caller;
      const { range: given, isDryRun, unknownNames, webhooks } = tenantRangeOfBody(call.body, entityTypes);
      refuseWhenStrict(call, unknownNames);
      const range = { ...given, states: given.states ?? (['failed'] as const) };
      return withPermit(tenantId, async () => {
        if (!isDryRun) await limitRedeliveries(tenantId);
        const { recordId = null, actions = null } = range;
        const filter = { ...range, recordId, actions, kinds: ['event'] as const };
        const found = await readWebhooksWith(api.search, { tenantId, webhooks }, filter);
        const redelivered: (WebhookWithCallouts & { readonly redelivery: Redelivery })[] = [];
        const skipped: (WebhookWithCallouts & { readonly message: string })[] = [];
        for (const webhook of found) {
          const { webhookState, fromSequence, toSequence, entityType, webhookId: id } = webhook;
          if (webhookState !== 'active') {
            skipped.push({ ...webhook, message: reasonsToSkip[webhookState] });
            continue;
          }
          try {
            const address = { tenantId, entityType, id };
            const ofWebhook = { ...range, fromSequence, toSequence };
            redelivered.push({ ...webhook, redelivery: await redeliverRange(api, address, ofWebhook, { isDryRun }) });
          } catch (error) {
            // It was deactivated or deleted meanwhile, and what was reopened is cancelled with the rest.
            const isGone = error instanceof Problem && (error.kind === 'conflict' || error.kind === 'notFound');
            if (!isGone) throw error;
            skipped.push({ ...webhook, message: reasonsToSkip[error.kind === 'conflict' ? 'inactive' : 'deleted'] });
          }
        }
        return ok({
          ...queuedItem(sumOfRedeliveries(redelivered.map(({ redelivery }) => redelivery)), isDryRun),
          dryRun: isDryRun,
          filter: { ...tenantRangeItem(range), webhookGUIDs: webhooks.guids, entityType: webhooks.entityType },
          webhooks: redelivered.map(({ redelivery, ...one }) => ({ ...webhookItem(one), queued: redelivery.queued })),
          skipped: skipped.map(({ count, message, ...one }) => ({ ...webhookItem(one), count, message })),
          ...warningsOf(unknownNames),
        });
      });
    },
  };
}

/**
 * The result of a redelivery, or of a dry run, with what it means for the order.
 * @param replayed what the webhook missed while it was inactive; undefined: it was not asked for.
 */
export function queuedItem(redelivery: Redelivery, isDryRun: boolean, replayed?: Redelivery) {
  const { queued, older } = sumOfRedeliveries([redelivery, ...(replayed ? [replayed] : [])]);
  return {
    queued,
    ...(replayed && { replayed: replayed.queued }),
    ...(isDryRun && { dryRun: true }),
    order: { older, message: orderSentence(redelivery, replayed) },
  };
}

function tenantRangeItem(range: Parameters<typeof rangeItem>[0]) {
  const { fromSequence: _from, toSequence: _to, ...item } = rangeItem(range);
  return item;
}

function webhookItem({ entityType, webhookId, webhookGuid, webhookName, webhookState }: WebhookOfCallouts) {
  return { entityType, webhookID: webhookId, webhookGUID: webhookGuid, webhookName, webhookState };
}
