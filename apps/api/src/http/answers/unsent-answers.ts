import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Room, TenantBudget } from '../limits/tenant-budget.ts';
import { writeHead, type Answer } from '../answer.ts';
import { answerPieces } from './answer-pieces.ts';
import { readerPace, type ReaderPace } from './reader-patience.ts';

/** How often slow readers are looked for. */
const SWEEP_MS = 500;

interface SendOptions {
  readonly tenantId: number;
  /** Whether a 429 or 503 may be sent instead: not when the request has changed something. */
  readonly mayRefuse: boolean;
}

/** What has been answered, and not been read. */
export interface UnsentAnswers {
  /** Throws a Problem (429 or 503) where a tenant finds no room for a usual answer, so that none is made for nothing. */
  admit(tenantId: number): void;
  /** Writes an answer. Throws a Problem (429 or 503) where it finds no room and may be refused. */
  send(response: ServerResponse, answer: Answer, options: SendOptions): void;
}

interface Unsent {
  readonly socket: Socket;
  readonly room: Room;
  readonly pace: ReaderPace;
}

/**
 * Writes answers as their readers take them, and bounds what waits for them in this process: the bytes of each answer
 * count until they are with the system. What is large is written piece by piece, each given back when it is gone; readers
 * that are slower than `readerPace` bears lose their connection.
 * @param budget in bytes.
 * @param usualBytes how much room there must be for an answer to be made at all.
 */
export function createUnsentAnswers(budget: TenantBudget, usualBytes: number): UnsentAnswers {
  const unsent = new Set<Unsent>();
  let sweeping: NodeJS.Timeout | undefined;

  function sweep(): void {
    const nowMs = performance.now();
    for (const { socket, room, pace } of unsent) if (pace.isTooSlow(room.fill(), nowMs)) socket.destroy();
  }

  /**
   * Counts an answer until it is out or its connection is gone. The connection is listened to as well, since an answer that
   * waits for an earlier one on the same connection gets no `close` of its own.
   */
  function keep(response: ServerResponse, room: Room): Unsent {
    const { socket } = response.req;
    const one: Unsent = { socket, room, pace: readerPace(performance.now()) };
    const done = () => {
      response.off('close', done);
      socket.off('close', done);
      room.leave();
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

  function sendShort(response: ServerResponse, answer: Answer, text: string, room: Room): void {
    writeHead(response, answer, Buffer.byteLength(text));
    response.end(text);
    // Most are with the system at once.
    if (response.socket?.writableLength === 0 || response.req.socket.destroyed) return;
    room.hold(Buffer.byteLength(text));
    keep(response, room);
  }

  function sendLong(response: ServerResponse, answer: Answer, pieces: Buffer[], length: number, room: Room): void {
    const one = keep(response, room);
    writeHead(response, answer, length);
    const writeOn = () => {
      for (let piece = pieces.shift(); piece !== undefined; piece = pieces.shift()) {
        const { length: bytes } = piece;
        const isTaken = response.write(piece, () => {
          one.pace.took(bytes, performance.now());
          room.give(bytes);
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
    admit: (tenantId) => budget.enter(tenantId).expect(usualBytes),
    send(response, answer, { tenantId, mayRefuse }) {
      const pieces = answerPieces(answer);
      const room = budget.enter(tenantId);
      if (typeof pieces === 'string') {
        sendShort(response, answer, pieces, room);
        return;
      }
      const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
      if (response.req.method === 'HEAD' || response.req.socket.destroyed) {
        writeHead(response, answer, length);
        response.end();
        return;
      }
      if (mayRefuse) room.take(length);
      else room.hold(length);
      sendLong(response, answer, pieces, length, room);
    },
  };
}
