import { randomBytes, randomUUID } from 'node:crypto';
import {
  parseWebhookCreate,
  Problem,
  secretAad,
  type Catalogue,
  type EntityDefinition,
  type KeyRing,
  type WebhookInputContext,
} from '@callout/core';
import type { CreateRules, NewWebhook } from '@callout/db';
import { item, itemId } from '../http/answer.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { MAX_SMALL_ID, pathId } from '../http/path-id.ts';
import type { AddRoute } from '../http/route-table.ts';
import { loadUserDefinedFields, type UserDefinedFieldDeps } from '../udf/user-defined-fields.ts';
import { childCollections } from './collections.ts';
import { webhookItem, type ReadableWebhook } from './webhook-item.ts';

export interface WebhookRouteDeps extends UserDefinedFieldDeps {
  readonly catalogue: Catalogue;
  readonly maxBodyBytes: number;
  readonly maxActiveWebhooksPerEntity: number;
  /** Judges a target URL when it is written. */
  readonly checkUrl: WebhookInputContext['checkUrl'];
  readonly keyRing: KeyRing;
  readonly webhooks: {
    create(webhook: NewWebhook, rules: CreateRules): Promise<number>;
    find(tenantId: number, entityType: string, id: number): Promise<ReadableWebhook | undefined>;
  };
}

const NONCE_BYTES = 12;

/** The webhook collection of every entity that can have webhooks, such as `/CompanyWebhooks`. */
export function addWebhookRoutes(add: AddRoute, deps: WebhookRouteDeps): void {
  for (const entity of deps.catalogue.entities.filter((one) => one.supportsWebhookCallouts)) {
    add(`/${entity.webhookCollection}`, { POST: create(deps, entity) });
    add(`/${entity.webhookCollection}/:id`, { GET: read(deps, entity) });
  }
}

function create(deps: WebhookRouteDeps, entity: EntityDefinition): Endpoint {
  const { webhookCollection, entityType } = entity;
  const rules: CreateRules = {
    webhookCollection,
    children: childCollections(entity),
    maxActivePerEntity: deps.maxActiveWebhooksPerEntity,
  };
  return {
    roles: ['integrator', 'admin'],
    maxBodyBytes: deps.maxBodyBytes,
    async handle({ caller, body }) {
      if (!caller.canCreateWebhooks) {
        throw Problem.forbidden('The resource of this credential lacks the right "Can create webhooks".');
      }
      const { tenantId } = caller;
      const userDefinedFields = (await loadUserDefinedFields(deps, tenantId))(entity).all;
      const context = { entity, checkUrl: deps.checkUrl, userDefinedFields };
      const { secretKey, ...settings } = parseWebhookCreate(body, context);
      const guid = randomUUID();
      const sealedSecret = deps.keyRing.seal(secretKey, secretAad(tenantId, guid), randomBytes(NONCE_BYTES));
      const ownerResourceId = caller.resourceId;
      return itemId(
        await deps.webhooks.create({ ...settings, tenantId, entityType, guid, ownerResourceId, sealedSecret }, rules),
      );
    },
  };
}

function read(deps: WebhookRouteDeps, { entityType }: EntityDefinition): Endpoint {
  return {
    roles: ['integrator', 'admin'],
    async handle({ caller, params }) {
      const webhook = await deps.webhooks.find(caller.tenantId, entityType, pathId(params['id'], MAX_SMALL_ID));
      if (webhook === undefined) throw Problem.notFound();
      return item(webhookItem(webhook));
    },
  };
}
