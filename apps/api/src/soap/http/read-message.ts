import { ATWS, isNamed, type XmlElement } from '../xml/xml-element.ts';
import { soapActionOf } from '../wsdl/wsdl.ts';
import { soapOperations } from '../wsdl/operations.ts';
import { SoapFault } from './fault-response.ts';
import { soap11, soap12, type SoapVersion } from './soap-version.ts';

/** A message that calls an operation. */
export interface SoapMessage {
  readonly version: SoapVersion;
  /** The header `AutotaskIntegrations`. */
  readonly integrations: XmlElement | undefined;
  readonly operation: CalledOperation;
  /** The arguments of the operation. */
  readonly call: XmlElement;
}

/** An existing operation. */
type CalledOperation = (typeof soapOperations)[number];

const versions = [soap11, soap12];
const INTEGRATIONS = { namespace: ATWS, name: 'AutotaskIntegrations' };

/** The version of a message; undefined without an envelope of either. */
export function versionOf(root: XmlElement): SoapVersion | undefined {
  return versions.find(({ namespace }) => isNamed(root, { namespace, name: 'Envelope' }));
}

/**
 * Reads an envelope. Throws a SoapFault for anything else, for an unknown version, two bodies or two calls, a header
 * that must be understood, or an unknown operation.
 * @param action the value of SOAPAction; undefined or empty: no action.
 */
export function readMessage(root: XmlElement, action: string | undefined): SoapMessage {
  const version = versionOf(root);
  if (version === undefined) {
    const isEnvelope = root.name === 'Envelope';
    const why = isEnvelope ? 'The envelope is of an unknown version' : 'The body is no SOAP envelope';
    throw new SoapFault(isEnvelope ? 'versionMismatch' : 'caller', `${why}: send SOAP 1.1 or 1.2.`);
  }
  const part = (name: string) => root.children.filter((child) => isNamed(child, { ...version, name }));
  const [headers, bodies] = [part('Header'), part('Body')];
  if (headers.length > 1 || bodies.length !== 1) {
    throw new SoapFault('caller', 'The envelope must have one Body, and one Header at most.');
  }
  const entries = headers[0]?.children ?? [];
  refuseUnknownHeaders(entries, version);
  const integrations = entries.filter((entry) => isNamed(entry, INTEGRATIONS));
  if (integrations.length > 1) throw new SoapFault('caller', 'The header AutotaskIntegrations must be there once.');
  const [call, ...more] = bodies[0]?.children ?? [];
  if (call === undefined || more.length > 0) throw new SoapFault('caller', 'The Body must call one operation.');
  const operation = operationOf(call);
  refuseOtherAction(operation, action);
  return { version, integrations: integrations[0], operation, call };
}

/** A header with mustUnderstand, like a signature, must not be ignored. */
function refuseUnknownHeaders(entries: readonly XmlElement[], { namespace }: SoapVersion): void {
  for (const entry of entries) {
    const must = entry.attributes.find((one) => isNamed(one, { namespace, name: 'mustUnderstand' }))?.value.trim();
    if ((must === '1' || must === 'true') && !isNamed(entry, INTEGRATIONS)) {
      throw new SoapFault('mustUnderstand', `The header ${shown(entry.name)} is not understood.`);
    }
  }
}

/** Clients write the names of operations in the case of their own description, old ones in another than new ones. */
function operationOf(call: XmlElement): CalledOperation {
  if (call.namespace !== ATWS) {
    throw new SoapFault(
      'caller',
      `${shown(call.name)} is not in the namespace ${ATWS}, as operations of this API are.`,
    );
  }
  const folded = call.name.toLowerCase();
  const foundOperation = soapOperations.find(({ element }) => element.toLowerCase() === folded);
  if (foundOperation !== undefined) return foundOperation;
  const names = soapOperations.map(({ name }) => name).join(', ');
  throw new SoapFault('caller', `There is no operation ${shown(call.name)}; there are ${names}.`);
}

/** Routers that read the action and readers of the body must see a single call. */
function refuseOtherAction(operation: CalledOperation, action: string | undefined): void {
  if (action === undefined || action === '') return;
  if (action.toLowerCase() === soapActionOf(operation).toLowerCase()) return;
  throw new SoapFault('caller', `SOAPAction is ${shown(action)}, and the Body calls ${operation.name}.`);
}

const MAX_SHOWN = 100;

function shown(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
