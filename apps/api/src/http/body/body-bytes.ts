import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Problem } from '@callout/core/errors';
import type { Room } from '../limits/tenant-budget.ts';
import { HttpProblem } from '../errors/http-problem.ts';
import { watchProgress } from './body-progress.ts';

/** Where a body finds room. */
export type BodyRoom = Pick<Room, 'take' | 'expect' | 'fill'>;

/** Whether a request announces a body. */
export function hasBody(headers: IncomingHttpHeaders): boolean {
  const announced = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (announced !== undefined && announced !== '0');
}

/** Throws a Problem (413) for a body whose announced length is above `maxBytes`. */
export function refuseTooLarge(headers: IncomingHttpHeaders, maxBytes: number): void {
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

/** Throws an HttpProblem (415) for a body that is compressed or otherwise coded. */
export function refuseCoding({ 'content-encoding': coding }: IncomingHttpHeaders): void {
  if (coding !== undefined && coding.toLowerCase() !== 'identity') {
    throw HttpProblem.unsupportedMediaType('The body must be sent without Content-Encoding.');
  }
}

/**
 * The bytes of a body. Throws a `Problem`: 413 above `maxBytes`, 429 or 503 without room (before reading, when the length
 * is announced), 408 when it stalls on its way (see `watchProgress`), 400 when it is cut off. What is left of a refused
 * body is read and dropped, so that the client gets to see the answer.
 */
export async function readBytes(request: IncomingMessage, maxBytes: number, room: BodyRoom): Promise<Buffer> {
  const announced = request.headers['content-length'];
  if (announced !== undefined) room.expect(Number(announced));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const refuse = (problem: unknown) => {
      stopWatching();
      request.off('data', onData).off('end', onEnd).off('close', onCut);
      request.resume();
      reject(problem);
    };
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      try {
        if (length > maxBytes) throw tooLarge(maxBytes);
        room.take(chunk.length);
        chunks.push(chunk);
      } catch (problem) {
        refuse(problem);
      }
    };
    const onEnd = () => {
      stopWatching();
      request.off('close', onCut);
      const [only] = chunks;
      resolve(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, length));
    };
    const onCut = () => refuse(Problem.invalid('The connection ended before the body was complete.'));
    const stopWatching = watchProgress({
      received: () => length,
      fill: room.fill,
      onStalled: () => refuse(HttpProblem.stalled()),
    });
    request.on('data', onData).on('end', onEnd).on('close', onCut);
  });
}

function tooLarge(limitBytes: number): Problem {
  return Problem.tooLarge(`The body must be ${limitBytes} bytes or fewer`);
}
