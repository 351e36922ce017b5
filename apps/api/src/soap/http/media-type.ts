import type { IncomingHttpHeaders } from 'node:http';
import { HttpProblem } from '../../http/http-problem.ts';
import { soap11, soap12, type SoapVersion } from './soap-version.ts';

/** The properties of a message in the headers. */
export interface MediaType {
  /** The version for the response to an unreadable message. */
  readonly version: SoapVersion;
  readonly charset: string | undefined;
  /** SOAPAction; undefined or empty: no action. */
  readonly action: string | undefined;
}

const types = new Map([
  ['', soap11],
  ['text/xml', soap11],
  ['application/xml', soap11],
  ['application/soap+xml', soap12],
]);

/** SOAP 1.1 has the action in a separate header, SOAP 1.2 in the media type. */
export function mediaTypeOf(headers: IncomingHttpHeaders): MediaType {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').split(';').map((part) => part.trim());
  const version = types.get(type.toLowerCase());
  if (version === undefined) {
    throw HttpProblem.unsupportedMediaType(
      'Content-Type must be text/xml (SOAP 1.1) or application/soap+xml (SOAP 1.2).',
    );
  }
  const parameter = (name: string) => {
    const foundParameter = parameters.find((one) => one.toLowerCase().startsWith(`${name}=`));
    return foundParameter === undefined ? undefined : unquoted(foundParameter.slice(name.length + 1));
  };
  const header = headers['soapaction'];
  const action = parameter('action') ?? (typeof header === 'string' ? unquoted(header) : undefined);
  return { version, charset: parameter('charset'), action };
}

function unquoted(text: string): string {
  return text.trim().replace(/^"(.*)"$/u, '$1');
}
