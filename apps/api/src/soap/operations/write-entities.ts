import { Problem } from '@callout/domain/problem';
import type { RequestLimit } from '../../http/limits/request-limit.ts';
import { readEntity, type GivenEntity } from '../entities/read-entity.ts';
import type { SoapEntities } from '../entities/soap-entities.ts';
import { inSoapTerms } from '../entities/soap-terms.ts';
import { childrenNamed } from '../xml/xml-element.ts';
import { atwsResponse, type EntityResult } from './atws-response.ts';
import type { Operation, SoapCall } from './soap-call.ts';

const MAX_ENTITIES = 200;

export interface WriteDeps {
  readonly entities: SoapEntities;
  readonly requestLimit: RequestLimit;
}

/** How an entity of a call is written. */
interface WriteOne {
  /** The verb for messages. */
  readonly doing: 'creating' | 'updating' | 'deleting';
  readonly write: (call: SoapCall, givenEntity: GivenEntity) => Promise<EntityResult>;
}

/**
 * An operation that writes the entities of a call in turn: an error of an entity, reported with the number of the
 * entity from 1, does not stop the rest. Each counts as a request of the hour, as in REST.
 */
export function writingEntities({ entities, requestLimit }: WriteDeps, { doing, write }: WriteOne): Operation {
  return {
    isRead: false,
    async run(call) {
      const elements = childrenNamed(call.element, 'Entities').flatMap((list) => childrenNamed(list, 'Entity'));
      const refusal = refusalOf(elements.length);
      if (refusal !== undefined) return atwsResponse({ errors: [refusal] });
      const results: EntityResult[] = [];
      const errors: string[] = [];
      let entityName: string | undefined;
      for (const [index, element] of elements.entries()) {
        let givenEntity: GivenEntity | undefined;
        try {
          // The call itself was counted for the first.
          if (index > 0) await requestLimit.count(call.caller);
          givenEntity = readEntity(element, entities);
          entityName ??= givenEntity.entity.name;
          results.push(await write(call, givenEntity));
        } catch (error) {
          // Also unexpected failures: the caller must learn which entities were written before.
          const place = `Error ${doing} entity for record number [${index + 1}]: `;
          const entity = givenEntity?.entity;
          const sentences = call.sentencesOf(error).map((one) => inSoapTerms(one, entity, entities));
          errors.push(...sentences.map((sentence) => place + withoutBrackets(sentence)));
        }
      }
      return atwsResponse({ entityName, results, errors });
    },
  };
}

/** Clients read the number of the entity from between the first bracket and the last. */
function withoutBrackets(sentence: string): string {
  return sentence.replaceAll('[', '(').replaceAll(']', ')');
}

function refusalOf(count: number): string | undefined {
  if (count === 0) return 'Entities must have an Entity.';
  return count > MAX_ENTITIES ? `A call takes ${MAX_ENTITIES} entities at most; this one has ${count}.` : undefined;
}

/** The id of an entity to be changed or deleted. Throws an `invalid` Problem without an id. */
export function idOf({ entity, id }: GivenEntity): string {
  if (/^0*[1-9]\d*$/u.test(id.trim())) return id.trim();
  const message = id === '' ? `id is required: that of the ${entity.name}.` : 'id must be a whole number above 0.';
  throw Problem.invalid(message, 'id');
}
