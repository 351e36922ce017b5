import type { CollectionKind } from './collections.ts';
import type { Description, Descriptions } from './description.ts';

const info: Description = { summary: 'Describe the collection of {many} and your rights', response: 'info' };
const fields: Description = { summary: 'Describe the fields of {many}', response: 'fields' };
const udfs: Description = { summary: 'Describe the user-defined fields of {many}', response: 'udfs' };
const page: Description = {
  summary: 'Read another page of a query of {many}',
  description:
    'Its address is in the pageDetails of the page before or after. The query may be sent again, or parts of it, and must be as it was; a filter that is too long for the token must be.',
  response: 'items',
};

/** Paths that any collection may have. */
const everywhere: Descriptions = {
  '': { GET: { summary: 'List {many}', response: 'items' } },
  '/entityInformation': { GET: info, POST: info },
  '/entityInformation/fields': { GET: fields, POST: fields },
  '/entityInformation/userDefinedFields': { GET: udfs, POST: udfs },
  '/query': {
    GET: { summary: 'Query {many}', response: 'items', query: ['search'] },
    POST: { summary: 'Query {many}', request: 'query', response: 'items' },
  },
  '/query/count': {
    GET: { summary: 'Count {many}', response: 'count', query: ['search'] },
    POST: { summary: 'Count {many}', request: 'query', response: 'count' },
  },
  '/query/next': {
    GET: { ...page, query: ['paging', 'search'] },
    POST: { ...page, query: ['paging'], request: 'nextPage' },
  },
};

const read: Description = { summary: 'Read {one}', response: 'item' };
const remove: Description = { summary: 'Delete {one}', response: 'itemId' };
const create: Description = { summary: 'Create {one}', request: 'create', response: 'itemId' };
const update: Description = {
  summary: 'Update {one}: what the body names',
  description: 'Only the keys that the body has change.',
  request: 'update',
  response: 'itemId',
};
const replace: Description = {
  summary: 'Replace {one}',
  description: 'Fields that the body leaves out become empty. Read-only fields stay.',
  request: 'replace',
  response: 'itemId',
};

const recordConflict = { conflict: 'The id in the body is taken.' };
const webhookConflict = {
  conflict: 'Too many active webhooks of this entity, an inactive owner, or a child that is named twice.',
};
const childConflict = { conflict: 'The webhook has such a child already.' };
const definitionConflict = { conflict: 'The name or label is that of another field of the entity.' };

const resourceConflict = { conflict: 'It would leave the tenant without an admin: this is the last one.' };

const replaceWebhook: Description = {
  ...replace,
  ...webhookConflict,
  description:
    'Subscriptions that the body leaves out become false, an absent address none. An absent secretKey stays.',
};
const replaceChild: Description = {
  ...replace,
  description: 'Booleans that the body leaves out become false. What the record is about cannot be changed.',
};

const byKind: Readonly<Record<CollectionKind, Descriptions>> = {
  records: {
    '': { POST: { ...create, ...recordConflict }, PATCH: update, PUT: replace },
    '/:id': { GET: read, PATCH: update, PUT: replace, DELETE: remove },
  },
  childRecords: {
    '': {
      POST: {
        ...create,
        ...recordConflict,
        description: 'It belongs to the record in the path; a body that names another one is refused.',
      },
      PATCH: update,
      PUT: replace,
    },
    '/:id': { GET: read, PATCH: update, PUT: replace },
  },
  webhooks: {
    '': {
      POST: {
        ...create,
        ...webhookConflict,
        description: 'Fields, user-defined fields and excluded resources may come along: all is stored, or nothing.',
      },
      PATCH: { ...update, ...webhookConflict },
      PUT: replaceWebhook,
    },
    '/:id': {
      GET: { ...read, description: 'The secret is never returned: secretKey reads as asterisks.' },
      PATCH: { ...update, ...webhookConflict },
      PUT: replaceWebhook,
      DELETE: {
        ...remove,
        description: 'Its open callouts are cancelled, and its deactivationUrl is told.',
      },
    },
  },
  children: {
    '': { POST: { ...create, ...childConflict }, PATCH: update, PUT: replaceChild },
    '/:id': { GET: read, PATCH: update, PUT: replaceChild, DELETE: remove },
  },
  twins: {
    '': { POST: { ...create, ...childConflict, description: 'The body names the webhook by webhookID.' } },
    '/:id': { GET: read },
  },
  resources: {
    '': { POST: create, PATCH: { ...update, ...resourceConflict }, PUT: { ...replace, ...resourceConflict } },
    '/:id': {
      GET: read,
      PATCH: { ...update, ...resourceConflict },
      PUT: { ...replace, ...resourceConflict },
      DELETE: {
        ...remove,
        ...resourceConflict,
        description: 'Its credentials are refused at once, and its webhooks become inactive.',
      },
    },
  },
  definitions: {
    '': { POST: { ...create, ...definitionConflict }, PATCH: { ...update, ...definitionConflict } },
    '/:id': {
      GET: read,
      PATCH: { ...update, ...definitionConflict },
      DELETE: { ...remove, description: 'The webhook fields that name it are deleted too.' },
    },
  },
  errorLogs: {
    '/:id': {
      GET: { ...read, description: 'Rows of webhooks that somebody else owns are 404, unless the caller is an admin.' },
      DELETE: remove,
    },
  },
};

/**
 * What there is to say of a route of a collection that does not say it itself: by the kind of its collection and the rest of its path, so that a new entity needs no
 * new text. Undefined when nobody has described it yet, which a test refuses.
 */
export function describeRoute(kind: CollectionKind, path: string, method: string): Description | undefined {
  return byKind[kind][path]?.[method] ?? everywhere[path]?.[method];
}
