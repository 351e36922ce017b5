import { randomBytes } from 'node:crypto';
import type { Client } from '@callout/database/connection/database';
import { statementFrom } from '@callout/database/connection/statement/statement';
import { newId } from '@callout/database/schema/ids';
import { type KeyRing, secretAad } from '@callout/domain/secrets/keyring';

/** The owner of a token. */
export interface TokenOwner {
  readonly webhookKey: number;
  readonly tenantId: number;
  readonly webhookGuid: string;
  /** Of the settings that the token is fetched with: with new settings there is another token. */
  readonly authId: string;
}

/** A token, and how long the token may still be used, in milliseconds. */
export interface StoredToken {
  readonly id: string;
  readonly token: string;
  readonly usableMs: number;
}

/** The right to fetch and to store a token. */
export interface FetchTurn {
  readonly fetcher: string;
}

/** What a worker finds: a token, the right to fetch a token, or another worker that fetches. */
export type TokenTurn = StoredToken | FetchTurn | 'wait';

interface TurnRow {
  isMine: boolean;
  id: string | null;
  usableMs: number;
  keyId: string;
  nonce: Buffer;
  ciphertext: Buffer;
}

const take = statementFrom<TurnRow>('deliver/receiver_token_take');

const write = statementFrom('deliver/receiver_token_write');

const giveUp = statementFrom('deliver/receiver_token_give_up');

/** The tokens of receivers in PostgreSQL, encrypted, so that all workers share a token and a single worker fetches the token. */
export function createTokenStore(client: Client, keyRing: KeyRing) {
  function decrypt({ tenantId, webhookGuid }: TokenOwner, row: TurnRow): string | undefined {
    try {
      return keyRing.decrypt(row, secretAad(tenantId, webhookGuid));
    } catch {
      // The key was removed from the ring: the token is fetched again.
      return undefined;
    }
  }

  return {
    /** @param refused the id of a token that must not be used again. @param leaseMs how long fetching may take. */
    async take(owner: TokenOwner, refused: string | undefined, leaseMs: number): Promise<TokenTurn> {
      const { webhookKey, authId } = owner;
      // A name for each fetch, not for each process: a process may still be fetching with settings of before a change.
      const fetcher = newId();
      const [row] = await take(client, [webhookKey, authId, refused ?? null, fetcher, leaseMs]);
      if (row === undefined || row.isMine) return { fetcher };
      if (row.id === null) return 'wait';
      const token = decrypt(owner, row);
      return token === undefined ? this.take(owner, row.id, leaseMs) : { id: row.id, token, usableMs: row.usableMs };
    },

    /** Stores a fetched token, unless another worker has the right to fetch by now. */
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
