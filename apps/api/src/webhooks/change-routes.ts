import { Problem, type Catalogue, type EntityDefinition } from '@callout/core';
import { LISTED_CHANGES, type StoredChange, type WebhookHistory } from '@callout/db';
import { ok } from '../http/answer.ts';
import type { Endpoint } from '../http/route/endpoint.ts';
import { MAX_SMALL_ID, pathId } from '../http/route/path-id.ts';
import { rights } from '../http/auth/rights.ts';
import type { AddRoute } from '../http/route/route-table.ts';

interface ChangeRouteDeps {
  readonly catalogue: Catalogue;
  readonly webhookHistory: WebhookHistory;
}

/** What happened to a webhook, such as `/CompanyWebhooks/3/Changes`: when it went active or ready and back, and why. */
export function addChangeRoutes(add: AddRoute, deps: ChangeRouteDeps): void {
  for (const entity of deps.catalogue.entities.filter((one) => one.supportsWebhookCallouts)) {
    add(`/${entity.webhookCollection}/:id/Changes`, { GET: list(deps, entity) });
  }
}

function list({ webhookHistory }: ChangeRouteDeps, { entityType }: EntityDefinition): Endpoint {
  return {
    roles: rights.webhooks.read,
    async handle({ caller, params }) {
      const id = pathId(params['id'], MAX_SMALL_ID);
      const changes = await webhookHistory.list({ tenantId: caller.tenantId, entityType, id });
      if (changes === undefined) throw Problem.notFound();
      return ok({
        items: changes.map(changeItem),
        pageDetails: { count: changes.length, requestCount: LISTED_CHANGES, prevPageUrl: null, nextPageUrl: null },
      });
    },
  };
}

function changeItem({ id, at, change, cause, actorResourceId, detail }: StoredChange) {
  return { id, changeDateTime: at.toISOString(), change, cause, resourceID: actorResourceId, detail };
}
