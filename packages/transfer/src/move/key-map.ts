import type { Client } from '@callout/database/connection/database';

/** Rows that the installation numbers, and not the tenant. */
export type KeyKind = 'webhook' | 'credential';

const sequences: Readonly<Record<KeyKind, string>> = {
  webhook: `pg_get_serial_sequence('webhooks', 'key')`,
  credential: `pg_get_serial_sequence('credentials', 'id')`,
};

/**
 * The internal keys of a tenant's webhooks and credentials in the zone that it leaves, and in the one that it comes to.
 * Integrators see neither. Stored in the target, so that an interrupted move assigns the same ones again.
 */
export class KeyMap {
  readonly #known = new Map<string, string>();
  readonly #moveId: string;
  readonly #tenantId: number;

  private constructor(moveId: string, tenantId: number) {
    this.#moveId = moveId;
    this.#tenantId = tenantId;
  }

  /** @param tenantId its number in the target. */
  static async read(target: Client, moveId: string, tenantId: number): Promise<KeyMap> {
    const map = new KeyMap(moveId, tenantId);
    const { rows } = await target.query<{ kind: string; source: string; target: string }>(
      `SELECT kind, source_key::text AS source, target_key::text AS target FROM tenant_move_keys WHERE move_id = $1`,
      [moveId],
    );
    for (const one of rows) map.#known.set(`${one.kind} ${one.source}`, one.target);
    return map;
  }

  /** Assigns keys of the target to rows that have none yet, in the order of their own keys. */
  async ensure(target: Client, kind: KeyKind, sourceKeys: readonly string[]): Promise<void> {
    const missing = [...new Set(sourceKeys)].filter((key) => !this.#known.has(`${kind} ${key}`));
    if (missing.length === 0) return;
    const { rows } = await target.query<{ source: string; target: string }>(
      `INSERT INTO tenant_move_keys (move_id, kind, source_key, tenant_id, target_key)
       SELECT $1, $2, k.source, $3, nextval(${sequences[kind]}) FROM (SELECT unnest($4::bigint[]) AS source ORDER BY 1) AS k
       RETURNING source_key::text AS source, target_key::text AS target`,
      [this.#moveId, kind, this.#tenantId, missing],
    );
    for (const one of rows) this.#known.set(`${kind} ${one.source}`, one.target);
  }

  /** @throws Error for a key that was not ensured. */
  of(kind: KeyKind, sourceKey: string): string {
    const key = this.#known.get(`${kind} ${sourceKey}`);
    if (key === undefined) throw new Error(`the ${kind} with the key ${sourceKey} is not one of the tenant`);
    return key;
  }
}
