import type { FoundSession } from '@callout/tenancy/sessions/session.rules';
import { findWebhookAddress } from '@callout/tenancy/sessions/webhook-owner';
import type { ApiContext } from '../api-context.ts';
import { callerOfSession } from './authenticate-sessions.ts';

/** Describes a tenant's session to the page: user, rights, and the limits for forms. */
export function describeMemberSession({ build, catalogue, config, database }: ApiContext) {
  const entities = catalogue.watched.map(({ entityType, collection, webhookCollection, hasUserDefinedFields }) => ({
    entityType,
    collection,
    webhookCollection,
    hasUserDefinedFields,
  }));
  const limits = {
    allowsHttpTargets: config.ALLOW_HTTP_TARGETS,
    calloutThreshold: config.CALLOUT_THRESHOLD,
    calloutTimeoutMs: config.CALLOUT_TIMEOUT_MS,
    maxActiveWebhooksPerEntity: config.MAX_ACTIVE_WEBHOOKS_PER_ENTITY,
    maxBodyBytes: config.MAX_BODY_BYTES,
  };

  return async (session: FoundSession): Promise<Readonly<Record<string, unknown>>> => {
    const { member, kind, expiresAt } = session;
    const caller = callerOfSession(session);
    if (member === undefined || caller === undefined) throw new Error('an operator has no session of a tenant');
    const { webhookKey } = member;
    const webhook = webhookKey === null ? undefined : await findWebhookAddress(database, webhookKey);
    const isAdmin = caller.role === 'admin';
    return {
      kind,
      isPortal: kind === 'portal',
      tenant: { id: member.tenantId, name: member.tenantName },
      resource: { id: member.resourceId, email: member.email },
      userName: member.credential?.userName ?? null,
      role: caller.role,
      rights: {
        canCreateWebhooks: caller.canCreateWebhooks && webhookKey === null,
        canReadTenant: kind !== 'portal',
        canWriteRecords: isAdmin,
        canManageResources: isAdmin,
        canManageUserDefinedFields: isAdmin,
      },
      webhook: webhook === undefined ? null : { entityType: webhook.entityType, webhookID: webhook.id },
      expiresDateTime: expiresAt,
      apiRoot: `/${config.API_ROOT}/v1.0`,
      version: build,
      entities,
      limits,
    };
  };
}
