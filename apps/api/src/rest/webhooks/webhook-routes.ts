import { randomBytes, randomUUID } from 'node:crypto';
import type { Catalogue, EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { Problem, type ProblemDetail } from '@callout/domain/problem/problem';
import { unknownKeysOf } from '@callout/domain/input/unknown-names';
import { metadataOf } from '@callout/domain/metadata/field-metadata';
import { type KeyRing, type EncryptedSecret, secretAad } from '@callout/domain/secrets/keyring';
import {
  parseWebhookCreate,
  parseWebhookPatch,
  parseWebhookPut,
  type WebhookInputContext,
  type WebhookUpdate,
} from '@callout/domain/webhook/webhook';
import { webhookFields, knownWebhookKeys } from '@callout/domain/webhook/webhook-fields';
import type { WebhookChange } from '@callout/webhooks/webhook-changes';
import type { CreateRules, WebhookStore } from '@callout/webhooks/webhooks';
import { item, itemId } from '../../http/api-response.ts';
import type { EndpointAction } from '../../http/route/endpoint.ts';
import { knownId, MAX_SMALL_ID, optionalPathId, pathId } from '../../http/route/path/path-id.ts';
import { readUpdate } from '../../http/route/read-update.ts';
import { refuseWhenStrict } from '../../http/route/strict.ts';
import type { MailRecipients } from '../mail/mail-recipients.ts';
import { rights } from '../../http/auth/rights.ts';
import { ownWebhook } from '../../http/auth/portal-guard.ts';
import type { AddRoute } from '../../http/route/route-table.ts';
import { addMetadataRoutes, by, type Metadata } from '../metadata/metadata-routes.ts';
import { addCollectionRoutes, type QueryDeps } from '../query/query-routes.ts';
import type { TableQueryDeps } from '../query/table-rows.ts';
import { loadUserDefinedFields, type UserDefinedFieldDeps } from '../metadata/user-defined-fields.ts';
import { childCollections } from './collections.ts';
import { activationRules } from './activation-refused.ts';
import { queriedWebhooks } from './queried-webhooks.ts';
import { describedWebhooks, webhookOperations } from './webhook-operations.ts';
import { webhookItem } from './webhook-item.ts';
import { warningsOfCreate, warningsOfUpdate } from './webhook-warnings.ts';

interface WebhookRouteDeps extends UserDefinedFieldDeps, QueryDeps, TableQueryDeps {
  readonly catalogue: Catalogue;
  readonly maxBodyBytes: number;
  readonly maxActiveWebhooksPerEntity: number;
  /** Judges a target URL when it is written. */
  readonly checkUrl: WebhookInputContext['checkUrl'];
  readonly keyRing: KeyRing;
  readonly mailRecipients: MailRecipients;
  readonly webhooks: WebhookStore;
  /** Names webhooks with a callout that has become due in a job for the worker. Must not wait. */
  readonly enqueueDeliver: (webhookKeys: number[]) => void;
}

const NONCE_BYTES = 12;

/** The webhook collection of every entity that can have webhooks, such as `/CompanyWebhooks`. */
export function addWebhookRoutes(add: AddRoute, deps: WebhookRouteDeps): void {
  for (const entity of deps.catalogue.entities.filter((one) => one.supportsWebhookCallouts)) {
    const path = `/${entity.webhookCollection}`;
    const described = describedWebhooks(entity);
    const schemas = webhookOperations(entity, described);
    const patch = update(deps, entity, parseWebhookPatch);
    const put = update(deps, entity, parseWebhookPut);
    addMetadataRoutes(add, path, { metadata: ownMetadata(entity), described });
    addCollectionRoutes(add, path, { queried: queriedWebhooks(deps, entity), described }, deps, {
      POST: { ...create(deps, entity), portal: 'newWebhook', schema: schemas.create },
      PATCH: { ...patch, schema: schemas.update.byBody },
      PUT: { ...put, schema: schemas.replace.byBody },
    });
    const portal = ownWebhook(entity);
    add(`${path}/:id`, {
      GET: { ...read(deps, entity), portal, schema: schemas.read },
      PATCH: { ...patch, portal, schema: schemas.update.byPath },
      PUT: { ...put, portal, schema: schemas.replace.byPath },
      DELETE: { ...remove(deps, entity), portal, schema: schemas.remove },
    });
  }
}

function ownMetadata({ webhookSingular }: EntityDefinition): Metadata {
  const { read, write } = rights.webhooks;
  return {
    name: webhookSingular,
    access: {
      create: (caller) => (caller.canCreateWebhooks ? by(write)(caller) : 'None'),
      query: by(read),
      update: by(write),
      delete: by(write),
    },
    fields: () => metadataOf(webhookFields),
  };
}

function create(deps: WebhookRouteDeps, entity: EntityDefinition): EndpointAction {
  const { entityType } = entity;
  const rules = rulesOf(deps, entity);
  return {
    roles: rights.webhooks.write,
    maxBodyBytes: deps.maxBodyBytes,
    async handle(call) {
      const { caller, body } = call;
      if (!caller.canCreateWebhooks) {
        throw Problem.forbidden(
          'The resource of this credential lacks the right "Can create webhooks". An operator gives it: npx callout admin resources set <id> --tenant <tenant> --can-create-webhooks true.',
        );
      }
      const { tenantId } = caller;
      const userDefinedFields = (await loadUserDefinedFields(deps, tenantId))(entity).all;
      const context = { entity, checkUrl: deps.checkUrl, userDefinedFields };
      const { secretKey, ...settings } = parseWebhookCreate(body, context);
      deps.mailRecipients.check('notificationEmailAddress', settings.notificationEmailAddress);
      const unknownNames = unknownKeysOf(body, knownWebhookKeys);
      const warnings = warningsOfCreate(settings);
      refuseWhenStrict(call, [...unknownNames, ...warnings]);
      const guid = randomUUID();
      const encryptedSecret = encrypt(deps, secretKey, { tenantId, guid });
      const ownerResourceId = caller.resourceId;
      const webhook = { ...settings, tenantId, entityType, guid, ownerResourceId, encryptedSecret };
      const id = await deps.webhooks.create(webhook, rules, caller.personId);
      await deps.mailRecipients.named(tenantId, settings.notificationEmailAddress);
      return itemId(
        id,
        warnings.map(({ message }) => message),
        unknownNames,
      );
    },
  };
}

function update(
  deps: WebhookRouteDeps,
  entity: EntityDefinition,
  parse: (body: unknown, context: WebhookInputContext, pathId?: number) => WebhookUpdate,
): EndpointAction {
  const { entityType } = entity;
  const rules = rulesOf(deps, entity);
  // The children that could name a user-defined field cannot be changed here.
  const context = { entity, checkUrl: deps.checkUrl, userDefinedFields: [] };
  return {
    roles: rights.webhooks.write,
    maxBodyBytes: deps.maxBodyBytes,
    async handle(call) {
      const { caller, params, body } = call;
      const { tenantId } = caller;
      const exists = async (one: number) => (await deps.webhooks.find(tenantId, entityType, one)) !== undefined;
      const { id, changes } = await readUpdate({ params, body, exists }, () =>
        parse(body, context, optionalPathId(params['id'])),
      );
      const { secretKey, ...settings } = changes;
      deps.mailRecipients.check('notificationEmailAddress', settings.notificationEmailAddress);
      const address = { tenantId, entityType, id: knownId(id) };
      const unknownNames = unknownKeysOf(body, knownWebhookKeys);
      let warnings: ProblemDetail[] = [];
      const change: WebhookChange = {
        settings,
        encryptSecret: secretKey === undefined ? undefined : (guid) => encrypt(deps, secretKey, { tenantId, guid }),
        check(stored) {
          warnings = warningsOfUpdate(stored, settings);
          refuseWhenStrict(call, [...unknownNames, ...warnings]);
        },
      };
      const { dueWebhookKeys } = await deps.webhooks.update(address, change, rules, caller.personId);
      await deps.mailRecipients.named(tenantId, settings.notificationEmailAddress);
      deps.enqueueDeliver(dueWebhookKeys);
      return itemId(
        id,
        warnings.map(({ message }) => message),
        unknownNames,
      );
    },
  };
}

function remove(deps: WebhookRouteDeps, { entityType }: EntityDefinition): EndpointAction {
  return {
    roles: rights.webhooks.write,
    async handle({ caller, params }) {
      const id = pathId(params['id'], MAX_SMALL_ID);
      const address = { tenantId: caller.tenantId, entityType, id };
      const { dueWebhookKeys } = await deps.webhooks.remove(address, caller.personId);
      deps.enqueueDeliver(dueWebhookKeys);
      return itemId(id);
    },
  };
}

function read(deps: WebhookRouteDeps, { entityType }: EntityDefinition): EndpointAction {
  return {
    roles: rights.webhooks.read,
    async handle({ caller, params }) {
      const webhook = await deps.webhooks.find(caller.tenantId, entityType, pathId(params['id'], MAX_SMALL_ID));
      if (webhook === undefined) throw Problem.notFound();
      return item(webhookItem(webhook));
    },
  };
}

function rulesOf(deps: WebhookRouteDeps, entity: EntityDefinition): CreateRules {
  const { webhookCollection } = entity;
  return {
    ...activationRules(webhookCollection, deps.maxActiveWebhooksPerEntity),
    children: childCollections(entity),
  };
}

/** What is encrypted is bound to the webhook's guid, which never changes. */
function encrypt(
  { keyRing }: WebhookRouteDeps,
  secretKey: string,
  { tenantId, guid }: { tenantId: number; guid: string },
): EncryptedSecret {
  return keyRing.encrypt(secretKey, secretAad(tenantId, guid), randomBytes(NONCE_BYTES));
}
