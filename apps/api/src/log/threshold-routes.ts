import type { Catalogue } from '@callout/core';
import { timeOfId, type ReadThresholds, type ThresholdUse } from '@callout/db';
import { ok } from '../http/answer.ts';
import { rights } from '../http/auth/rights.ts';
import type { AddRoute } from '../http/route/route-table.ts';

export interface ThresholdRouteDeps {
  readonly catalogue: Catalogue;
  readonly thresholds: ReadThresholds;
  /** The installation's, for tenants without one of their own; 0 = none. */
  readonly calloutThreshold: number;
}

/** `GET /CalloutThresholds`: how much of its hourly threshold each entity uses, and what it holds. */
export function addThresholdRoutes(add: AddRoute, deps: ThresholdRouteDeps): void {
  const watched = deps.catalogue.entities.filter((one) => one.supportsWebhookCallouts);
  const entityTypes = watched.map(({ entityType }) => entityType);
  add('/CalloutThresholds', {
    GET: {
      roles: rights.webhooks.read,
      async handle({ caller }) {
        const items = await deps.thresholds(caller.tenantId, entityTypes);
        return ok({
          items: items.map((one) => thresholdItem(one, deps.calloutThreshold)),
          pageDetails: { count: items.length, requestCount: items.length, prevPageUrl: null, nextPageUrl: null },
        });
      },
    },
  });
}

function thresholdItem(
  { entityType, ownLimit, used, held, oldestHeldId, episodeStartedAt }: ThresholdUse,
  limit: number,
) {
  return {
    entityType,
    limit: ownLimit ?? limit,
    used,
    held,
    oldestHeldDateTime: oldestHeldId === null ? null : timeOfId(oldestHeldId).toISOString(),
    heldSinceDateTime: episodeStartedAt === null ? null : episodeStartedAt.toISOString(),
  };
}
