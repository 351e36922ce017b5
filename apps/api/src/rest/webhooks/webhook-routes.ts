import { randomBytes, randomUUID } from 'node:crypto';
import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { webhookHealthType } from '@callout/domain/catalogue/webhook-health';
import { weakSecret } from '@callout/domain/secrets/weak-secret';
import { Problem, type ProblemDetail } from '@callout/domain/problem';
import { unknownKeysOf } from '@callout/domain/input/unknown-names';
import { metadataOf } from '@callout/domain/metadata/field-metadata';
import { type EncryptedSecret, secretAad } from '@callout/domain/secrets/keyring';
import {
  limitsOfPulled,
  parseWebhookCreate,
  parseWebhookPatch,
  parseWebhookPut,
  type WebhookInputContext,
  type WebhookUpdate,
} from '@callout/webhooks/input/webhook-input';
import { knownWebhookKeys, webhookFieldsOf } from '@callout/webhooks/input/webhook-fields';
import { signingKeyFor } from '@callout/webhooks/hold-signing-key';
import { changedReceiver, receiverColumns } from '@callout/webhooks/receiver-columns';
import { endWebhook, updateWebhook, type WebhookChange } from '@callout/webhooks/webhook-changes';
import { createWebhook, findWebhook, type CreateRules } from '@callout/webhooks/webhooks';
import { actorOf } from '../../http/auth/caller.ts';
import type { ApiContext } from '../../api-context.ts';
import { item, itemId } from '../../http/api-response.ts';
import { versionedWrite, withTag } from '../../http/conditional/preconditions.ts';
import type { EndpointAction } from '../../http/route/endpoint.ts';
import { knownId, MAX_SMALL_ID, optionalPathId, pathId } from '../../http/route/path-id.ts';
import { readUpdate } from '../../http/route/read-update.ts';
import { refuseWhenStrict } from '../../http/route/strict.ts';
import { askForConsent, checkRecipient } from './mail-recipients.ts';
import { rights } from '../../http/auth/rights.ts';
import { accessToNew, ownWebhook } from '../../http/auth/portal-guard.ts';
import type { AddRoute } from '../../http/route/route-table.ts';
import { addMetadataRoutes, by, type Metadata } from '../metadata/metadata-routes.ts';
import { addCollectionRoutes } from '../query/query-routes.ts';
import { userDefinedFieldsOf } from '../events/user-defined-fields.ts';
import { alertItem, webhookItem, webhookTag } from './webhook-item.ts';
import { childCollections } from './children/child-kinds.ts';
import { activationRules } from './activation-refused.ts';
import { queriedWebhooks } from './queried-webhooks.ts';
import { describedWebhooks, webhookOperations } from './webhook-operations.ts';
import { signingFieldsOf } from './signing-keys/signing-fields.ts';
import { warningsOfCreate, warningsOfUpdate } from './webhook-warnings.ts';

const NONCE_BYTES = 12;

/** The webhook collection of every entity that can have webhooks, such as `/CompanyWebhooks`. */
export function addWebhookRoutes(add: AddRoute, api: ApiContext): void {
  for (const entity of api.catalogue.watched) {
    const path = `/${entity.webhookCollection}`;
    const described = describedWebhooks(entity);
    const schemas = webhookOperations(entity, described);
    const patch = update(api, entity, parseWebhookPatch);
    const put = update(api, entity, parseWebhookPut);
    addMetadataRoutes(add, path, { metadata: ownMetadata(entity), described });
    addCollectionRoutes(add, path, { queried: queriedWebhooks(api, entity), described }, api, {
      POST: { ...create(api, entity), ...accessToNew(entity), schema: schemas.create },
      PATCH: { ...patch, schema: schemas.update.byBody },
      PUT: { ...put, schema: schemas.replace.byBody },
    });
    const portal = ownWebhook(entity);
    add(`${path}/:id`, {
      GET: { ...read(api, entity), portal, schema: schemas.read },
      PATCH: { ...patch, portal, schema: schemas.update.byPath },
      PUT: { ...put, portal, schema: schemas.replace.byPath },
      DELETE: { ...remove(api, entity), portal, schema: schemas.remove },
    });
  }
}

function ownMetadata(entity: EntityDefinition): Metadata {
  const { read, write } = rights.webhooks;
  return {
    name: entity.webhookSingular,
    access: {
      create: (caller) => (caller.canCreateWebhooks ? by(write)(caller) : 'None'),
      query: by(read),
      update: by(write),
      delete: by(write),
    },
    fields: () => metadataOf(webhookFieldsOf(entity)),
  };
}

