import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { spacedWords } from '@callout/domain/catalogue/names';
import { Problem } from '@callout/domain/problem';
import type { WebhookAddress } from '@callout/database/locked-webhook';
import { readJudgedWebhook, type JudgedWebhook } from '@callout/history/log/simulation';
import { findWebhookOwner } from '@callout/tenancy/sessions/webhook-owner';
import type { ApiContext } from '../../api-context.ts';
import { ownWebhook } from '../../http/auth/portal-guard.ts';
import { rights } from '../../http/auth/rights.ts';
import { capital, namesOf } from '../../http/operation/names.ts';
import { operationOf, type OperationSchema, type OperationTemplate } from '../../http/operation/operation-schema.ts';
import type { Call, Endpoint } from '../../http/route/endpoint.ts';
import { MAX_SMALL_ID, pathId } from '../../http/route/path-id.ts';

/**
 * An endpoint below one webhook, such as `/CompanyWebhooks/:id/Changes`: for callers that may read or change webhooks,
 * and for the portal of its owner.
 */
export function webhookEndpoint(
  { config }: ApiContext,
  entity: EntityDefinition,
  right: 'read' | 'write',
  template: OperationTemplate,
  handle: Endpoint['handle'],
): Endpoint {
  return {
    roles: rights.webhooks[right],
    portal: ownWebhook(entity),
    ...(template.body !== undefined && { maxBodyBytes: config.MAX_BODY_BYTES }),
    schema: deliveryOperation(entity, template),
    handle,
  };
}

/** An operation about the deliveries of a webhook of this entity, in the API's description. */
export function deliveryOperation(entity: EntityDefinition, template: OperationTemplate): OperationSchema {
  const one = spacedWords(entity.singular);
  return operationOf(template, namesOf(entity.webhookCollection), {
    name: `${capital(one)} webhook deliveries`,
    group: 'Follow deliveries',
    description: `What ${one} webhooks were sent and why; sending again, cancelling, testing.`,
  });
}

/** The webhook that the path names. Throws a 404 Problem when it can name none. */
export function addressOf({ entityType }: EntityDefinition, { caller, params }: Call): WebhookAddress {
  return { tenantId: caller.tenantId, entityType, id: pathId(params['id'], MAX_SMALL_ID) };
}

/** The key of the webhook that the path names. Throws a 404 Problem when there is none. */
export async function webhookKeyOf({ database }: ApiContext, entity: EntityDefinition, call: Call): Promise<number> {
  const { tenantId, entityType, id } = addressOf(entity, call);
  const webhook = await findWebhookOwner(database, tenantId, entityType, id);
  if (webhook === undefined) throw Problem.notFound();
  return webhook.key;
}

/** The webhook that the path names, as events are matched with it. Throws a 404 Problem when there is none. */
export async function judgedWebhookOf(api: ApiContext, entity: EntityDefinition, call: Call): Promise<JudgedWebhook> {
  const address = addressOf(entity, call);
  const webhook = await readJudgedWebhook(api, address, address.id);
  if (webhook === undefined) throw Problem.notFound();
  return webhook;
}
