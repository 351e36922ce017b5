import type { IncomingHttpHeaders } from 'node:http';
import type { Request } from 'express';
import { Problem } from '@callout/domain/problem';
import { callerOf, type Caller } from './caller.ts';
import type { AuthenticationCache } from './authentication-cache.ts';
import type { CheckCredential, GivenCredential } from './check-credential.ts';
import { MAX_SMALL_ID } from '../route/path-id.ts';

/**
 * @param address the address of the client; see `clientNetwork`.
 * @param request the whole request, for checks beyond headers.
 * @param isRepeat whether a long request was authenticated before and goes on: a repeated check does not extend a
 * session.
 */
export type Authenticate = (
  headers: IncomingHttpHeaders,
  address: string,
  request?: Request,
  isRepeat?: boolean,
) => Promise<Caller>;

/** The acting resource: the resource of the caller, or of the header ImpersonationResourceId. */
export type FindPerson = (
  caller: Pick<Caller, 'tenantId' | 'resourceId'>,
  headers: IncomingHttpHeaders,
) => Promise<number>;

interface AuthenticateDeps {
  readonly checkCredential: CheckCredential;
  readonly findPerson: FindPerson;
  /** Stores each authentication, with the version that must still be current when the entry is used. */
  readonly authenticationCache: AuthenticationCache['keep'];
}

/** The credential of a caller, from headers. */
const credentialHeaders = ['username', 'secret', 'apiintegrationcode'] as const;

/** Whether a request has a credential, or a part of a credential. */
export function bringsCredential(headers: IncomingHttpHeaders): boolean {
  return credentialHeaders.some((name) => headers[name] !== undefined);
}

/**
 * Checks the headers `UserName`, `Secret` and `ApiIntegrationCode`, and the optional `ImpersonationResourceId`. Throws
 * a `Problem`: 401 if a header of the credential is missing, 400 for a resource without impersonation, and the problems
 * of `createCheckCredential`.
 */
export function createAuthenticate({
  checkCredential,
  findPerson,
  authenticationCache,
}: AuthenticateDeps): Authenticate {
  return async (headers, address) => {
    const credentialTexts = givenCredential(headers);
    const credential = await checkCredential(credentialTexts, address);
    const proof = { foldedUserName: credentialTexts.userName.toLowerCase(), address, version: credential.version };
    const caller = { ...callerOf(credential), personId: await findPerson(credential, headers), proof };
    authenticationCache(headers, address, { caller, proof });
    return caller;
  };
}

/**
 * Throws a 401 Problem that names the missing headers, and the header that clients of Basic authentication send
 * instead.
 */
function givenCredential(headers: IncomingHttpHeaders): GivenCredential {
  const userName = headerText(headers['username']);
  const secret = headerText(headers['secret']);
  const apiIntegrationCode = headerText(headers['apiintegrationcode']);
  if (userName !== '' && secret !== '' && apiIntegrationCode !== '') return { userName, secret, apiIntegrationCode };
  const credentialTexts = { UserName: userName, Secret: secret, ApiIntegrationCode: apiIntegrationCode };
  const missing = Object.entries(credentialTexts).flatMap(([name, text]) => (text === '' ? [name] : []));
  const what =
    missing.length === 1 ? `The header ${missing[0]} is missing` : `The headers ${missing.join(' and ')} are missing`;
  const instead = headers.authorization === undefined ? '' : '; the header Authorization is not used';
  throw Problem.unauthorized(`${what}: every request carries UserName, Secret and ApiIntegrationCode${instead}.`);
}

interface FindPersonDeps {
  readonly isActiveResource: (tenantId: number, resourceId: number) => Promise<boolean>;
}

/** Finds the acting resource. Throws a 400 Problem for a resource that cannot be impersonated. */
export function createFindPerson({ isActiveResource }: FindPersonDeps): FindPerson {
  return async ({ tenantId, resourceId }, headers) => {
    const credentialTexts = headerText(headers['impersonationresourceid']);
    if (credentialTexts === '') return resourceId;
    const id = /^\d{1,10}$/.test(credentialTexts) ? Number(credentialTexts) : 0;
    const isKnown = id >= 1 && id <= MAX_SMALL_ID && (await isActiveResource(tenantId, id));
    if (!isKnown) {
      throw Problem.unknownReference(
        'ImpersonationResourceId must be the id of an active resource of this tenant.',
        'ImpersonationResourceId',
      );
    }
    return id;
  };
}

/** The value of a header, without blanks around the text; empty when the header is absent. */
function headerText(header: string | string[] | undefined): string {
  return typeof header === 'string' ? header.trim() : '';
}
