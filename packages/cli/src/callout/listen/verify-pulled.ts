import { type PublicKeys, publicKeysAt, type Secrets, VerificationError, verify } from '@callout/receiver';

/** Kinds of signatures by their beginning in `webhook-signature`. */
const beginnings = { hmac: 'v1,', ed25519: 'v1a,' } as const;
type Kind = keyof typeof beginnings;
const kinds = Object.keys(beginnings) as Kind[];

/** What the signatures of a callout are worth. */
export interface Verdict {
  /** Null: the signature could not be verified, without the key. */
  readonly isVerified: boolean | null;
  /** The kinds that are right. */
  readonly verifiedBy: readonly Kind[];
  /** The kinds that are wrong. */
  readonly wrong: readonly Kind[];
}

export interface Keys {
  /** Undefined: only the owner of the webhook knows it. */
  readonly secretKey: string | undefined;
  /** Where the public keys are; null: the webhook has none. Asked when the first callout needs them. */
  readonly keysUrl: () => Promise<string | null>;
  /** Called with the reason why public keys could not be read. */
  readonly onUnreadable: (reason: string) => void;
}

/** Verifies `webhook-signature` of Standard Webhooks: HMAC by the secret, Ed25519 by the public keys of the tenant. */
export type Verifier = (headers: Readonly<Record<string, string>>, body: string) => Promise<Verdict>;

export function createVerifier({ secretKey, keysUrl, onUnreadable }: Keys): Verifier {
  let reading: Promise<PublicKeys | undefined> | undefined;

  /** Once, unless the request fails or finds no keys. */
  async function publicKeys(): Promise<PublicKeys | undefined> {
    reading ??= keysUrl().then((url) => (url === null ? undefined : publicKeysAt(url)));
    try {
      const keys = await reading;
      if (keys === undefined) reading = undefined;
      return keys;
    } catch (error) {
      reading = undefined;
      throw error;
    }
  }

  const keysOf = { hmac: async () => secretKey, ed25519: publicKeys };

  /** Null: the key is not known. */
  async function isRight(kind: Kind, headers: Readonly<Record<string, string>>, body: string): Promise<boolean | null> {
    try {
      const keys = await keysOf[kind]();
      return keys === undefined ? null : await isSignedBy(keys, headers, body);
    } catch (error) {
      onUnreadable(error instanceof Error ? error.message : String(error));
      return null;
    }
  }

  return async (headers, body) => {
    const signatures = headers['webhook-signature']?.split(' ') ?? [];
    const present = kinds.filter((kind) => signatures.some((one) => one.startsWith(beginnings[kind])));
    const judged = await Promise.all(present.map(async (kind) => [kind, await isRight(kind, headers, body)] as const));
    const those = (wanted: boolean) => judged.flatMap(([kind, isGood]) => (isGood === wanted ? [kind] : []));
    const [verifiedBy, wrong] = [those(true), those(false)];
    const isWrong = wrong.length > 0 || (present.length === 0 && secretKey !== undefined);
    return { isVerified: isWrong ? false : verifiedBy.length > 0 ? true : null, verifiedBy, wrong };
  };
}

/** Whenever it was signed: the command itself reports a wrong clock of this machine. */
async function isSignedBy(keys: Secrets, headers: Readonly<Record<string, string>>, body: string): Promise<boolean> {
  try {
    await verify(body, headers, keys, { toleranceSeconds: Infinity });
    return true;
  } catch (error) {
    if (!(error instanceof VerificationError)) throw error;
    // A body unknown to the library is signed all the same.
    return error.code === 'malformed_body';
  }
}
