import { Problem } from '@callout/domain/problem';
import { inSoapTerms } from '../entities/soap-terms.ts';
import type { SoapEntity } from '../entities/soap-entity.ts';
import { entityNode, type RestItem } from '../entities/write-entity.ts';
import type { SoapEntities } from '../entities/soap-entities.ts';
import { readQueryXml } from '../query-xml.ts';
import { childText } from '../xml/xml-element.ts';
import { atwsResponse, rethrowOthers } from './atws-response.ts';
import type { Operation } from './soap-call.ts';

/** Entities of a page: a caller that gets as many queries for greater ids. */
const PAGE = 500;

/** What REST answers to a query. */
interface Page {
  readonly items: readonly RestItem[];
  readonly pageDetails: { readonly nextPageUrl: string | null };
}

/** `query`: the matching entities, in the order of ids, as `POST …/query` finds them. */
export function createQuery(entities: SoapEntities): Operation {
  return {
    isRead: true,
    async run({ rest, element, sentencesOf }) {
      let askedEntity: SoapEntity | undefined;
      try {
        const sXML = childText(element, 'sXML') ?? '';
        if (sXML === '') throw Problem.invalid('sXML is required: a query such as <queryxml>…</queryxml>.');
        const { entity, filter } = await readQueryXml(sXML, entities, rest);
        askedEntity = entity;
        const body = { MaxRecords: PAGE, Filter: filter };
        const page = (await rest.call('POST', `${entity.path}/query`, { body })) as Page;
        const results = page.items.map((item) => {
          return { id: Number(item['id']), node: entityNode(entity, item), action: 'None' } as const;
        });
        return atwsResponse({ entityName: entity.name, results, errors: endedEarly(page) });
      } catch (error) {
        rethrowOthers(error);
        return atwsResponse({ errors: sentencesOf(error).map((one) => inSoapTerms(one, askedEntity, entities)) });
      }
    },
  };
}

/**
 * A page of long entities ends early. Callers take a page of fewer than 500 for the last, which makes an early end an
 * error.
 */
function endedEarly({ items, pageDetails: { nextPageUrl } }: Page): string[] {
  if (nextPageUrl === null || items.length >= PAGE) return [];
  const lastId = Number(items.at(-1)?.['id']);
  return [
    `The entities that match are too long for one answer, so these are the first ${items.length} of them: ask again with id greaterthan ${lastId}`,
  ];
}
