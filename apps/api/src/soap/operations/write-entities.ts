import { Problem } from '@callout/core/errors';
import type { RequestLimit } from '../../http/limits/request-limit.ts';
import { readEntity, type GivenEntity } from '../entities/read-entity.ts';
import type { SoapEntities } from '../entities/soap-entities.ts';
import { childrenNamed } from '../xml/xml-element.ts';
import { atwsResponse, type EntityResult } from './atws-response.ts';
import type { Operation, SoapCall } from './soap-call.ts';

const MAX_ENTITIES = 200;

export interface WriteDeps {
  readonly entities: SoapEntities;
  readonly requestLimit: RequestLimit;
}

/** Writes one entity of a call. */
type WriteOne = (call: SoapCall, given: GivenEntity) => Promise<EntityResult>;

/**
 * An operation that writes the entities of a call one by one, in their order: what is wrong with one of them, with its number
 * from 1, keeps none of the others from being written. Each counts as a request of the hour, as it does by REST.
 */
export function writingEntities({ entities, requestLimit }: WriteDeps, writeOne: WriteOne): Operation {
  return {
    isRead: false,
    async run(call) {
      const given = childrenNamed(call.element, 'Entities').flatMap((list) => childrenNamed(list, 'Entity'));
      const refusal = refusalOf(given.length);
      if (refusal !== undefined) return atwsResponse({ errors: [refusal] });
      const results: EntityResult[] = [];
      const errors: string[] = [];
      let entityName: string | undefined;
      for (const [index, element] of given.entries()) {
        try {
          // The call itself was counted for the first.
          if (index > 0) await requestLimit.count(call.caller);
          const one = readEntity(element, entities);
          entityName ??= one.entity.name;
          results.push(await writeOne(call, one));
        } catch (error) {
          // Also unexpected failures: the caller must learn which entities were written before.
          errors.push(...call.sentencesOf(error).map((sentence) => `[${index + 1}] ${sentence}`));
        }
      }
      return atwsResponse({ entityName, results, errors });
    },
  };
}

function refusalOf(count: number): string | undefined {
  if (count === 0) return 'Entities must have an Entity.';
  return count > MAX_ENTITIES ? `A call takes ${MAX_ENTITIES} entities at most; this one has ${count}.` : undefined;
}

/** The id of an entity that is changed or deleted. Throws an `invalid` Problem without one. */
export function idOf({ entity, id }: GivenEntity): string {
  if (/^0*[1-9]\d*$/u.test(id.trim())) return id.trim();
  const message = id === '' ? `id is required: that of the ${entity.name}.` : 'id must be a whole number above 0.';
  throw Problem.invalid(message, 'id');
}
