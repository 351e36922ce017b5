import { z } from 'zod';
import {
  attentionKinds,
  attentionOf,
  remedyKinds,
  type AttentionItem,
  type Remedy,
} from '@callout/history/log/attention.rules';
import { timeOfId } from '@callout/database/schema/ids';
import { readThresholds } from '@callout/history/log/thresholds';
import { readSuspects } from '@callout/history/statistics/webhook-states';
import type { ApiContext } from '../../api-context.ts';
import { wholeList } from '../../http/api-response.ts';
import { rights } from '../../http/auth/rights.ts';
import type { AddRoute } from '../../http/route/route-table.ts';
import { moment, pageOf, text, webhookID } from '../../http/operation/wire-types.ts';
import { allCalloutsTag } from '../../http/operation/tags.ts';
import { scopeOf } from './statistics-routes.ts';

const remedySchema = z.object({
  kind: z.enum(remedyKinds).describe('What can be done.'),
  label: text.describe('The same for a button.'),
  method: text.nullable().describe('Of the request that does it; null: no request does.'),
  path: text.nullable().describe('Its path below /v1.0.'),
});

const attention = z
  .object({
    kind: z.enum(attentionKinds).describe('What it is.'),
    entityType: text.describe('The type of entity, such as Account.'),
    webhookID: webhookID.nullable().describe('The id of the webhook; null: it is about the entity.'),
    name: text.nullable().describe('The name of the webhook.'),
    sinceDateTime: moment.nullable().describe('Since when; null: not known.'),
    sentence: text.describe('What is wrong, and what it means.'),
    remedy: remedySchema.meta({ id: 'Remedy' }).describe('What can be done about it.'),
  })
  .meta({ id: 'Attention' });

/** `GET /Overview`: webhooks in need of attention, most urgent first. */
export function addOverviewRoutes(add: AddRoute, api: ApiContext): void {
  const watched = api.catalogue.watched;
  const collections = new Map(watched.map(({ entityType, webhookCollection }) => [entityType, webhookCollection]));
  const entityTypes = [...collections.keys()];

  add('/Overview', {
    GET: {
      roles: rights.webhooks.read,
      portal: 'open',
      schema: {
        tag: allCalloutsTag,
        id: 'getOverview',
        summary: 'What needs attention, in words, the most urgent first, each with what to do about it',
        responses: { 200: { description: 'Empty while all is well.', schema: pageOf(attention) } },
      },
      async handle({ caller }) {
        const scope = scopeOf(caller);
        const [webhooks, thresholds] = await Promise.all([
          readSuspects(api.search, scope),
          // A portal sees only the webhooks of the resource.
          caller.portal === undefined ? readThresholds(api.search, caller.tenantId, entityTypes) : [],
        ]);
        const items = attentionOf({
          webhooks,
          thresholds: thresholds.map(
            ({ entityType, ownLimit, used, held: heldCallouts, oldestHeldId, episodeStartedAt }) => ({
              entityType,
              limit: ownLimit ?? api.config.CALLOUT_THRESHOLD,
              used,
              held: heldCallouts,
              heldSince: episodeStartedAt ?? (oldestHeldId === null ? null : timeOfId(oldestHeldId)),
            }),
          ),
          ring: api.keyRing.keyIds,
          now: new Date(),
        });
        return wholeList(items.map((one) => attentionItem(one, collections.get(one.entityType) ?? '')));
      },
    },
  });
}

function attentionItem({ since, remedy, ...one }: AttentionItem, webhookCollection: string) {
  return {
    ...one,
    sinceDateTime: since,
    remedy: { ...remedy, ...requestOf(remedy, webhookCollection, one.webhookID) },
  };
}

function requestOf({ kind }: Remedy, webhookCollection: string, id: number | null) {
  const path = `/${webhookCollection}/${id}`;
  if (id === null) return { method: null, path: null };
  if (kind === 'test') return { method: 'POST', path: `${path}/test` };
  return kind === 'activate' || kind === 'edit' ? { method: 'PATCH', path } : { method: null, path: null };
}
