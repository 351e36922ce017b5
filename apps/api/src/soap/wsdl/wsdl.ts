import type { SoapEntity } from '../entities/soap-entity.ts';
import { ATWS, XSD } from '../xml/xml-element.ts';
import { writeXml, xml, type XmlNode } from '../xml/write-xml.ts';
import { soapOperations, type SoapOperation } from './operations.ts';
import { wsdlSchema } from './wsdl-types.ts';

const TRANSPORT = 'http://schemas.xmlsoap.org/soap/http';

/** The two versions of SOAP: the prefix of their elements, and the names of their binding and port. */
const versions = [
  { prefix: 'soap', port: 'ATWSSoap' },
  { prefix: 'soap12', port: 'ATWSSoap12' },
] as const;
type Version = (typeof versions)[number];

/** The SOAPAction of an operation. */
export function soapActionOf({ element }: Pick<SoapOperation, 'element'>): string {
  return ATWS + element;
}

/**
 * The description of the API as a WSDL 1.1 document.
 * @param address of the service.
 */
export function wsdlDocument(entities: readonly SoapEntity[], address: string): string {
  const operations: readonly SoapOperation[] = soapOperations;
  return writeXml(
    xml(
      'wsdl:definitions',
      {
        'xmlns:wsdl': 'http://schemas.xmlsoap.org/wsdl/',
        'xmlns:soap': 'http://schemas.xmlsoap.org/wsdl/soap/',
        'xmlns:soap12': 'http://schemas.xmlsoap.org/wsdl/soap12/',
        'xmlns:xsd': XSD,
        'xmlns:tns': ATWS,
        name: 'ATWS',
        targetNamespace: ATWS,
      },
      xml('wsdl:types', {}, wsdlSchema(entities)),
      ...operations.flatMap(messages),
      xml('wsdl:portType', { name: 'ATWSSoap' }, ...operations.map(portOperation)),
      ...versions.map((version) => binding(version, operations)),
      xml(
        'wsdl:service',
        { name: 'ATWS' },
        ...versions.map(({ prefix, port }) =>
          xml('wsdl:port', { name: port, binding: `tns:${port}` }, xml(`${prefix}:address`, { location: address })),
        ),
      ),
    ),
  );
}

function messages({ name, element, needsCredentials }: SoapOperation): XmlNode[] {
  const message = (suffix: string, part: string, of: string) =>
    xml('wsdl:message', { name: name + suffix }, xml('wsdl:part', { name: part, element: `tns:${of}` }));
  const header = message('AutotaskIntegrations', 'AutotaskIntegrations', 'AutotaskIntegrations');
  return [
    message('SoapIn', 'parameters', element),
    message('SoapOut', 'parameters', `${element}Response`),
    ...(needsCredentials ? [header] : []),
  ];
}

function portOperation({ name, documentation }: SoapOperation): XmlNode {
  return xml(
    'wsdl:operation',
    { name },
    xml('wsdl:documentation', {}, documentation),
    xml('wsdl:input', { message: `tns:${name}SoapIn` }),
    xml('wsdl:output', { message: `tns:${name}SoapOut` }),
  );
}

function binding({ prefix, port }: Version, operations: readonly SoapOperation[]): XmlNode {
  const body = xml(`${prefix}:body`, { use: 'literal' });
  return xml(
    'wsdl:binding',
    { name: port, type: 'tns:ATWSSoap' },
    xml(`${prefix}:binding`, { transport: TRANSPORT, style: 'document' }),
    ...operations.map((operation) => {
      const { name, needsCredentials } = operation;
      const message = `tns:${name}AutotaskIntegrations`;
      const header = xml(`${prefix}:header`, { message, part: 'AutotaskIntegrations', use: 'literal' });
      return xml(
        'wsdl:operation',
        { name },
        xml(`${prefix}:operation`, { soapAction: soapActionOf(operation), style: 'document' }),
        xml('wsdl:input', {}, body, needsCredentials ? header : null),
        xml('wsdl:output', {}, body),
      );
    }),
  );
}
