import type { SoapEntities } from './soap-entities.ts';
import type { SoapEntity } from './soap-entity.ts';

/** A sentence of the REST API, and the key of the sentence. */
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

/** Values of callers are quoted, and stay unchanged unless they are names of fields. */
const QUOTED = /("(?:[^"\\]|\\.)*")/u;

/**
 * A sentence of the REST API in the names of SOAP: `AccountType` for `companyType`, `create AccountWebhook` for `POST
 * /CompanyWebhooks`. A field whose name is a common word, like `name`, is renamed at the beginning of the sentence
 * only.
 * @param entity the subject of the sentence; undefined: unknown.
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
  const ownName = field === undefined ? undefined : nameOf(field);
  return ownName !== undefined && renamed.startsWith(`${field} `) ? ownName + renamed.slice(field?.length) : renamed;
}
