import { newToken } from '@callout/tenancy/sessions/session-tokens';
import type { FoundSession } from '@callout/tenancy/sessions/session.rules';
import type { Database } from '@callout/database/connection/database';
import { createConsoleSessionStore, type ConsoleIdentity } from '@callout/tenancy/sessions/sessions';
import { sharedLookup } from '../http/auth/shared-lookup.ts';

/** Without a request for so long, a session is over. */
const IDLE_MS = 8 * 3_600_000;
/** After so long a session is over in any case. */
const LONGEST_MS = 7 * 24 * 3_600_000;
/** A session is extended once so much of the time has passed: not with every request. */
const STEP_MS = 60_000;

export interface Sessions {
  /** Begins a session with a new token. */
  begin(identity: ConsoleIdentity): Promise<string>;
  /** The valid session of a token, which then goes on for another 8 hours. */
  use(token: string): Promise<FoundSession | undefined>;
  /** The valid session of a token, without an extension. */
  look(token: string): Promise<FoundSession | undefined>;
  end(token: string): Promise<void>;
}

/**
 * Sessions of the console. Each request reads the session again: an ended session is refused from the next request on.
 */
export function createSessions(database: Pick<Database, 'prisma' | 'transaction'>): Sessions {
  const store = createConsoleSessionStore(database);
  const look = sharedLookup((tokens: readonly string[]) => store.find(tokens, new Date()));
  return {
    async begin(identity) {
      const token = newToken();
      await store.begin(token, identity, new Date(Date.now() + IDLE_MS));
      return token;
    },
    async use(token) {
      const session = await look(token);
      if (session === undefined) return undefined;
      const expiresAt = new Date(Math.min(Date.now() + IDLE_MS, session.createdAt.getTime() + LONGEST_MS));
      if (expiresAt.getTime() - session.expiresAt.getTime() < STEP_MS) return session;
      await store.extend(token, expiresAt);
      return { ...session, expiresAt };
    },
    look,
    end: (token) => store.end(token),
  };
}
