import { ATWS, XSD, XSI } from '../xml/xml-element.ts';
import { xml, xmlDocument, type XmlNode } from '../xml/write-xml.ts';

/** What differs in the messages of a version of SOAP. */
export interface SoapVersion {
  readonly namespace: string;
  readonly mediaType: string;
  /** A fault with a sentence; see `FaultCode`. */
  readonly fault: (code: FaultCode, sentence: string) => XmlNode;
}

/** The party at fault, or the header that was not understood. */
export type FaultCode = 'caller' | 'service' | 'versionMismatch' | 'mustUnderstand';

const codes11 = {
  caller: 'Client',
  service: 'Server',
  versionMismatch: 'VersionMismatch',
  mustUnderstand: 'MustUnderstand',
};
const codes12 = { ...codes11, caller: 'Sender', service: 'Receiver' };

export const soap11: SoapVersion = {
  namespace: 'http://schemas.xmlsoap.org/soap/envelope/',
  mediaType: 'text/xml',
  fault: (code, sentence) =>
    xml(
      'soap:Fault',
      {},
      xml('faultcode', {}, `soap:${codes11[code]}`),
      xml('faultstring', { 'xml:lang': 'en' }, sentence),
    ),
};

export const soap12: SoapVersion = {
  namespace: 'http://www.w3.org/2003/05/soap-envelope',
  mediaType: 'application/soap+xml',
  fault: (code, sentence) =>
    xml(
      'soap:Fault',
      {},
      xml('soap:Code', {}, xml('soap:Value', {}, `soap:${codes12[code]}`)),
      xml('soap:Reason', {}, xml('soap:Text', { 'xml:lang': 'en' }, sentence)),
    ),
};

/** A message around a body, in consecutive parts. */
export function envelope(version: SoapVersion, content: XmlNode): Iterable<string> {
  return xmlDocument(
    xml(
      'soap:Envelope',
      { 'xmlns:soap': version.namespace, 'xmlns:xsi': XSI, 'xmlns:xsd': XSD },
      xml('soap:Body', {}, content),
    ),
  );
}

/** The element of an operation's response; the content is in the namespace of the API. */
export function responseNode(element: string, ...result: readonly (XmlNode | string)[]): XmlNode {
  return xml(`${element}Response`, { xmlns: ATWS }, xml(`${element}Result`, {}, ...result));
}
