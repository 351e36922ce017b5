import type { OpenedSecrets } from './open-secrets.ts';
import type { Pool } from 'pg';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { loggedHeaders } from '@callout/pipeline/deliver/sign.rules';
import { readBodies } from '@callout/pipeline/payload/callout-bodies';
import { exportQueries, type ExportRow } from './export-queries.ts';

/** Rows in memory at a time; the largest are attempts and records of some ten kilobytes, seldom more. */
const rowsPerFetch = 100;

export interface ExportRules {
  /**
   * Writes one line, without its end, and is awaited. False: the reader has disconnected, and the rest is left out.
   */
  readonly write: (line: string) => Promise<boolean>;
  /**
   * Secrets of the tenant's webhooks by GUID, and of the key pair by id, to be written with them; absent: no secrets
   * are written.
   */
  readonly secrets?: ReadonlyMap<string, OpenedSecrets>;
}

/**
 * Writes everything of a tenant as JSON, one line per row, in one snapshot without concurrent changes. The last line is
 * `{"kind":"end","lines":n}`; a file without it is incomplete.
 * @param pool preferably without a limit on the time of a statement: attempts are found by reading all of them.
 * @returns the number of lines of each kind.
 */
export function exportTenant(
  pool: Pool,
  tenantId: number,
  { write, secrets }: ExportRules,
): Promise<Record<string, number>> {
  return inTransaction(pool, async (transaction) => {
    // The reader may be slow, and nothing waits for the transaction.
    await transaction.query(`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY; SET LOCAL TimeZone = 'UTC';
      SET LOCAL idle_in_transaction_session_timeout = 0`);
    const counts: Record<string, number> = {};
    let total = 0;
    for (const { kind, query } of exportQueries) {
      counts[kind] = 0;
      // DECLARE has no parameters; the value is a number, which is safe in the text.
      await transaction.query(`DECLARE lines NO SCROLL CURSOR FOR ${query.replaceAll('$1', String(tenantId))}`);
      for (;;) {
        const { rows } = await transaction.query<ExportRow>(`FETCH ${rowsPerFetch} FROM lines`);
        const ids = kind === 'callout' ? rows.flatMap(({ callout }) => callout?.id ?? []) : [];
        const bodies = await readBodies(transaction, ids);
        for (const row of rows) {
          const isWritten = await write(
            hasSecret.has(kind) ? withSecret(row.line, secrets) : lineOf(kind, row, bodies),
          );
          if (!isWritten) return counts;
          counts[kind] += 1;
          total += 1;
        }
        if (rows.length < rowsPerFetch) break;
      }
      await transaction.query('CLOSE lines');
    }
    await write(JSON.stringify({ kind: 'end', lines: total }));
    return counts;
  });
}

/** Kinds of lines whose secrets are written on request. */
const hasSecret: ReadonlySet<string> = new Set(['webhook', 'signingKey']);

/** Adds what is made as the last member, without reading the others: their text stays as it is. */
function lineOf(kind: string, row: ExportRow, bodies: ReadonlyMap<string, string>): string {
  const { line, callout, number, startedAt, storedHeaders } = row;
  const withMember = (name: string, value: unknown) => `${line.slice(0, -1)},"${name}":${JSON.stringify(value)}}`;
  if (callout === undefined) return line;
  if (kind === 'callout') return withMember('body', bodies.get(callout.id) ?? null);
  if (number === undefined || startedAt === undefined) return line;
  return withMember('requestHeaders', loggedHeaders(callout, { number, startedAt }, storedHeaders ?? {}));
}

function withSecret(line: string, secrets: ReadonlyMap<string, OpenedSecrets> | undefined): string {
  if (secrets === undefined) return line;
  const owner = JSON.parse(line) as { readonly webhookGUID?: string; readonly id: string };
  if (owner.webhookGUID === undefined) return JSON.stringify({ ...owner, privateKey: null, ...secrets.get(owner.id) });
  return JSON.stringify({ ...owner, secretKey: null, ...secrets.get(owner.webhookGUID) });
}
