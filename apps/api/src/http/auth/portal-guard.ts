import type { Catalogue } from '@callout/core/catalogue';
import { Problem } from '@callout/core/errors';
import { MAX_SMALL_ID, pathId } from '../route/path/path-id.ts';
import type { Caller } from './caller.ts';

/**
 * Lets a portal's request pass that is about a webhook of its resource, or tells what any tenant may know.
 * Throws a Problem: 404 for a webhook that is not the portal's, as for one that is not there; 403 for all else.
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

/** Their answers are narrowed to the caller's webhooks by themselves. */
const NARROWED: ReadonlySet<string> = new Set(['/Webhooks', '/Statistics', '/Overview', '/Live']);

/**
 * What a portal may call is listed here, and nothing else may be called: what is below one webhook, such as
 * `/CompanyWebhooks/3/Callouts`; the metadata that forms are made of; making a webhook, where its link is not for one
 * alone; and what narrows its answer itself. A new route is closed to portals until it is named.
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
