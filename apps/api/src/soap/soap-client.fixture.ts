import { BasicAuthSecurity, createClientAsync, type Client } from 'soap';
import { headersOf, sendRequest } from '../fixtures/send-request.ts';
import { call, type TestResponse, type TestApi } from '../fixtures/test-api.ts';
import type { TestCredential } from '../fixtures/test-tenant.ts';
import { ATWS } from './xml/xml-element.ts';

/** An entity in a client: texts, numbers and booleans by their names. */
export type ClientEntity = Readonly<Record<string, unknown>> & { readonly id: number };

/** An ATWSResponse in a client. */
export interface ClientResponse {
  readonly returnCode: number;
  readonly entities: readonly ClientEntity[];
  readonly entityType: string;
  readonly errors: readonly string[];
  readonly infos: readonly Readonly<Record<string, unknown>>[];
}

/** A client of npm that knows nothing but our WSDL. */
export interface SoapClient {
  /** The result of an operation as the client shows it. */
  readonly call: (operation: string, parameters?: object) => Promise<unknown>;
  readonly query: (entity: string, conditions?: string) => Promise<ClientResponse>;
  /** `create`, `update` or `delete`. */
  readonly write: (
    operation: 'create' | 'update' | 'delete',
    ...entities: readonly [type: string, fields: object][]
  ) => Promise<ClientResponse>;
}

export const SERVICE = '/atservices/1.6/atws.asmx';

/** Reads the description of a running API, and calls its operations. */
export async function soapClient(
  { url }: Pick<TestApi, 'url'>,
  as: TestCredential,
  options: { readonly forceSoap12Headers?: boolean; readonly header?: object } = {},
): Promise<SoapClient> {
  const { header = {}, ...others } = options;
  const client: Client = await createClientAsync(`${url}/atservices/1.6/atws.wsdl`, others);
  client.setSecurity(new BasicAuthSecurity(as.userName, as.secret));
  const integrations = { IntegrationCode: as.apiIntegrationCode, ...header };
  client.addSoapHeader({ AutotaskIntegrations: integrations }, '', 'tns', ATWS);
  const callIt = async (operation: string, parameters: object = {}): Promise<unknown> => {
    const method = client[`${operation}Async`] as (given: object) => Promise<[Record<string, unknown> | null]>;
    const [response] = await method.call(client, parameters);
    return Object.values(response ?? {})[0];
  };
  const respond = async (operation: string, parameters: object) => responseOf(await callIt(operation, parameters));
  return {
    call: callIt,
    query: (entity, conditions = '') => respond('query', { sXML: queryXml(entity, conditions) }),
    write: (operation, ...entities) =>
      respond(operation, {
        Entities: {
          Entity: entities.map(([type, fields]) => ({ attributes: { 'xsi:type': `tns:${type}` }, ...fields })),
        },
      }),
  };
}

export function queryXml(entity: string, conditions: string): string {
  return `<queryxml><entity>${entity}</entity><query>${conditions}</query></queryxml>`;
}

function responseOf(result: unknown): ClientResponse {
  const given = result as Record<string, Record<string, unknown> | null> & { ReturnCode: number };
  const list = (name: string, of: string) => [given[name]?.[of] ?? []].flat() as Record<string, unknown>[];
  return {
    returnCode: given.ReturnCode,
    entities: list('EntityResults', 'Entity').map(plain) as ClientEntity[],
    entityType: (given['EntityResultType'] ?? '') as string,
    errors: list('Errors', 'ATWSError').map(({ Message }) => String(Message)),
    infos: list('EntityReturnInfoResults', 'EntityReturnInfo'),
  };
}

/** The client shows a value whose type is not in the description with its attributes. */
function plain(entity: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(entity).map(([name, value]) => [name, plainValue(value)]));
}

function plainValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('attributes' in value)) return value;
  const { attributes, $value = '' } = value as { attributes: Record<string, string>; $value?: string };
  const type = attributes['xsi:type'] ?? '';
  if (type === 'xsd:boolean') return $value === 'true';
  if (type === 'xsd:dateTime') return new Date($value);
  return ['xsd:int', 'xsd:long', 'xsd:double'].includes(type) ? Number($value) : $value;
}

/** The response to a message as it is, as text. */
export async function post(
  { url }: Pick<TestApi, 'url'>,
  body: string | Uint8Array<ArrayBuffer>,
  { as, headers }: { readonly as?: TestCredential; readonly headers?: Record<string, string> } = {},
): Promise<{ readonly status: number; readonly headers: Headers; readonly text: string }> {
  const { status, rawHeaders, text } = await sendRequest(url + SERVICE, {
    method: 'POST',
    body,
    headers: {
      'Content-Type': 'text/xml; charset=utf-8',
      ...(as && { Authorization: `Basic ${Buffer.from(`${as.userName}:${as.secret}`).toString('base64')}` }),
      ...headers,
    },
  });
  return { status, headers: headersOf(rawHeaders), text };
}

/** A message of SOAP 1.1. */
export function message(call: string, code?: string): string {
  const header = code === undefined ? '' : `<IntegrationCode>${code}</IntegrationCode>`;
  return `<?xml version="1.0" encoding="utf-8"?>
    <s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
      <s:Header><AutotaskIntegrations xmlns="${ATWS}">${header}</AutotaskIntegrations></s:Header>
      <s:Body>${call}</s:Body>
    </s:Envelope>`;
}

export const versionCall = `<GetWsdlVersion xmlns="${ATWS}"/>`;

/** A REST call, whose body is an item or a list of them. */
export async function rest(
  api: TestApi,
  method: string,
  path: string,
  as: TestCredential,
  body?: unknown,
): Promise<TestResponse & { readonly item: Record<string, unknown> }> {
  const response = await call(`${api.url}/atservicesrest/v1.0${path}`, method, {
    as,
    ...(body !== undefined && { body }),
  });
  return { ...response, item: (response.body as { item: Record<string, unknown> }).item };
}
