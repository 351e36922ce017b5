import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Problem } from '@callout/domain/problem';
import type { Reservation } from '../limits/tenant-budget.ts';
import { HttpProblem } from '../http-problem.ts';
import { codingOf, inflate } from './inflate.ts';

/** Where a body finds capacity. */
export type BodyReservation = Pick<Reservation, 'acquire' | 'ensure' | 'usage'>;

/** Whether a request announces a body. */
export function hasBody(headers: IncomingHttpHeaders): boolean {
  const announced = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (announced !== undefined && announced !== '0');
}

/** Throws a Problem (413) for a body whose announced length is above `maxBytes`. */
export function refuseTooLarge(headers: IncomingHttpHeaders, maxBytes: number): void {
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

/**
 * The bytes of a body, inflated if the body is compressed. Inflating begins when the whole body has arrived, since a
 * slow sender would occupy an inflater. `express.raw` inflates while bytes arrive, has no share for each tenant, and
 * waits a minute for a sender that stalls (`stalled-bodies.test.ts`). Throws the problems of `readArrivingBytes` and
 * `inflate`, and an HttpProblem (415) for an unsupported coding.
 */
export async function readBytes(
  request: IncomingMessage,
  maxBytes: number,
  reservation: BodyReservation,
): Promise<Buffer> {
  const coding = codingOf(request.headers);
  const bytes = await readArrivingBytes(request, maxBytes, reservation);
  if (coding === null || bytes.length === 0) return bytes;
  return inflate(bytes, coding, { maxBytes, take: (length) => reservation.acquire(length) });
}

/**
 * The bytes of a body as they arrive. Throws a `Problem`: 413 above `maxBytes`, 429 or 503 without capacity (before
 * reading, when the length is announced), 408 when the body stalls (see `watchProgress`), 400 when the connection ends.
 * The rest of a refused body is read and dropped, and the client receives the response.
 */
async function readArrivingBytes(
  request: IncomingMessage,
  maxBytes: number,
  reservation: BodyReservation,
): Promise<Buffer> {
  const announced = request.headers['content-length'];
  if (announced !== undefined) reservation.ensure(Number(announced));
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
        reservation.acquire(chunk.length);
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
      fill: reservation.usage,
      onStalled: () => refuse(HttpProblem.stalled()),
    });
    request.on('data', onData).on('end', onEnd).on('close', onCut);
  });
}

function tooLarge(limitBytes: number): Problem {
  return Problem.tooLarge(`The body must be ${limitBytes} bytes or fewer`);
}

/** How often the progress of a body is checked. */
const WINDOW_MS = 5_000;
/** The least that must arrive within each window; even senders on bad lines are faster. */
const LEAST_BYTES = 4_096;
/** From here on capacity is scarce, and large bodies must arrive faster. */
const SCARCE_FILL = 0.5;
/** The part of the present size by which a body must grow within each window while capacity is scarce. */
const SCARCE_SHARE = 1 / 16;

interface Watched {
  /** The bytes that have arrived. */
  readonly received: () => number;
  /** How much capacity is in use, 0 to 1; see `Reservation`. */
  readonly fill: () => number;
  /** Called once, when too little has come. */
  readonly onStalled: () => void;
}

/**
 * Watches a body while the bytes arrive, since a stalled body occupies capacity. A body that stops is found within
 * seconds, a slow body only while capacity is scarce: when the body grows by less than a sixteenth within a window.
 * @returns a function that stops watching; to be called when the body has arrived or is refused.
 */
export function watchProgress({ received, fill, onStalled }: Watched): () => void {
  let before = 0;
  const timer = setInterval(() => {
    const now = received();
    const least = Math.max(LEAST_BYTES, fill() > SCARCE_FILL ? now * SCARCE_SHARE : 0);
    if (now - before < least) onStalled();
    before = now;
  }, WINDOW_MS);
  return () => clearInterval(timer);
}
