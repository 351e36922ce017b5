import type { SoapEntities } from './soap-entities.ts';
import type { SoapEntity } from './soap-entity.ts';

/** A sentence of the REST API, and the key that it is about. */
export interface RestSentence {
  readonly field?: string;
  readonly message: string;
}

/** The names of REST's methods here. */
const operations: Readonly<Record<string, string>> = {
  GET: 'query',
  POST: 'create',
  PATCH: 'update',
  DELETE: 'delete',
};

/** Values of callers are quoted, and stay as they are unless they are names of fields. */
const QUOTED = /("(?:[^"\\]|\\.)*")/u;

/**
 * A sentence of the REST API in the names of this one: `AccountType` for `companyType`, `create AccountWebhook` for
 * `POST /CompanyWebhooks`. A field whose name is a common word, such as `name`, is renamed at the beginning of the
 * sentence only.
 * @param entity the subject of the sentence; undefined: none is known.
 */
export function inSoapTerms(
  { field, message }: RestSentence,
  entity: SoapEntity | undefined,
  { nameOfReference, nameOfPath }: Pick<SoapEntities, 'nameOfReference' | 'nameOfPath'>,
): string {
  const nameOf = (word: string) => entity?.fieldByRestName(word)?.soapName;
  const renamed = message
    .split(QUOTED)
    .map((part) => {
      if (part.startsWith('"')) return `"${nameOf(part.slice(1, -1)) ?? part.slice(1, -1)}"`;
      return part
        .replaceAll(/\b(GET|POST|PATCH|DELETE) (\/[A-Z]\w*(?:\/\{?\w+\}?)*)/gu, (all, method: string, path: string) => {
          const name = nameOfPath(path);
          return name === undefined ? all : `${operations[method]} ${name}`;
        })
        .replaceAll(/\b[a-z]+[A-Z]\w*/gu, (word) => nameOf(word) ?? word)
        .replaceAll(/\b[A-Z][a-z]+\w*/gu, (word) => nameOfReference(word));
    })
    .join('');
  const own = field === undefined ? undefined : nameOf(field);
  return own !== undefined && renamed.startsWith(`${field} `) ? own + renamed.slice(field?.length) : renamed;
}
