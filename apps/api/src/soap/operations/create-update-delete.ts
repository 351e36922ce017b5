import { Problem } from '@callout/core/errors';
import type { GivenEntity } from '../entities/read-entity.ts';
import type { SoapEntity } from '../entities/soap-entity.ts';
import { entityNode, type RestItem } from '../entities/write-entity.ts';
import type { RestCalls, RestEndpoints } from '../rest-calls.ts';
import type { EntityResult } from './atws-response.ts';
import type { Operation } from './soap-call.ts';
import { idOf, writingEntities, type WriteDeps } from './write-entities.ts';

/** What REST answers a write. */
interface Written {
  readonly itemId: number;
  readonly warnings?: readonly string[];
}

/** What can be done with an entity: what its paths take by REST, where this API writes it at all. */
export function abilitiesOf(endpoints: Pick<RestEndpoints, 'has'>, { isWritable, path, writePath }: SoapEntity) {
  return {
    canCreate: isWritable && endpoints.has('POST', path),
    canUpdate: isWritable && endpoints.has('PATCH', writePath),
    canDelete: isWritable && endpoints.has('DELETE', writePath),
  };
}

type WritingDeps = WriteDeps & { readonly endpoints: Pick<RestEndpoints, 'has'> };

/** `create`: what POST of the collection makes of each entity. */
export function createCreate(deps: WritingDeps): Operation {
  return writingEntities(deps, async ({ rest }, { entity, body }) => {
    if (!abilitiesOf(deps.endpoints, entity).canCreate) throw cannot(entity, 'created');
    const written = (await rest.call('POST', entity.path, { body })) as Written;
    return { ...(await readBack(rest, entity, written)), action: 'Created' };
  });
}

/** `update`: what PATCH makes of each entity: a field that is left out stays as it is, one that is nil becomes empty. */
export function createUpdate(deps: WritingDeps): Operation {
  return writingEntities(deps, async ({ rest }, given) => {
    const { entity, body } = given;
    if (!abilitiesOf(deps.endpoints, entity).canUpdate) throw cannot(entity, 'changed');
    const params = await paramsOf(rest, given);
    const written = (await rest.call('PATCH', entity.writePath, { params, body })) as Written;
    return { ...(await readBack(rest, entity, written)), action: 'Updated' };
  });
}

/** `delete`: what DELETE does with each entity; the result has its id alone. */
export function createDelete(deps: WritingDeps): Operation {
  return writingEntities(deps, async ({ rest }, given) => {
    const { entity } = given;
    if (!abilitiesOf(deps.endpoints, entity).canDelete) throw cannot(entity, 'deleted');
    const { itemId: id } = (await rest.call('DELETE', entity.writePath, {
      params: await paramsOf(rest, given),
    })) as Written;
    return { id, node: entityNode(entity, { id }), action: 'None' };
  });
}

/** A child is written under its webhook, which the caller need not name: ids of children are unique in their collection. */
async function paramsOf(rest: RestCalls, given: GivenEntity): Promise<Record<string, string>> {
  const { entity } = given;
  const id = idOf(given);
  if (!entity.writePath.includes('/:parentId/')) return { id };
  const { item } = (await rest.call('GET', `${entity.path}/:id`, { params: { id } })) as { item: RestItem };
  return { id, parentId: String(item['webhookID']) };
}

/** The entity as it is now. One that is gone by now was written all the same. */
async function readBack(
  rest: RestCalls,
  entity: SoapEntity,
  { itemId: id, warnings = [] }: Written,
): Promise<Omit<EntityResult, 'action'>> {
  let item: RestItem = { id };
  try {
    ({ item } = (await rest.call('GET', `${entity.path}/:id`, { params: { id: String(id) } })) as { item: RestItem });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
  }
  return { id, node: entityNode(entity, item), ...(warnings.length > 0 && { message: warnings.join(' ') }) };
}

function cannot({ name }: SoapEntity, done: string): Problem {
  return Problem.invalid(`${name} cannot be ${done} here.`);
}
