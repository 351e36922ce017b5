/** An operation of the API: document/literal, with the parameters wrapped in an element. */
export interface SoapOperation {
  readonly name: string;
  /** The element of the request. Clients know an operation whose name and element differ in case. */
  readonly element: string;
  readonly parameters: readonly { readonly name: string; readonly type: string }[];
  /** Like `tns:ATWSResponse`. */
  readonly resultType: string;
  /** Whether credentials are needed, and with them the header with the integration. */
  readonly needsCredentials: boolean;
  readonly documentation: string;
}

const sXML = { name: 'sXML', type: 'xsd:string' };
const entities = { name: 'Entities', type: 'tns:ArrayOfEntity' };

function operation<const Name extends string>(
  name: Name,
  parameters: SoapOperation['parameters'],
  resultType: string,
  documentation: string,
  other: Partial<Omit<SoapOperation, 'name'>> = {},
): SoapOperation & { readonly name: Name } {
  return { element: name, parameters, resultType, needsCredentials: true, documentation, ...other, name };
}

export const soapOperations = [
  operation('query', [sXML], 'tns:ATWSResponse', 'Finds entities, 500 at most, in the order of their ids.'),
  operation('create', [entities], 'tns:ATWSResponse', 'Creates up to 200 entities, one by one.'),
  operation('update', [entities], 'tns:ATWSResponse', 'Changes up to 200 entities, one by one.'),
  operation('delete', [entities], 'tns:ATWSResponse', 'Deletes up to 200 entities, one by one.'),
  operation(
    'GetFieldInfo',
    [{ name: 'psObjectType', type: 'xsd:string' }],
    'tns:ArrayOfField',
    'Describes the fields of an entity.',
  ),
  operation(
    'getUDFInfo',
    [{ name: 'psTable', type: 'xsd:string' }],
    'tns:ArrayOfField',
    'Describes the user-defined fields of an entity.',
  ),
  operation('getEntityInfo', [], 'tns:ArrayOfEntityInfo', 'Tells what can be done with each entity.', {
    element: 'GetEntityInfo',
  }),
  operation(
    'getThresholdAndUsageInfo',
    [],
    'tns:ATWSResponse',
    'Tells how many requests an hour may have, and has had.',
  ),
  operation(
    'getZoneInfo',
    [{ name: 'UserName', type: 'xsd:string' }],
    'tns:ATWSZoneInfo',
    'Tells where a user reaches the API; needs no credentials.',
    { needsCredentials: false },
  ),
  operation('GetWsdlVersion', [], 'xsd:string', 'Tells the version of this description.'),
] as const satisfies readonly SoapOperation[];
