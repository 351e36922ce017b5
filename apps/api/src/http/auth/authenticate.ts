import type { IncomingHttpHeaders } from 'node:http';
import type { Request } from 'express';
import { Problem } from '@callout/core/errors';
import type { SignInProof } from '@callout/core/ingest';
import type { CheckSecret, StoredSecret } from './secret/check-secret.ts';
import { tenantIsMoving } from './refuse-while-moving.ts';
import { sameText } from './secret/same-text.ts';

/** What a credential is for: `integrator` webhooks and reads, `source` records and events, `admin` everything. */
export type Role = 'integrator' | 'source' | 'admin';

/** Who calls, on whose behalf, and with which rights. */
export interface Caller {
  readonly credentialId: number;
  readonly tenantId: number;
  /** The API user: owner of the webhooks it creates. */
  readonly resourceId: number;
  /** Who acts: the API user, or the resource that it impersonates. */
  readonly personId: number;
  readonly role: Role;
  readonly canCreateWebhooks: boolean;
  /** The tenant's own limit of requests per hour; null is the installation's default, 0 none. */
  readonly apiRequestsPerHour: number | null;
  /** Its tenant is being moved to another zone: it may read, and has to send changes again. */
  readonly isMoving?: true;
  /** What its credential was found by, for a commit that confirms it; absent where none was given. */
  readonly proof?: SignInProof;
  /** Let in by the cookie of the console, in place of a credential. */
  readonly isSession?: true;
  /** Of a session of the console that a portal link began: it has the webhooks of its resource, and nothing else. */
  readonly portal?: {
    /** The one webhook that the link was made for; null: all of its resource. */
    readonly webhookKey: number | null;
  };
}

/** What a caller signs in with. */
export interface GivenCredential {
  readonly userName: string;
  readonly secret: string;
  /** Or how to learn it, where it comes with the body: nothing is read of a body before its secret is right. */
  readonly apiIntegrationCode: string | ((credential: StoredCredential) => Promise<string>);
}

/** A credential as it is stored. */
export interface StoredCredential extends StoredSecret {
  readonly tenantId: number;
  readonly resourceId: number;
  readonly apiIntegrationCode: string;
  readonly role: string;
  readonly isResourceActive: boolean;
  readonly canCreateWebhooks: boolean;
  readonly apiRequestsPerHour: number | null;
  readonly moveState: 'arriving' | 'leaving' | 'closed' | 'left' | null;
  /** See `SignInProof`. */
  readonly stamp: string;
}

/** Who wants in, and from where: what a lockout goes by. */
interface SignIn {
  /** The user name in lower case. */
  readonly foldedUserName: string;
  readonly address: string;
}

/** What is known of a sign-in before its secret is looked at. */
interface FoundSignIn {
  /** For how long the user name is locked out from the address, in seconds; 0: it is not. */
  readonly lockedForS: number;
  readonly credential: StoredCredential | undefined;
  /** The zone that is known to serve the user name in place of this one. */
  readonly otherZone: { readonly name: string; readonly url: string } | undefined;
}

interface AuthenticateDeps {
  readonly checkSecret: CheckSecret;
  /** What is known of a user name and its address: one lookup, whether the name is known or not. */
  readonly findSignIn: (signIn: SignIn) => Promise<FoundSignIn | undefined>;
  /**
   * Counts a wrong secret, code or name. Returns seconds when the pair was locked out before this one, by failures that
   * came at the same time; else 0.
   */
  readonly countFailure: (signIn: SignIn) => Promise<number>;
  readonly isActiveResource: (tenantId: number, resourceId: number) => Promise<boolean>;
  /** Told of each sign-in, and what has to be true for it to count again. */
  readonly remember: (
    headers: IncomingHttpHeaders,
    address: string,
    signIn: { readonly caller: Caller; readonly proof: SignInProof },
  ) => void;
}

/**
 * @param address where the request comes from; see `clientNetwork`.
 * @param request the whole of it, for what goes by more than headers.
 * @param isRepeat whether it was let in before and goes on: that is no use of a session.
 */
