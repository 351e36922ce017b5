import type { Writable } from 'node:stream';
import type { ClientBase } from 'pg';

const gathering = new WeakSet<Writable>();

/**
 * Sends the statements of this turn of the event loop in one write. pg writes each statement separately,
 * and writing to a socket costs as much as all the rest of a small statement.
 */
export function gatherWrites(client: ClientBase): void {
  // Not in pg's types, but part of its interface for extensions. Absent: statements are sent one by one.
  const stream = (client as { connection?: { stream?: Writable } }).connection?.stream;
  if (stream === undefined || gathering.has(stream)) return;
  gathering.add(stream);
  stream.cork();
  process.nextTick(() => {
    gathering.delete(stream);
    stream.uncork();
  });
}
