import { Problem } from '@callout/domain/problem';
import type { Administration } from '@callout/tenancy/operator/administration/administration';
import type { ConsoleLinks } from '@callout/tenancy/sessions/console-links';
import { item, ok } from '../http/api-response.ts';
import { limitOf, listed, pageOf, tenantIdOf, type Handlers, type OperatorCall } from './operator-call.ts';

export interface AccessDeps {
  readonly administration: Administration;
  /** Undefined: there is no console. */
  readonly consoleLinks: ConsoleLinks | undefined;
}

/** Access to a tenant: resources, credentials, links and lockouts. */
export function accessHandlers({ administration, consoleLinks }: AccessDeps): Handlers {
  const { resources, credentials, lockouts } = administration;
  return {
    listResources: ({ id, page }) => listed(page(), (one) => resources.list(id('tenantId'), one)),
    createResource: async ({ id, body }) => item(await resources.create(id('tenantId'), await body())),
    readResource: async ({ id }) => item(await resources.read(id('tenantId'), id('resourceId'))),
    updateResource: async ({ id, body }) =>
      item(await resources.update(id('tenantId'), id('resourceId'), await body())),

    listCredentials: ({ id, page }) => listed(page(), (one) => credentials.list(id('tenantId'), one)),
    createCredential: async ({ id, body }) => item(await credentials.create(id('tenantId'), await body())),
    readCredential: async ({ id }) => item(await credentials.read(id('tenantId'), id('credentialId'))),
    updateCredential: async ({ id, body }) =>
      item(await credentials.update(id('tenantId'), id('credentialId'), await body())),
    revokeCredential: async ({ id }) => item(await credentials.revoke(id('tenantId'), id('credentialId'))),
    reissueCredential: async ({ id }) => item(await credentials.reissue(id('tenantId'), id('credentialId'))),
    // A user name may have characters that a path cannot have, and comes in the query.
    findCredential: async ({ query }) => item(await credentials.readByUserName(userNameOf(query))),

    ...(consoleLinks !== undefined && linkHandlers(consoleLinks)),

    listLockouts({ query }) {
      const page = { after: endOf(query['after']), limit: limitOf(query), tenantId: tenantIdOf(query) };
      return pageOf(
        page,
        (one) => lockouts.list(one),
        ({ endDateTime }) => endDateTime.toISOString(),
      );
    },
    liftLockouts: async ({ query }) => ok({ lifted: await lockouts.lift(userNameOf(query), query['address']) }),
  };
}

function linkHandlers(links: ConsoleLinks): Handlers {
  return {
    createPortalLink: async ({ id, body }) => item(await links.portal(id('tenantId'), await body())),
    createSignInLink: async ({ id, body }) => item(await links.signIn(id('tenantId'), await body())),
    createOperatorLink: async ({ body, hostUrl: ownUrl }) => item(await links.operator(await body(), ownUrl())),
  };
}

function userNameOf({ username: userName }: OperatorCall['query']): string {
  if (userName !== undefined && userName !== '') return userName;
  const message = 'userName is required: give it in the query, as ?userName=';
  throw Problem.invalid([{ code: 'required', field: 'userName', message }]);
}

/** When the last lockout of the page before ends. */
function endOf(after: string | undefined): Date | null {
  if (after === undefined) return null;
  const end = new Date(after);
  if (!Number.isNaN(end.getTime()) && end.toISOString() === after) return end;
  throw Problem.invalid('after must be the nextAfter of the page before.', 'after');
}
