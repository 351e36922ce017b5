import { spacedWords } from '@callout/domain/catalogue/names';

/** The name of a collection's records in the API's description. */
export interface Names {
  /** In names of methods, like `CompanyWebhook`, or `FieldOfCompanyWebhook`. */
  readonly one: string;
  readonly many: string;
  /** In sentences, like `a company webhook`. */
  readonly oneInWords: string;
  readonly manyInWords: string;
}

/** The names of a collection like `CompanyWebhooks`. */
export function namesOf(collection: string): Names {
  const one = singular(collection);
  return {
    one,
    many: collection,
    oneInWords: `a ${spacedWords(one)}`,
    manyInWords: spacedWords(collection),
  };
}

/** The names of records below their parent: `ContactOfCompany`, `a contact of a company`. */
export function namesUnder(collection: string, owner: string): Names {
  const names = namesOf(collection);
  const inWords = ` of a ${spacedWords(owner)}`;
  return {
    one: `${names.one}Of${owner}`,
    many: `${names.many}Of${owner}`,
    oneInWords: names.oneInWords + inWords,
    manyInWords: names.manyInWords + inWords,
  };
}

/** The name of a record of a collection: `Company` of `Companies`. */
export function singular(collection: string): string {
  return collection.replace(/ies$/, 'y').replace(/s$/, '');
}

/** With a capital at its beginning. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
