import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { webhookHealthType } from '@callout/domain/catalogue/webhook-health';
import { Problem } from '@callout/domain/problem';
import { MAX_SMALL_ID, pathId } from '../route/path-id.ts';
import type { Caller } from './caller.ts';

/** What an endpoint lets a portal do. One that declares nothing is closed to portals. */
export type PortalAccess =
  /** It responds alike within any tenant, or restricts its response to the caller's webhooks itself. */
  | 'open'
  /** It is about a webhook that is not stored yet: not for a portal whose link is for a single one. */
  | 'newWebhook'
  /** It is about the webhook whose id this parameter of its path has. */
  | { readonly entityType: string; readonly idParam: string };

/** The access of endpoints below one webhook, such as `/CompanyWebhooks/:id/Callouts`. */
export function ownWebhook({ entityType }: EntityDefinition, idParam = 'id'): PortalAccess {
  return { entityType, idParam };
}

/** The access of the endpoint that creates webhooks: what happens to the webhooks of others is for no portal. */
export function accessToNew({ entityType }: EntityDefinition): { readonly portal?: PortalAccess } {
  return entityType === webhookHealthType ? {} : { portal: 'newWebhook' };
}

/**
 * Accepts a portal's request where the endpoint allows it, and about a webhook only where that is the portal's own.
 * Throws a Problem: 404 for a webhook outside the portal, as for one that does not exist; 403 for everything else.
 */
export type PortalGuard = (
  caller: Caller,
  access: PortalAccess | undefined,
  params: Readonly<Record<string, string>>,
) => Promise<void>;

interface PortalGuardDeps {
  /** The owner of a webhook that is not deleted. */
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
    // One about the webhooks of the whole tenant only where the link names it.
    const isNamed = portal.webhookKey === (webhook?.key ?? null);
    const isMeant = portal.webhookKey === null ? access.entityType !== webhookHealthType : isNamed;
    if (!isOwn || !isMeant) throw Problem.notFound();
  };
}
