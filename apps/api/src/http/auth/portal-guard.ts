import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { webhookHealthType } from '@callout/domain/catalogue/webhook-health';
import { Problem } from '@callout/domain/problem';
import { MAX_SMALL_ID, pathId } from '../route/path-id.ts';
import type { Caller } from './caller.ts';

/** What an endpoint lets a portal do. An endpoint without a declaration is closed to portals. */
export type PortalAccess =
  /** The endpoint responds alike within any tenant, or restricts the response to the caller's webhooks. */
  | 'open'
  /** About a webhook that is not stored yet: not for a portal whose link is for a single webhook. */
  | 'newWebhook'
  /** About the webhook whose id the parameter of the path has. */
  | { readonly entityType: string; readonly idParam: string };

/** The access of endpoints below one webhook, like `/CompanyWebhooks/:id/Callouts`. */
export function ownWebhook({ entityType }: EntityDefinition, idParam = 'id'): PortalAccess {
  return { entityType, idParam };
}

/** The access of the endpoint that creates webhooks: what happens to all webhooks of a tenant is for no portal. */
export function accessToNew({ entityType }: EntityDefinition): { readonly portal?: PortalAccess } {
  return entityType === webhookHealthType ? {} : { portal: 'newWebhook' };
}

/**
 * Accepts a portal's request where the endpoint allows it, and about a webhook only where the webhook belongs to the
 * portal. Throws a Problem: 404 for a webhook outside the portal, as for a missing webhook; 403 for everything else.
 */
export type PortalGuard = (
  caller: Caller,
  access: PortalAccess | undefined,
  params: Readonly<Record<string, string>>,
) => Promise<void>;

interface PortalGuardDeps {
  /** The owner of a webhook, unless the webhook is deleted. */
  readonly findWebhookOwner: (
    tenantId: number,
    entityType: string,
    id: number,
  ) => Promise<{ readonly key: number; readonly ownerResourceId: number } | undefined>;
}

export function createPortalGuard({ findWebhookOwner }: PortalGuardDeps): PortalGuard {
  return async ({ portal, tenantId, resourceId }, access, params) => {
    if (portal === undefined || access === 'open') return;
    if (access === 'newWebhook' && portal.webhookKey === null) return;
    if (access === undefined || access === 'newWebhook') {
      throw Problem.forbidden('This sign-in is only for the webhooks of one resource.');
    }
    const id = pathId(params[access.idParam], MAX_SMALL_ID);
    const webhook = await findWebhookOwner(tenantId, access.entityType, id);
    const isOwn = webhook?.ownerResourceId === resourceId;
    // A webhook about all webhooks of the tenant only where the link names the webhook.
    const isNamed = portal.webhookKey === (webhook?.key ?? null);
    const isMeant = portal.webhookKey === null ? access.entityType !== webhookHealthType : isNamed;
    if (!isOwn || !isMeant) throw Problem.notFound();
  };
}
