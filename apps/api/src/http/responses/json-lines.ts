import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

/** The type of a response with a JSON value per line. */
export const jsonLinesType = 'application/x-ndjson; charset=utf-8';

/** As long as reading a whole response may take. */
const PATIENCE_MS = 120_000;

/**
 * Writes a value as a line, and waits until the reader has taken enough for another line. A reader that takes nothing
 * for two minutes loses the connection.
 * @returns false: the reader has disconnected.
 */
export async function writeLine(
  response: ServerResponse,
  line: string,
  patienceMs: number = PATIENCE_MS,
): Promise<boolean> {
  if (response.destroyed) return false;
  if (response.write(`${line}\n`)) return true;
  const end = new AbortController();
  const { signal } = end;
  const timer = setTimeout(() => response.destroy(), patienceMs);
  await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]).catch(() => undefined);
  clearTimeout(timer);
  end.abort();
  return !response.destroyed;
}
