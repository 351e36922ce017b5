import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Reservation, TenantBudget } from '../limits/tenant-budget.ts';
import { writeHead, type ApiResponse } from '../api-response.ts';
import { tagOfBytes } from '../conditional/entity-tag.ts';
import { isNamed, refuseOtherVersions, withTag, type Preconditions } from '../conditional/preconditions.ts';
import { responseChunks } from './response-chunks.ts';
import { readerPace, type ReaderPace } from './reader-pace.ts';

/** How often slow readers are looked for. */
const SWEEP_MS = 500;

interface SendOptions {
  readonly tenantId: number;
  /** Whether a 429 or 503 may be sent instead: not when the request has changed something. */
  readonly mayRefuse: boolean;
  /** Of a read whose response has an `ETag`: the tag that the endpoint gives, else a tag of the bytes. */
  readonly preconditions?: Preconditions;
}

/** The responses before their last byte is sent. */
export interface UnsentResponses {
  /** Throws a Problem (429 or 503) if a tenant has no capacity for a usual response, before a response is made. */
  admit(tenantId: number): void;
  /**
   * Writes a response, or 304 when the request names its version. Throws a Problem: 429 or 503 if there is no capacity
   * and a refusal is allowed, 412 when the request wants another version.
   */
  send(response: ServerResponse, apiResponse: ApiResponse, options: SendOptions): void;
}

interface Unsent {
  readonly socket: Socket;
  readonly reservation: Reservation;
  readonly pace: ReaderPace;
}

/** Counts the bytes of a response in a reservation until they are sent or the connection is closed. */
type CountUntilSent = (response: ServerResponse, reservation: Reservation) => Unsent;

/**
 * Writes responses at the pace of their readers, and bounds the bytes that wait in the process: the bytes of each
 * response count until the system has them. A large response is written in chunks, each released when the chunk is
 * sent; readers that are slower than `readerPace` allows lose their connection. `response.json` of Express hands the
 * whole text to Node, for any reader and any number of readers (`unsent-responses.test.ts`).
 * @param budget in bytes.
 * @param usualBytes the capacity that must be free before a response is made.
 */
export function createUnsentResponses(budget: TenantBudget, usualBytes: number): UnsentResponses {
  const countUntilSent = watchReaders();
  return {
    admit: (tenantId) => budget.reserve(tenantId).ensure(usualBytes),
    send(response, untagged, { tenantId, mayRefuse, preconditions }) {
      const chunks = responseChunks(untagged);
      const apiResponse = preconditions === undefined ? untagged : tagged(untagged, chunks);
      if (preconditions !== undefined && isUnchanged(apiResponse, preconditions)) {
        writeNotModified(response, apiResponse);
        return;
      }
      const reservation = budget.reserve(tenantId);
      if (typeof chunks === 'string') {
        const bytes = Buffer.byteLength(chunks);
        writeHead(response, apiResponse, bytes);
        response.end(chunks);
        // Most responses are with the system at once.
        if (response.socket?.writableLength === 0 || response.req.socket.destroyed) return;
        reservation.acquireUnchecked(bytes);
        countUntilSent(response, reservation);
        return;
      }
      const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
      if (response.req.method === 'HEAD' || response.req.socket.destroyed) {
        writeHead(response, apiResponse, length);
        response.end();
        return;
      }
      if (mayRefuse) reservation.acquire(length);
      else reservation.acquireUnchecked(length);
      writeHead(response, apiResponse, length);
      writeChunks(response, chunks, countUntilSent(response, reservation));
    },
  };
}

/** Closes, twice a second, the connections of readers that are too slow. */
function watchReaders(): CountUntilSent {
  const unsent = new Set<Unsent>();
  let timer: NodeJS.Timeout | undefined;

  function closeSlowReaders(): void {
    const nowMs = performance.now();
    for (const { socket, reservation, pace } of unsent)
      if (pace.isTooSlow(reservation.usage(), nowMs)) socket.destroy();
  }

  return (response, reservation) => {
    const { socket } = response.req;
    const counted: Unsent = { socket, reservation, pace: readerPace(performance.now()) };
    const stopCounting = () => {
      response.off('close', stopCounting);
      socket.off('close', stopCounting);
      reservation.releaseAll();
      unsent.delete(counted);
      if (unsent.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
    response.once('close', stopCounting);
    // A response behind an earlier response of the connection gets no `close` of its own.
    socket.once('close', stopCounting);
    unsent.add(counted);
    timer ??= setInterval(closeSlowReaders, SWEEP_MS).unref();
    return counted;
  };
}

/** Writes the chunks as fast as the reader takes them, and releases the bytes of each when the chunk is sent. */
function writeChunks(response: ServerResponse, chunks: Buffer[], unsent: Unsent): void {
  const { pace, reservation } = unsent;
  for (let chunk = chunks.shift(); chunk !== undefined; chunk = chunks.shift()) {
    const { length } = chunk;
    const isTaken = response.write(chunk, () => {
      pace.took(length, performance.now());
      reservation.release(length);
    });
    if (isTaken) continue;
    response.once('drain', () => writeChunks(response, chunks, unsent));
    return;
  }
  response.end();
}

function tagged(apiResponse: ApiResponse, chunks: string | readonly Buffer[]): ApiResponse {
  if (apiResponse.headers?.['ETag'] !== undefined) return apiResponse;
  return withTag(apiResponse, tagOfBytes(typeof chunks === 'string' ? [chunks] : chunks));
}

function isUnchanged({ headers }: ApiResponse, preconditions: Preconditions): boolean {
  const tag = headers?.['ETag'] ?? '';
  refuseOtherVersions(preconditions, tag);
  return isNamed(preconditions, tag);
}

/** The reader has the same bytes already (RFC 9110, 15.4.5). */
function writeNotModified(response: ServerResponse, { headers }: ApiResponse): void {
  response.writeHead(304, { ...headers, 'Cache-Control': 'no-store' });
  response.end();
}
