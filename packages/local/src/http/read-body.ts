import type { IncomingMessage } from 'node:http';

/**
 * @returns undefined when the sender sends more than `mostBytes`: the rest has been read and dropped.
 * @throws when the sender breaks off.
 */
export async function readBody(request: IncomingMessage, mostBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= mostBytes) chunks.push(chunk);
  }
  return size <= mostBytes ? Buffer.concat(chunks) : undefined;
}
