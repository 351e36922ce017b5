import { Problem } from '@callout/domain/problem';
import type { GivenEntity } from '../entities/read-entity.ts';
import type { SoapEntities } from '../entities/soap-entities.ts';
import { inSoapTerms } from '../entities/soap-terms.ts';
import type { SoapEntity } from '../entities/soap-entity.ts';
import { entityNode, type RestItem } from '../entities/write-entity.ts';
import type { RestCalls, RestEndpoints } from '../rest-calls.ts';
import type { EntityResult } from './atws-response.ts';
import type { Operation } from './soap-call.ts';
import { idOf, writingEntities, type WriteDeps } from './write-entities.ts';

/** REST's response to a write. */
interface Written {
  readonly itemId: number;
  readonly warnings?: readonly string[];
}

/** The operations of an entity: the methods of the paths in REST, for entities that can be written by SOAP. */
export function abilitiesOf(endpoints: Pick<RestEndpoints, 'has'>, { isWritable, path, writePath }: SoapEntity) {
  return {
    canCreate: isWritable && endpoints.has('POST', path),
    canUpdate: isWritable && endpoints.has('PATCH', writePath),
    canDelete: isWritable && endpoints.has('DELETE', writePath),
  };
}

type WritingDeps = WriteDeps & { readonly endpoints: Pick<RestEndpoints, 'has'> };

/** `create`: POSTs each entity to the collection. */
export function createCreate(deps: WritingDeps): Operation {
  return writingEntities(deps, {
    doing: 'creating',
    async write({ rest }, { entity, body }) {
      if (!abilitiesOf(deps.endpoints, entity).canCreate) throw cannot(entity, 'created');
      const written = (await rest.call('POST', entity.path, { body })) as Written;
      return { ...(await readBack(rest, entity, written, deps.entities)), action: 'Created' };
    },
  });
}

/** `update`: PATCHes each entity: an absent field stays, a nil one becomes empty. */
export function createUpdate(deps: WritingDeps): Operation {
  return writingEntities(deps, {
    doing: 'updating',
    async write({ rest }, givenEntity) {
      const { entity, body } = givenEntity;
      if (!abilitiesOf(deps.endpoints, entity).canUpdate) throw cannot(entity, 'changed');
      const params = await paramsOf(rest, givenEntity);
      const written = (await rest.call('PATCH', entity.writePath, { params, body })) as Written;
      return { ...(await readBack(rest, entity, written, deps.entities)), action: 'Updated' };
    },
  });
}

/** `delete`: DELETEs each entity; the result has the id alone. */
export function createDelete(deps: WritingDeps): Operation {
  return writingEntities(deps, {
    doing: 'deleting',
    async write({ rest }, givenEntity) {
      const { entity } = givenEntity;
      if (!abilitiesOf(deps.endpoints, entity).canDelete) throw cannot(entity, 'deleted');
      const { itemId: id } = (await rest.call('DELETE', entity.writePath, {
        params: await paramsOf(rest, givenEntity),
      })) as Written;
      return { id, node: entityNode(entity, { id }), action: 'None' };
    },
  });
}

/**
 * A child is written under the webhook, which the caller need not name: ids of children are unique in the collection.
 */
async function paramsOf(rest: RestCalls, givenEntity: GivenEntity): Promise<Record<string, string>> {
  const { entity } = givenEntity;
  const id = idOf(givenEntity);
  if (!entity.writePath.includes('/:parentId/')) return { id };
  const { item } = (await rest.call('GET', `${entity.path}/:id`, { params: { id } })) as { item: RestItem };
  return { id, parentId: String(item['webhookID']) };
}

/** The present entity. An entity that was deleted meanwhile was written in spite of the deletion. */
async function readBack(
  rest: RestCalls,
  entity: SoapEntity,
  { itemId: id, warnings = [] }: Written,
  entities: SoapEntities,
): Promise<Omit<EntityResult, 'action'>> {
  let item: RestItem = { id };
  try {
    ({ item } = (await rest.call('GET', `${entity.path}/:id`, { params: { id: String(id) } })) as { item: RestItem });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
  }
  const message = warnings.map((warning) => inSoapTerms({ message: warning }, entity, entities)).join(' ');
  return { id, node: entityNode(entity, item), ...(message !== '' && { message }) };
}

function cannot({ name }: SoapEntity, done: string): Problem {
  return Problem.invalid(`${name} cannot be ${done} here.`);
}
