import { z } from 'zod';
import { timeOfId } from '@callout/database/schema/ids';
import { readThresholds, type ThresholdUse } from '@callout/history/log/thresholds';
import type { ApiContext } from '../../api-context.ts';
import { wholeList } from '../../http/api-response.ts';
import { rights } from '../../http/auth/rights.ts';
import type { AddRoute } from '../../http/route/route-table.ts';
import { moment, pageOf, whole } from '../../http/operation/wire-types.ts';
import { allCalloutsTag } from '../../http/operation/tags.ts';

/** `GET /CalloutThresholds`: the use of each entity's hourly threshold, and the number of held callouts. */
export function addThresholdRoutes(add: AddRoute, api: ApiContext): void {
  const watched = api.catalogue.watched;
  const entityTypes = watched.map(({ entityType }) => entityType);
  add('/CalloutThresholds', {
    GET: {
      roles: rights.webhooks.read,
      schema: {
        tag: allCalloutsTag,
        id: 'listCalloutThresholds',
        summary: 'How much of its hourly threshold each entity uses, and what it holds',
        description: 'First attempts in the last 3,600 seconds; a limit of 0 is none.',
        responses: { 200: { description: 'One row per entity.', schema: pageOf(thresholdSchema(entityTypes)) } },
      },
      async handle({ caller }) {
        const items = await readThresholds(api.search, caller.tenantId, entityTypes);
        return wholeList(items.map((one) => thresholdItem(one, api.config.CALLOUT_THRESHOLD)));
      },
    },
  });
}

function thresholdSchema(entityTypes: readonly string[]) {
  return z
    .object({
      entityType: z.enum(entityTypes).describe('The type of entity, such as Account.'),
      limit: whole.describe('First attempts that are allowed in any hour; 0: no limit.'),
      used: whole.describe('First attempts in the last 3,600 seconds.'),
      held: whole.describe('How many callouts the threshold holds.'),
      oldestHeldDateTime: moment.nullable().describe('When the oldest held callout was made; null: none is held.'),
      heldSinceDateTime: moment.nullable().describe('Since when callouts are held; null: none is held.'),
    })
    .meta({ id: 'CalloutThreshold' });
}

function thresholdItem(
  { entityType, ownLimit, used, held: heldCallouts, oldestHeldId, episodeStartedAt }: ThresholdUse,
  installationLimit: number,
): z.infer<ReturnType<typeof thresholdSchema>> {
  const limit = ownLimit ?? installationLimit;
  return {
    entityType,
    limit,
    used,
    held: heldCallouts,
    oldestHeldDateTime: oldestHeldId === null ? null : timeOfId(oldestHeldId).toISOString(),
    heldSinceDateTime: episodeStartedAt === null ? null : episodeStartedAt.toISOString(),
  };
}
