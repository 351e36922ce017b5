import { isUtf8 } from 'node:buffer';
import { Problem } from '@callout/domain/problem';
import type { FindPerson } from '../../http/auth/authenticate.ts';
import { callerOf, type Caller } from '../../http/auth/caller.ts';
import type { CheckCredential, StoredCredential } from '../../http/auth/check-credential.ts';
import { childText } from '../xml/xml-element.ts';
import type { SoapMessage } from './read-message.ts';

export interface SoapAuthenticationDeps {
  readonly checkCredential: CheckCredential;
  readonly findPerson: FindPerson;
}

/** A user name and a secret. */
interface BasicCredential {
  readonly userName: string;
  readonly secret: string;
}

export const NEEDED =
  'A user name and a secret by HTTP Basic, and the header AutotaskIntegrations with an IntegrationCode, are needed.';

/**
 * The user name and secret of `Authorization: Basic …`; undefined without the header, for another scheme, or for an
 * empty part.
 */
export function basicCredential(header: string | undefined): BasicCredential | undefined {
  const encoded = /^Basic\s+([A-Za-z\d+/=_-]+)\s*$/iu.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  // Older clients know ISO-8859-1 only.
  const text = bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');
  const colon = text.indexOf(':');
  const [userName, secret] = [text.slice(0, Math.max(0, colon)).trim(), text.slice(colon + 1).trim()];
  // PostgreSQL refuses U+0000, and no user name contains U+0000.
  return userName === '' || secret === '' || text.includes('\0') ? undefined : { userName, secret };
}

/**
 * Authenticates the sender of a message, as the REST API does with headers, with equal check, lockout and messages. The
 * message is read when the secret is right, since the message has the code of the integration.
 * @param read reads the message of a caller with a right secret.
 */
export async function authenticateSoap(
  { checkCredential, findPerson }: SoapAuthenticationDeps,
  sentCredential: BasicCredential,
  address: string,
  read: (credential: StoredCredential) => Promise<SoapMessage>,
): Promise<{ readonly caller: Caller; readonly message: SoapMessage }> {
  let message: SoapMessage | undefined;
  const apiIntegrationCode = async (stored: StoredCredential) => {
    message = await read(stored);
    const code = message.integrations && childText(message.integrations, 'IntegrationCode');
    if (code === undefined || code === '') throw Problem.unauthorized(NEEDED);
    return code;
  };
  const credential = await checkCredential({ ...sentCredential, apiIntegrationCode }, address);
  if (message === undefined) throw new Error('a sign-in without its message');
  const personId = await findPerson(credential, { impersonationresourceid: impersonated(message) });
  const proof = { foldedUserName: sentCredential.userName.toLowerCase(), address, version: credential.version };
  return { caller: { ...callerOf(credential), personId, proof }, message };
}

/** Clients that cannot leave a number out send 0. */
function impersonated({ integrations }: SoapMessage): string {
  const id = integrations && childText(integrations, 'ImpersonateAsResourceID');
  return id === undefined || id === '0' ? '' : id;
}
