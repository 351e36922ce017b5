import { randomBytes } from 'node:crypto';
import type { Client } from '@callout/database/connection/database';
import { statement } from '@callout/database/connection/statement/statement';
import { newId } from '@callout/database/schema/ids';
import { type KeyRing, secretAad } from '@callout/domain/secrets/keyring';

/** Whose token it is. */
export interface TokenOwner {
  readonly webhookKey: number;
  readonly tenantId: number;
  readonly webhookGuid: string;
  /** Of the settings that the token is fetched with: others have another token. */
  readonly authId: string;
}

/** A token, and how long it may still be used, in milliseconds. */
export interface StoredToken {
  readonly id: string;
  readonly token: string;
  readonly usableMs: number;
}

/** The right to fetch a token, and to store it. */
export interface FetchTurn {
  readonly fetcher: string;
}

/** What a worker finds: a token, the right to fetch one, or that another one is being fetched. */
export type TokenTurn = StoredToken | FetchTurn | 'wait';

interface TurnRow {
  isMine: boolean;
  id: string | null;
  usableMs: number;
  keyId: string;
  nonce: Buffer;
  ciphertext: Buffer;
}

// One row for each webhook, written by one statement at a time. The one that returns `is_mine` gives the right to fetch, until `fetching_until`.
const take = statement<TurnRow>(
  'receiver_token_take',
  `WITH mine AS (
     INSERT INTO receiver_tokens AS t (webhook_key, auth_id, fetcher, fetching_until)
     VALUES ($1, $2, $4, now() + $5 * interval '1 millisecond')
     ON CONFLICT (webhook_key) DO UPDATE SET auth_id = excluded.auth_id, fetcher = excluded.fetcher,
       fetching_until = excluded.fetching_until,
       token_id = CASE WHEN t.auth_id = excluded.auth_id THEN t.token_id END
     WHERE t.auth_id <> excluded.auth_id
       OR ((t.token_id IS NULL OR t.token_id = $3 OR t.usable_until <= now())
         AND (t.fetching_until IS NULL OR t.fetching_until <= now()))
     RETURNING webhook_key
   )
   SELECT EXISTS (SELECT FROM mine) AS "isMine", t.token_id AS id, t.key_id AS "keyId", t.nonce, t.ciphertext,
     (extract(epoch FROM t.usable_until - now()) * 1000)::float8 AS "usableMs"
   FROM (VALUES (1)) AS one LEFT JOIN receiver_tokens t ON t.webhook_key = $1 AND t.auth_id = $2
     AND t.token_id IS DISTINCT FROM $3 AND t.usable_until > now()`,
);

const write = statement(
  'receiver_token_write',
  `UPDATE receiver_tokens SET token_id = $3, key_id = $4, nonce = $5, ciphertext = $6,
     usable_until = now() + $7 * interval '1 millisecond', fetcher = NULL, fetching_until = NULL
   WHERE webhook_key = $1 AND fetcher = $2`,
);

const giveUp = statement(
  'receiver_token_give_up',
  'UPDATE receiver_tokens SET fetcher = NULL, fetching_until = NULL WHERE webhook_key = $1 AND fetcher = $2',
);

/** The tokens of receivers in PostgreSQL, encrypted, so that all workers share them and one of them fetches each. */
export function createTokenStore(client: Client, keyRing: KeyRing) {
  function open({ tenantId, webhookGuid }: TokenOwner, row: TurnRow): string | undefined {
    try {
      return keyRing.decrypt(row, secretAad(tenantId, webhookGuid));
    } catch {
      // Its key was removed from the ring: it is fetched again.
      return undefined;
    }
  }

  return {
    /** @param refused the id of a token that must not be used again. @param leaseMs how long fetching may take. */
    async take(owner: TokenOwner, refused: string | undefined, leaseMs: number): Promise<TokenTurn> {
      const { webhookKey, authId } = owner;
      // A name for each fetch, not for each process: one may still be fetching with settings that were changed meanwhile.
      const fetcher = newId();
      const [row] = await take(client, [webhookKey, authId, refused ?? null, fetcher, leaseMs]);
      if (row === undefined || row.isMine) return { fetcher };
      if (row.id === null) return 'wait';
      const token = open(owner, row);
      return token === undefined ? this.take(owner, row.id, leaseMs) : { id: row.id, token, usableMs: row.usableMs };
    },

    /** Stores a token that was fetched, unless the right to fetch one is another's by now. */
    async write(owner: TokenOwner, { fetcher }: FetchTurn, token: string, usableMs: number): Promise<StoredToken> {
      const { webhookKey, tenantId, webhookGuid } = owner;
      const id = newId();
      const encrypted = keyRing.encrypt(token, secretAad(tenantId, webhookGuid), randomBytes(12));
      await write(client, [webhookKey, fetcher, id, encrypted.keyId, encrypted.nonce, encrypted.ciphertext, usableMs]);
      return { id, token, usableMs };
    },

    /** Lets another worker try. */
    async giveUp({ webhookKey }: TokenOwner, { fetcher }: FetchTurn): Promise<void> {
      await giveUp(client, [webhookKey, fetcher]);
    },
  };
}

export type TokenStore = ReturnType<typeof createTokenStore>;
