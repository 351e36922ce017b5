import { parseOperatorLinkCreate, parsePortalLinkCreate, parseSignInLinkCreate } from '../input/link-input.rules.ts';
import type { ConsoleLinkStore } from './links.ts';
import { newToken } from './session-tokens.ts';
import type { ConsoleIdentity } from './sessions.ts';

/** A link, shown only once: only a digest of its token is stored. */
export interface ConsoleLinkItem {
  readonly url: string;
  readonly expiresDateTime: Date;
}

interface ConsoleLinkDeps {
  readonly links: ConsoleLinkStore;
  /** The address of the API for the tenant's users, without a slash at the end; empty when it is unknown. */
  readonly baseUrlOf: (tenantId: number) => Promise<string>;
  readonly operatorIdentity: ConsoleIdentity;
  readonly now?: () => Date;
}

/** Makes links that sign in to the console. */
export type ConsoleLinks = ReturnType<typeof createConsoleLinks>;

/**
 * Bodies come from operators; throws Problems. The token is in the fragment of the address, which a browser never
 * sends: neither logs nor programs that scan links can use the token up. The page reads the token and signs in.
 */
export function createConsoleLinks(deps: ConsoleLinkDeps) {
  const { links, baseUrlOf, operatorIdentity, now = () => new Date() } = deps;

  async function make(page: string, identity: ConsoleIdentity, expiresInS: number): Promise<ConsoleLinkItem> {
    const token = newToken();
    const expiresDateTime = new Date(now().getTime() + expiresInS * 1000);
    await links.create(token, identity, expiresDateTime);
    return { url: `${page}#link=${token}`, expiresDateTime };
  }

  return {
    async portal(tenantId: number, body: unknown) {
      const { resourceId, webhook, expiresInS } = parsePortalLinkCreate(body);
      const identity = await links.portalIdentity(tenantId, resourceId, webhook);
      return make(`${await baseUrlOf(tenantId)}/console/portal`, identity, expiresInS);
    },
    async signIn(tenantId: number, body: unknown) {
      const { userName, expiresInS } = parseSignInLinkCreate(body);
      const identity = await links.userIdentity(tenantId, userName);
      return make(`${await baseUrlOf(tenantId)}/console`, identity, expiresInS);
    },
    /** @param ownUrl scheme, host and port of the operator's request, when they are trusted. */
    async operator(body: unknown, ownUrl = '') {
      return make(`${ownUrl}/console`, operatorIdentity, parseOperatorLinkCreate(body));
    },
  };
}