export type Authenticate = (
  headers: IncomingHttpHeaders,
  address: string,
  request?: Request,
  isRepeat?: boolean,
) => Promise<Caller>;

/** The credential that was given, when it is right. Throws a Problem as `createAuthenticate` says. */
export type CheckCredential = (given: GivenCredential, address: string) => Promise<StoredCredential>;

/** Who acts: the resource of the caller, or the one that the header ImpersonationResourceId names. */
export type FindPerson = (
  caller: Pick<StoredCredential, 'tenantId' | 'resourceId'>,
  headers: IncomingHttpHeaders,
) => Promise<number>;

/** Compared with when the user name is unknown, so that known and unknown names take the same steps. */
const UNKNOWN_USER: StoredCredential = {
  credentialId: 0,
  tenantId: 0,
  resourceId: 0,
  apiIntegrationCode: '',
  secretHash: Buffer.alloc(32),
  secretScrypt: null,
  role: 'integrator',
  isResourceActive: false,
  canCreateWebhooks: false,
  apiRequestsPerHour: null,
  moveState: null,
  stamp: '',
};
const credentialHeaders = ['username', 'secret', 'apiintegrationcode'] as const;

/** Whether a request brings a credential, or a part of one. */
export function bringsCredential(headers: IncomingHttpHeaders): boolean {
  return credentialHeaders.some((name) => headers[name] !== undefined);
}

const ROLES: ReadonlySet<string> = new Set<Role>(['integrator', 'source', 'admin']);
const MAX_RESOURCE_ID = 2 ** 31 - 1;

/**
 * Checks the headers `UserName`, `Secret` and `ApiIntegrationCode`, and `ImpersonationResourceId` where given.
 * Rights are read again each time.
 * Known and unknown names take the same steps, get the same words and are locked out alike; a lockout answers before
 * anything is compared, so it tells nothing about the secret. Nor does the time tell whether a name is known when its
 * secret was generated. A name with an imported secret can be told by the time that checking takes: to hide that, every
 * unknown name would have to cost as much, and guessing names would be the cheapest way to keep the API from all others.
 * Throws a `Problem`: 401 with the same words whatever was wrong, or saying that it is locked out, 400 for a resource that
 * cannot be impersonated, 503 when too many imported secrets are being checked; that counts as no failure.
 */
export function createAuthenticate(deps: AuthenticateDeps): Authenticate {
  const check = createCheckCredential(deps);
  const findPerson = createFindPerson(deps);
  return async (headers, address) => {
    const given = {
      userName: text(headers['username']),
      secret: text(headers['secret']),
      apiIntegrationCode: text(headers['apiintegrationcode']),
    };
    if (given.userName === '' || given.secret === '' || given.apiIntegrationCode === '') {
      throw Problem.unauthorized(missingHeaders(given, headers.authorization !== undefined));
    }
    const credential = await check(given, address);
    const proof = { foldedUserName: given.userName.toLowerCase(), address, stamp: credential.stamp };
    const caller = { ...callerOf(credential), personId: await findPerson(credential, headers), proof };
    deps.remember(headers, address, { caller, proof });
    return caller;
  };
}

/** Which of the three headers are missing, and what callers of other APIs try in their place. */
function missingHeaders(
  given: Readonly<Record<'userName' | 'secret' | 'apiIntegrationCode', string>>,
  hasAuthorization: boolean,
): string {
  const names = { userName: 'UserName', secret: 'Secret', apiIntegrationCode: 'ApiIntegrationCode' };
  const missing = Object.entries(names).flatMap(([key, name]) =>
    given[key as keyof typeof names] === '' ? [name] : [],
  );
  const instead = hasAuthorization ? '; Authorization is not looked at' : '';
  const what =
    missing.length === 1 ? `The header ${missing[0]} is missing` : `The headers ${missing.join(' and ')} are missing`;
  return `${what}: every request carries UserName, Secret and ApiIntegrationCode${instead}.`;
}

