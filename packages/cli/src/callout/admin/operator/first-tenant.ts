import { createOperatorClient, type OperatorClient } from '@callout/client';
import type { Administration } from '@callout/tenancy/operator/administration/administration';
import { CannotGoOn } from '../../../cannot-go-on.ts';
import type { CommandContext } from '../../context.ts';
import { withDatabase } from '../database.ts';
import { tenantNamed } from './named.ts';

export const operatorRoot = '/operator/v1';
export const withoutToken =
  'This command calls the operator API: set OPERATOR_TOKEN to its token, and CALLOUT_OPERATOR_URL to its address unless it listens on this machine.';

/**
 * What the first tenant of an installation and a move to another zone need, on the database: there may be no operator API
 * yet, or never one. It answers as the operator API does; other operations throw a CannotGoOn that says what to set.
 */
export function operatorInDatabase(context: CommandContext): OperatorClient {
  return createOperatorClient({
    baseUrl: `http://database${operatorRoot}`,
    retry: false,
    fetch: (request) =>
      withDatabase(context, async (database) => {
        const { createAdministration } = await import('@callout/tenancy/operator/administration/administration');
        return Response.json(await answer(createAdministration(database), request));
      }),
  });
}

/** The tenant that a command on the database names. Throws a Problem `notFound`. */
export const tenantInDatabase = (context: CommandContext, text: string) =>
  tenantNamed(operatorInDatabase(context), text);

async function answer({ tenants, zones, resources, credentials }: Administration, request: Request): Promise<object> {
  const { pathname, searchParams } = new URL(request.url);
  const [kind = '', given = '', below = ''] = pathname.slice(operatorRoot.length + 1).split('/');
  const id = Number(given);
  const page = { after: Number(searchParams.get('after') ?? 0), limit: Number(searchParams.get('limit')) };
  const listed = <Item extends { readonly id: number }>(items: readonly Item[]) => ({
    items,
    nextAfter: items.length < page.limit ? null : (items.at(-1)?.id ?? null),
  });
  switch ([request.method, kind, given && 'id', below].filter((part) => part !== '').join(' ')) {
    case 'GET zones':
      return listed(await zones.list(page));
    case 'GET zones id':
      return { item: await zones.read(id) };
    case 'POST zones':
      return { item: await zones.create(await request.json()) };
    case 'PATCH zones id':
      return { item: await zones.update(id, await request.json()) };
    case 'GET tenants':
      return listed(await tenants.list(page, searchParams.get('search') ?? ''));
    case 'GET tenants id':
      return { item: await tenants.read(id) };
    case 'POST tenants':
      return { item: await tenants.create(await request.json()) };
    case 'POST tenants id resources':
      return { item: await resources.create(id, await request.json()) };
    case 'POST tenants id credentials':
      return { item: await credentials.create(id, await request.json()) };
    default:
      throw new CannotGoOn(withoutToken);
  }
}
