import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import type { FoundSession } from '@callout/tenancy/sessions/session.rules';
import type { ApiConfig } from '@callout/runtime/config/api';
import { callerOfSession } from './authenticate-sessions.ts';

interface DescribeDeps {
  readonly catalogue: Catalogue;
  readonly version: string;
  readonly config: Pick<
    ApiConfig,
    | 'API_ROOT'
    | 'ALLOW_HTTP_TARGETS'
    | 'CALLOUT_THRESHOLD'
    | 'CALLOUT_TIMEOUT_MS'
    | 'MAX_ACTIVE_WEBHOOKS_PER_ENTITY'
    | 'MAX_BODY_BYTES'
  >;
  /** Entity and id of a webhook, by its key. */
  readonly findWebhookAddress: (
    key: number,
  ) => Promise<{ readonly entityType: string; readonly id: number } | undefined>;
}

/** Describes a tenant's session to the page: its user, its rights, and the limits that forms check. */
export function describeMemberSession({ catalogue, version, config, findWebhookAddress }: DescribeDeps) {
  const entities = catalogue.entities
    .filter((one) => one.supportsWebhookCallouts)
    .map(({ entityType, collection, webhookCollection, hasUserDefinedFields }) => ({
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
    const webhook = webhookKey === null ? undefined : await findWebhookAddress(webhookKey);
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
      version,
      entities,
      limits,
    };
  };
}
