import type { Database } from '@callout/database/connection/database';

/** Written at once and unchanged, so that the output of a killed run is complete. */
export function say(line: string): void {
  process.stdout.write(`drill: ${line}\n`);
}

const EVERY_MS = 30_000;

/** Says every half minute how far a drill is, by what its database holds. @returns the function that ends it. */
export function sayProgress({ pool }: Pick<Database, 'pool'>): () => Promise<void> {
  const startedAtMs = Date.now();
  const sayOnce = async () => {
    const held = await pool.query<{ events: number; pending: number; open: number }>(
      `SELECT (SELECT count(*) FROM events) AS events, (SELECT count(*) FROM pending_events) AS pending,
         (SELECT count(*) FROM open_callouts) AS open`,
    );
    const [{ events, pending, open } = { events: 0, pending: 0, open: 0 }] = held.rows;
    return `${events} events stored, ${pending} of them pending, ${open} callouts open`;
  };
  const timer = setInterval(() => {
    void sayOnce()
      .catch(
        (error: unknown) => `PostgreSQL does not answer (${error instanceof Error ? error.message : String(error)})`,
      )
      .then((progress) => say(`after ${Math.round((Date.now() - startedAtMs) / 1_000)} s: ${progress}`));
  }, EVERY_MS);
  return async () => clearInterval(timer);
}