function create(api: ApiContext, entity: EntityDefinition): EndpointAction {
  const { entityType } = entity;
  const rules = rulesOf(api, entity);
  return {
    roles: rights.webhooks.write,
    maxBodyBytes: api.config.MAX_BODY_BYTES,
    async handle(call) {
      const { caller, body } = call;
      if (!caller.canCreateWebhooks) {
        throw Problem.forbidden(
          'The resource of this credential lacks the right "Can create webhooks". An operator gives it: callout admin resources set <id> --tenant <tenant> --can-create-webhooks true.',
        );
      }
      const { tenantId } = caller;
      const userDefinedFields = (await userDefinedFieldsOf(api, entity, tenantId)).all;
      const context = { entity, checkUrl: api.checkUrl, userDefinedFields, now: new Date() };
      const { secretKey, receiver, ...settings } = parseWebhookCreate(body, context);
      checkRecipient(api, 'notificationEmailAddress', settings.notificationEmailAddress);
      const unknownNames = unknownKeysOf(body, knownWebhookKeys);
      const warnings = [...warningsOfCreate(settings, entity.entityType), ...weakSecret(secretKey)];
      refuseWhenStrict(call, [...unknownNames, ...warnings]);
      const guid = randomUUID();
      const encryptedSecret = encrypt(api, secretKey, { tenantId, guid });
      const ownerResourceId = caller.resourceId;
      const secrets = receiverColumns(api.keyRing, { tenantId, guid }, receiver);
      const signingKey = signingKeyFor(settings.signatureKind, api.keyRing, tenantId);
      const ownColumns = { tenantId, entityType, guid, ownerResourceId, encryptedSecret, signingKey };
      const webhook = { ...settings, ...secrets, ...ownColumns };
      const { watch, tagged } = versionedWrite({}, webhookTag);
      const id = await createWebhook(api.database, webhook, rules, actorOf(caller), watch);
      await askForConsent(api, tenantId, settings.notificationEmailAddress);
      return tagged(
        itemId(
          id,
          warnings.map(({ message }) => message),
          unknownNames,
        ),
      );
    },
  };
}

function update(
  api: ApiContext,
  entity: EntityDefinition,
  parse: (body: unknown, context: WebhookInputContext, pathId?: number) => WebhookUpdate,
): EndpointAction {
  const { entityType } = entity;
  const rules = rulesOf(api, entity);
  return {
    roles: rights.webhooks.write,
    maxBodyBytes: api.config.MAX_BODY_BYTES,
    async handle(call) {
      const { caller, params, body } = call;
      const { tenantId } = caller;
      const userDefinedFields = (await userDefinedFieldsOf(api, entity, tenantId)).all;
      const context = { entity, checkUrl: api.checkUrl, userDefinedFields, now: new Date() };
      const exists = async (one: number) => (await findWebhook(api.database, tenantId, entityType, one)) !== undefined;
      const { id, changes } = await readUpdate({ params, body, exists }, () =>
        parse(body, context, optionalPathId(params['id'])),
      );
      const { secretKey, receiver, ...settings } = changes;
      checkRecipient(api, 'notificationEmailAddress', settings.notificationEmailAddress);
      const address = { tenantId, entityType, id: knownId(id) };
      const unknownNames = unknownKeysOf(body, knownWebhookKeys);
      let warnings: ProblemDetail[] = [];
      const { watch, tagged } = versionedWrite(call.preconditions, webhookTag);
      const change: WebhookChange = {
        settings,
        encryptSecret: secretKey === undefined ? undefined : (guid) => encrypt(api, secretKey, { tenantId, guid }),
        receiverColumns: (stored, now) =>
          changedReceiver(
            api.keyRing,
            stored,
            { receiver, webhookUrl: settings.webhookUrl, alertFormat: settings.alertFormat },
            now,
          ),
        signingKey: signingKeyFor(settings.signatureKind, api.keyRing, tenantId),
        watch: {
          after: watch.after,
          before(stored) {
            watch.before(stored);
            const after = { ...stored, ...settings };
            const refused = limitsOfPulled(after);
            if (refused.length > 0) throw Problem.invalid(refused);
            warnings = [...warningsOfUpdate(stored, settings, entity.entityType), ...weakSecret(secretKey)];
            refuseWhenStrict(call, [...unknownNames, ...warnings]);
          },
        },
      };
      const { dueWebhookKeys } = await updateWebhook(api.database, address, change, rules, actorOf(caller));
      await askForConsent(api, tenantId, settings.notificationEmailAddress);
      api.enqueueDeliver(dueWebhookKeys);
      return tagged(
        itemId(
          id,
          warnings.map(({ message }) => message),
          unknownNames,
        ),
      );
    },
  };
}

function remove(api: ApiContext, { entityType }: EntityDefinition): EndpointAction {
  return {
    roles: rights.webhooks.write,
    async handle({ caller, params, preconditions }) {
      const id = pathId(params['id'], MAX_SMALL_ID);
      const address = { tenantId: caller.tenantId, entityType, id };
      const { watch } = versionedWrite(preconditions, webhookTag);
      const { dueWebhookKeys } = await endWebhook(api.database, address, 'deleted', actorOf(caller), watch);
      api.enqueueDeliver(dueWebhookKeys);
      return itemId(id);
    },
  };
}

function read(api: ApiContext, { entityType }: EntityDefinition): EndpointAction {
  return {
    roles: rights.webhooks.read,
    async handle(call) {
      const { caller, params } = call;
      const webhook = await findWebhook(api.database, caller.tenantId, entityType, pathId(params['id'], MAX_SMALL_ID));
      if (webhook === undefined) throw Problem.notFound();
      const shown = webhookItem(webhook, await signingFieldsOf(api, call, webhook));
      return withTag(
        item(entityType === webhookHealthType ? { ...shown, ...alertItem(webhook) } : shown),
        webhookTag(webhook),
      );
    },
  };
}

function rulesOf(api: ApiContext, entity: EntityDefinition): CreateRules {
  const { webhookCollection } = entity;
  return {
    ...activationRules(webhookCollection, api.config.MAX_ACTIVE_WEBHOOKS_PER_ENTITY),
    children: childCollections(entity),
  };
}

/** What is encrypted is bound to the webhook's guid, which never changes. */
function encrypt(
  { keyRing }: ApiContext,
  secretKey: string,
  { tenantId, guid }: { tenantId: number; guid: string },
): EncryptedSecret {
  return keyRing.encrypt(secretKey, secretAad(tenantId, guid), randomBytes(NONCE_BYTES));
}
