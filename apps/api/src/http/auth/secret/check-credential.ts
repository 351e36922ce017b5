import { Problem } from '@callout/core/errors';
import { tenantIsMoving } from '../refuse-while-moving.ts';
import type { CheckSecret, StoredSecret } from './check-secret.ts';
import { sameText } from './same-text.ts';

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

export interface CheckCredentialDeps {
  readonly checkSecret: CheckSecret;
  /** What is known of a user name and its address: one lookup, whether the name is known or not. */
  readonly findSignIn: (signIn: SignIn) => Promise<FoundSignIn | undefined>;
  /**
   * Counts a wrong secret, code or name. Returns seconds when the pair was locked out before this one, by failures that
   * came at the same time; else 0.
   */
  readonly countFailure: (signIn: SignIn) => Promise<number>;
}

/** The credential that was given, when it is right. Throws a Problem as `createCheckCredential` says. */
export type CheckCredential = (given: GivenCredential, address: string) => Promise<StoredCredential>;

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

/**
 * The check that every sign-in passes, by headers, by SOAP or to the console: lockout, secret, code, an active resource.
 * Rights are read again each time.
 * Known and unknown names take the same steps, get the same words and are locked out alike; a lockout answers before
 * anything is compared, so it tells nothing about the secret. Nor does the time tell whether a name is known when its
 * secret was generated. A name with an imported secret can be told by the time that checking takes: to hide that, every
 * unknown name would have to cost as much, and guessing names would be the cheapest way to keep the API from all others.
 * Throws a `Problem`: 401 with the same words whatever was wrong, or saying that it is locked out; 421 for a user of
 * another zone; 503 when too many imported secrets are being checked, which counts as no failure, or when the tenant has
 * not arrived here yet.
 */
export function createCheckCredential(deps: CheckCredentialDeps): CheckCredential {
  return async ({ userName, secret, apiIntegrationCode }, address) => {
    // No user has such a name, and PostgreSQL refuses to look for it: with it, all that are looked for in the same statement.
    if (userName.includes('\0')) throw Problem.unauthorized();
    const signIn = { foldedUserName: userName.toLowerCase(), address };
    const found = await deps.findSignIn(signIn);
    if (found !== undefined && found.lockedForS > 0) throw lockedOut(found.lockedForS);
    const credential = found?.credential ?? UNKNOWN_USER;
    // Before the secret: zoneInformation tells the zone without credentials, and the secret may have changed there.
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

/** 401, as every refused sign-in; unlike the others it says why, since it is true of every secret. */
function lockedOut(forS: number): Problem {
  const minutes = Math.ceil(forS / 60);
  const message =
    'This user name is locked out from this address after too many failed sign-ins, also for the right secret. ' +
    `Try again in ${minutes === 1 ? '1 minute' : `${minutes} minutes`}.`;
  return new Problem('unauthorized', [{ code: 'lockedOut', message }], { retryAfterS: forS });
}
