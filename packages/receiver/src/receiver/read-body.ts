import { joinBytes } from '../verify/bytes.ts';

/** How many times the largest body is read and thrown away before the connection is closed. */
const DISCARD_TIMES = 4;

/** The used parts of an `IncomingMessage`: types of Node are not needed. */
export interface BodyStream {
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
  once(event: 'end' | 'close', listener: () => void): unknown;
  once(event: 'error', listener: (error: Error) => void): unknown;
}

/** Reads the bytes of a request. @returns undefined for a body that is too large. */
export function readBody(request: BodyStream, maxBytes: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Not `for await`: leaving the loop early would destroy the request, and with the request the answer.
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Uint8Array) => {
      length += chunk.length;
      if (length <= maxBytes) chunks.push(chunk);
      // A connection with unread bytes is reset, and the sender never sees the answer: read on, but not for ever.
      else if (length > DISCARD_TIMES * maxBytes) resolve(undefined);
    });
    request.once('end', () => resolve(length > maxBytes ? undefined : joinBytes(chunks)));
    request.once('error', reject);
    request.once('close', () => reject(new Error('The connection ended before the body did.')));
  });
}
