import type { DocumentedCollection } from './collections.ts';

/** What methods of clients are called for the paths that any collection may have, by rest of the path and method. */
const patterns: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '': { GET: 'list{Many}', POST: 'create{One}', PATCH: 'update{One}', PUT: 'replace{One}' },
  '/:id': { GET: 'get{One}', PATCH: 'update{One}ById', PUT: 'replace{One}ById', DELETE: 'delete{One}' },
  '/query': { GET: 'query{Many}BySearch', POST: 'query{Many}' },
  '/query/count': { GET: 'count{Many}BySearch', POST: 'count{Many}' },
  '/query/next': { GET: 'get{Many}Page', POST: 'query{Many}Page' },
  '/entityInformation': { GET: 'get{Many}Information', POST: 'get{Many}InformationByPost' },
  '/entityInformation/fields': { GET: 'get{Many}FieldInformation', POST: 'get{Many}FieldInformationByPost' },
  '/entityInformation/userDefinedFields': {
    GET: 'get{Many}UserDefinedFieldInformation',
    POST: 'get{Many}UserDefinedFieldInformationByPost',
  },
};

/**
 * The id of an operation, which generators make the name of a method of, such as `createCompanyWebhook`.
 * @param given the pattern that the route declares.
 */
export function operationId(
  method: string,
  path: string,
  found: { readonly collection: DocumentedCollection; readonly rest: string } | undefined,
  given: string | undefined,
): string {
  const pattern = given ?? (found && patterns[found.rest]?.[method]);
  if (pattern === undefined) return byPath(method, path);
  if (found === undefined) return pattern;
  const { one, many } = namesOf(found.collection);
  return pattern.replace('{One}', one).replace('{Many}', many);
}

/** `FieldOfCompanyWebhook` below the webhook, `CompanyWebhookField` at the root. */
function namesOf({ kind, name, entity, child, parent }: DocumentedCollection): { one: string; many: string } {
  const isChild = kind === 'children' && entity !== undefined && child !== undefined;
  const many = isChild ? child.segment : name;
  const owner = isChild ? entity.webhookSingular : parent?.entity.singular;
  const rest = owner === undefined ? '' : `Of${owner}`;
  return { one: many.replace(/ies$/, 'y').replace(/s$/, '') + rest, many: many + rest };
}

/** `getThingsByThing`, for a route that nothing is known of. */
function byPath(method: string, path: string): string {
  const parts = path.split('/').filter((part) => part !== '');
  const names = parts.map((part) => {
    const name = part.replace(':', '');
    return (part.startsWith(':') ? 'By' : '') + name.charAt(0).toUpperCase() + name.slice(1);
  });
  return method.toLowerCase() + names.join('');
}