/** The check that every sign-in passes, by headers or to the console: lockout, secret, code, and an active resource. */
export function createCheckCredential(
  deps: Pick<AuthenticateDeps, 'checkSecret' | 'findSignIn' | 'countFailure'>,
): CheckCredential {
  return async ({ userName, secret, apiIntegrationCode }, address) => {
    // No user has such a name, and PostgreSQL refuses to look for it: with it, all that are looked for in the same statement.
    if (userName.includes('\0')) throw Problem.unauthorized();
    const signIn = { foldedUserName: userName.toLowerCase(), address };
    const found = await deps.findSignIn(signIn);
    if (found !== undefined && found.lockedForS > 0) throw lockedOut(found.lockedForS);
    const credential = found?.credential ?? UNKNOWN_USER;
    // Before the secret: zoneInformation tells it to anybody, and the secret may be another one by now.
    const isElsewhere = credential === UNKNOWN_USER || credential.moveState === 'left';
    const zone = isElsewhere ? found?.otherZone : undefined;
    if (zone !== undefined) throw Problem.wrongZone(zone.name, zone.url);
    const isSecretRight = await deps.checkSecret(secret, credential);
    const isCodeRight = sameText(await codeOf(), credential.apiIntegrationCode);
    if (credential === UNKNOWN_USER || !isSecretRight || !isCodeRight) {
      const lockedForS = await deps.countFailure(signIn);
      throw lockedForS > 0 ? lockedOut(lockedForS) : Problem.unauthorized();
    }
    if (!credential.isResourceActive) {
      throw Problem.unauthorized('The resource that these credentials belong to is not active.');
    }
    if (credential.moveState === 'arriving') throw tenantIsMoving();
    return credential;

    async function codeOf(): Promise<string> {
      if (typeof apiIntegrationCode === 'string') return apiIntegrationCode;
      return credential !== UNKNOWN_USER && isSecretRight ? apiIntegrationCode(credential) : '';
    }
  };
}

/** Finds who acts. Throws a 400 Problem for a resource that cannot be impersonated. */
export function createFindPerson({ isActiveResource }: Pick<AuthenticateDeps, 'isActiveResource'>): FindPerson {
  return async ({ tenantId, resourceId }, headers) => {
    const given = text(headers['impersonationresourceid']);
    if (given === '') return resourceId;
    const id = /^\d{1,10}$/.test(given) ? Number(given) : 0;
    const isKnown = id >= 1 && id <= MAX_RESOURCE_ID && (await isActiveResource(tenantId, id));
    if (!isKnown) {
      throw Problem.unknownReference(
        'ImpersonationResourceId must be the id of an active resource of this tenant.',
        'ImpersonationResourceId',
      );
    }
    return id;
  };
}

/** Who calls with a credential, acting for itself. */
export function callerOf(credential: StoredCredential): Caller {
  return {
    credentialId: credential.credentialId,
    tenantId: credential.tenantId,
    resourceId: credential.resourceId,
    personId: credential.resourceId,
    role: roleOf(credential),
    canCreateWebhooks: credential.canCreateWebhooks,
    apiRequestsPerHour: credential.apiRequestsPerHour,
    ...(credential.moveState !== null && { isMoving: true }),
  };
}

/** 401, as every refused sign-in; unlike the others it says why, since it is true of every secret. */
function lockedOut(forS: number): Problem {
  const minutes = Math.ceil(forS / 60);
  const message =
    'This user name is locked out from this address after too many failed sign-ins, also for the right secret. ' +
    `Try again in ${minutes === 1 ? '1 minute' : `${minutes} minutes`}.`;
  return new Problem('unauthorized', [{ code: 'lockedOut', message }], { retryAfterS: forS });
}

function text(header: string | string[] | undefined): string {
  return typeof header === 'string' ? header.trim() : '';
}

/** The role of a credential. Throws an Error for one that is not known. */
export function roleOf(credential: Pick<StoredCredential, 'credentialId' | 'role'>): Role {
  if (ROLES.has(credential.role)) return credential.role as Role;
  throw new Error(`credential ${credential.credentialId} has the unknown role ${credential.role}`);
}
