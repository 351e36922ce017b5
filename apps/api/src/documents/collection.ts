import type { OpenApiDocument, Operation, Parameter, Reference } from '../openapi/document-types.ts';

/**
 * The tasks of a collection, with the ids of their operations. The operations of companies represent all entities: in a
 * collection of all operations the first steps would be hard to find.
 */
const tasks: Readonly<Record<string, readonly string[]>> = {
  'Get to know it': ['getVersion', 'getThresholdInformation', 'listCalloutThresholds'],
  Subscribe: [
    'createCompanyWebhook',
    'listCompanyWebhooks',
    'getCompanyWebhookReadiness',
    'createFieldOfCompanyWebhook',
    'listFieldsOfCompanyWebhook',
    'createExcludedResourceOfCompanyWebhook',
    'updateCompanyWebhook',
    'testCompanyWebhook',
    'simulateCompanyWebhook',
    'rotateCompanyWebhookSecret',
    'deleteCompanyWebhook',
  ],
  'Report changes': ['reportEntityEvents', 'createCompany', 'updateCompany', 'queryCompanies', 'deleteCompany'],
  'Follow deliveries': [
    'listCompanyWebhookCallouts',
    'getCallout',
    'getEntityEvent',
    'explainEntityEvent',
    'redeliverCompanyWebhookCallouts',
    'retryCompanyWebhookCalloutsNow',
    'cancelCompanyWebhookCallouts',
    'listWebhookEventErrorLogs',
  ],
};

/** Values that the user enters once, and not in each request. */
const variables = [
  ['origin', 'http://127.0.0.1:8080'],
  ['userName', 'integrator@demo'],
  ['secret', ''],
  ['apiIntegrationCode', ''],
  ['id', '1'],
  ['parentId', '1'],
  ['calloutID', ''],
  ['eventID', ''],
  ['webhookGUID', ''],
] as const;

const credentials = [
  ['UserName', '{{userName}}'],
  ['Secret', '{{secret}}'],
  ['ApiIntegrationCode', '{{apiIntegrationCode}}'],
] as const;

const described = (pairs: readonly (readonly [string, string])[]) => pairs.map(([key, value]) => ({ key, value }));

/**
 * A collection in the format of Postman 2.1, which Bruno, Insomnia and Hoppscotch import as well: the requests of the
 * main tasks with their examples, and the common values as variables.
 * @throws Error when a task names an operation that the document does not have.
 */
export function requestCollection(document: OpenApiDocument): object {
  return {
    info: {
      name: 'Callout',
      description:
        'The main tasks. Set the variables of the collection: userName, secret and apiIntegrationCode of a credential; writing records and events takes one with the role source or admin.',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    variable: described(variables),
    item: Object.entries(tasks).map(([name, ids]) => ({ name, item: ids.map((id) => requestOf(document, id)) })),
  };
}

interface Found {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

function find(document: OpenApiDocument, operationId: string): Found {
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(item))
      if (operation.operationId === operationId) return { path, method, operation };
  }
  throw new Error(`There is no operation ${operationId}.`);
}

function requestOf(document: OpenApiDocument, operationId: string): object {
  const { path, method, operation } = find(document, operationId);
  const [{ url: root } = { url: '' }] = document.servers;
  const segments = `${root}${path}`
    .slice(1)
    .replaceAll(/\{(\w+)\}/gu, '{{$1}}')
    .split('/');
  const query = operation.parameters.filter(isRequiredQuery).map(({ name }) => ({ key: name, value: `{{${name}}}` }));
  const raw = `{{origin}}/${segments.join('/')}${query.map(({ key, value }, at) => `${at === 0 ? '?' : '&'}${key}=${value}`).join('')}`;
  const body = operation.requestBody?.content['application/json']?.example;
  const header = [
    ...(operation.security?.length === 0 ? [] : described(credentials)),
    ...(body === undefined ? [] : described([['Content-Type', 'application/json']])),
  ];
  return {
    name: operation.summary,
    request: {
      method: method.toUpperCase(),
      header,
      ...(body !== undefined && {
        body: { mode: 'raw', raw: JSON.stringify(body, null, 2), options: { raw: { language: 'json' } } },
      }),
      url: { raw, host: ['{{origin}}'], path: segments, ...(query.length > 0 && { query }) },
      ...(operation.description !== undefined && { description: operation.description }),
    },
  };
}

function isRequiredQuery(parameter: Parameter | Reference): parameter is Parameter {
  return 'in' in parameter && parameter.in === 'query' && parameter.required;
}
