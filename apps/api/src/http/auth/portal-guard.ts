import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import { Problem } from '@callout/domain/problem/problem';
import { MAX_SMALL_ID, pathId } from '../route/path/path-id.ts';
import type { Caller } from './caller.ts';

/**
 * Accepts a portal's request about a webhook of its resource, or for data that is no secret within any tenant.
 * Throws a Problem: 404 for a webhook outside the portal, as for one that does not exist; 403 for everything else.
 */
export type PortalGuard = (caller: Caller, call: GuardedCall) => Promise<void>;

interface GuardedCall {
  readonly method: string;
  /** As it is registered, such as `/CompanyWebhooks/:id`. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
}

interface PortalGuardDeps {
  readonly catalogue: Catalogue;
  /** The owner of a webhook that is not deleted. */
  readonly findWebhookOwner: (
    tenantId: number,
    entityType: string,
    id: number,
  ) => Promise<{ readonly key: number; readonly ownerResourceId: number } | undefined>;
}

/** Routes that restrict their responses to the caller's webhooks themselves. */
const NARROWED: ReadonlySet<string> = new Set(['/Webhooks', '/Statistics', '/Overview', '/Live']);

/**
 * The complete list of calls that a portal may make: paths below one webhook, such as `/CompanyWebhooks/3/Callouts`;
 * the metadata of forms; creating a webhook, unless its link is for a single one; and routes that restrict their
 * responses themselves. A new route is closed to portals until it is listed.
 */
export function createPortalGuard({ catalogue, findWebhookOwner }: PortalGuardDeps): PortalGuard {
  const entityTypes = new Map(
    catalogue.entities
      .filter((one) => one.supportsWebhookCallouts)
      .map(({ webhookCollection, entityType }) => [webhookCollection, entityType]),
  );

  return async (caller, { method, path, params }) => {
    const { portal, tenantId, resourceId } = caller;
    if (portal === undefined || NARROWED.has(path)) return;
    const [, collection = '', second = ''] = path.split('/');
    if (second === 'entityInformation') return;
    const entityType = entityTypes.get(collection);
    if (entityType === undefined) throw outside();
    if (second === '') {
      if (method === 'POST' && portal.webhookKey === null) return;
      throw outside();
    }
    // The form of a webhook that a portal may create.
    if (second === 'simulate' && portal.webhookKey === null) return;
    if (!second.startsWith(':')) throw outside();
    const id = pathId(params[second.slice(1)], MAX_SMALL_ID);
    const webhook = await findWebhookOwner(tenantId, entityType, id);
    const isOwn = webhook?.ownerResourceId === resourceId;
    if (!isOwn || (portal.webhookKey !== null && portal.webhookKey !== webhook.key)) throw Problem.notFound();
  };
}

function outside(): Problem {
  return Problem.forbidden('This sign-in is only for the webhooks of one resource.');
}
