import type { Writable } from 'node:stream';
import type { ClientBase } from 'pg';

const gathering = new WeakSet<Writable>();

/**
 * Lets what is sent on this connection before the event loop goes on leave in one write. pg writes each statement by
 * itself, and writing to a socket costs as much as all else that is done for a small statement.
 */
export function gatherWrites(client: ClientBase): void {
  // Not part of pg's types, but of what it promises to those who extend it. Absent: statements leave one by one.
  const stream = (client as { connection?: { stream?: Writable } }).connection?.stream;
  if (stream === undefined || gathering.has(stream)) return;
  gathering.add(stream);
  stream.cork();
  process.nextTick(() => {
    gathering.delete(stream);
    stream.uncork();
  });
}
