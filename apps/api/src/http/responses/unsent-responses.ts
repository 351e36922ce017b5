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
  /** Of a read whose response has an `ETag`: its own, else that of its bytes, which no other response has. */
  readonly preconditions?: Preconditions;
}

/** The responses that are not yet sent. */
export interface UnsentResponses {
  /** Throws a Problem (429 or 503) if a tenant has no capacity for a usual response, before one is made. */
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

/**
 * Writes responses at the pace of their readers, and bounds the bytes that wait in this process: the bytes of each
 * response count until the system has them. A large response is written in chunks, each released when it is sent;
 * readers that are slower than `readerPace` allows lose their connection.
 * @param budget in bytes.
 * @param usualBytes the capacity that must be free before a response is made.
 */
export function createUnsentResponses(budget: TenantBudget, usualBytes: number): UnsentResponses {
  const unsent = new Set<Unsent>();
  let sweeping: NodeJS.Timeout | undefined;

  function sweep(): void {
    const nowMs = performance.now();
    for (const { socket, reservation, pace } of unsent)
      if (pace.isTooSlow(reservation.usage(), nowMs)) socket.destroy();
  }

  /**
   * Counts a response until it is sent or its connection is closed. It listens to the connection as well, since a
   * response behind an earlier one of the same connection gets no `close` of its own.
   */
  function keep(response: ServerResponse, reservation: Reservation): Unsent {
    const { socket } = response.req;
    const one: Unsent = { socket, reservation, pace: readerPace(performance.now()) };
    const done = () => {
      response.off('close', done);
      socket.off('close', done);
      reservation.releaseAll();
      unsent.delete(one);
      if (unsent.size > 0) return;
      clearInterval(sweeping);
      sweeping = undefined;
    };
    response.once('close', done);
    socket.once('close', done);
    unsent.add(one);
    sweeping ??= setInterval(sweep, SWEEP_MS).unref();
    return one;
  }

  function sendShort(response: ServerResponse, apiResponse: ApiResponse, text: string, reservation: Reservation): void {
    writeHead(response, apiResponse, Buffer.byteLength(text));
    response.end(text);
    // Most are with the system at once.
    if (response.socket?.writableLength === 0 || response.req.socket.destroyed) return;
    reservation.acquireUnchecked(Buffer.byteLength(text));
    keep(response, reservation);
  }

  function sendLong(
    response: ServerResponse,
    apiResponse: ApiResponse,
    chunks: Buffer[],
    length: number,
    reservation: Reservation,
  ): void {
    const one = keep(response, reservation);
    writeHead(response, apiResponse, length);
    const writeOn = () => {
      for (let chunk = chunks.shift(); chunk !== undefined; chunk = chunks.shift()) {
        const { length: bytes } = chunk;
        const isTaken = response.write(chunk, () => {
          one.pace.took(bytes, performance.now());
          reservation.release(bytes);
        });
        if (isTaken) continue;
        response.once('drain', writeOn);
        return;
      }
      response.end();
    };
    writeOn();
  }

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
        sendShort(response, apiResponse, chunks, reservation);
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
      sendLong(response, apiResponse, chunks, length, reservation);
    },
  };
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

/** The reader has this response already (RFC 9110, 15.4.5). */
function writeNotModified(response: ServerResponse, { headers }: ApiResponse): void {
  response.writeHead(304, { ...headers, 'Cache-Control': 'no-store' });
  response.end();
}
