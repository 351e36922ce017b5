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
  /** Throws a Problem (429) when the hour of the tenant is used up. */
  readonly limitRedeliveries: (tenantId: number) => Promise<void>;
}

const reasonsToSkip = {
  inactive: 'The webhook is not active: activate it, and redeliver these callouts then.',
  deleted: 'The webhook was deleted. The export has the bodies of its callouts.',
};

/**
 * `POST /Callouts/redeliver`: redelivers callouts of several webhooks, webhook by webhook. An inactive webhook does not
 * stop the redelivery of the rest.
 */
export function redeliverOfTenant(api: ApiContext, { withPermit, limitRedeliveries }: RedeliveryLimits): Endpoint {
  const entityTypes = api.catalogue.watched.map(({ entityType }) => entityType);
  return {
    roles: rights.webhooks.write,
    maxBodyBytes: api.config.MAX_BODY_BYTES,
    schema: redeliverAll,
    async handle(call) {
      const { tenantId } = call.caller;
      const { range: bodyRange, isDryRun, unknownNames, webhooks } = tenantRangeOfBody(call.body, entityTypes);
      refuseWhenStrict(call, unknownNames);
      const range = { ...bodyRange, states: bodyRange.states ?? (['failed'] as const) };
      return withPermit(tenantId, async () => {
        if (!isDryRun) await limitRedeliveries(tenantId);
        const { recordId = null, actions = null } = range;
        const filter = { ...range, recordId, actions, kinds: ['event'] as const };
        const foundWebhooks = await readWebhooksWith(api.search, { tenantId, webhooks }, filter);
        const redelivered: (WebhookWithCallouts & { readonly redelivery: Redelivery })[] = [];
        const skipped: (WebhookWithCallouts & { readonly message: string })[] = [];
        for (const webhook of foundWebhooks) {
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
            // The webhook was deactivated or deleted meanwhile, and reopened callouts are cancelled with the rest.
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
 * The result of a redelivery, or of a dry run, with the meaning for the order.
 * @param replayed the missed events of an inactive time; undefined: not requested.
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
