import type { EventEmitter } from 'node:events';
import { eventText } from './live-event.ts';

/** An HTTP response, as a viewer uses it. */
export interface ViewerStream extends EventEmitter {
  /** It is closed, and emits no further event. */
  readonly destroyed: boolean;
  readonly writableLength: number;
  write(text: string): boolean;
  end(text?: string): unknown;
  destroy(): unknown;
}

export interface Viewer {
  /** Sends a text, or drops it while too much waits to be read. */
  send(text: string): void;
  /** Says that so many texts could not be sent, now or when it reads on. */
  lose(count: number): void;
  end(text: string): void;
}

/** Bytes that may wait for a slow reader; further texts are dropped. */
const MOST_WAITING = 64 * 1024;
/** After this time without reading, a viewer counts as disconnected. */
const PATIENCE_MS = 60_000;

/** A viewer costs a bounded amount of memory, however slowly it reads. */
export function createViewer(stream: ViewerStream, patienceMs = PATIENCE_MS): Viewer {
  let lost = 0;
  let hasEnded = false;
  let patience: NodeJS.Timeout | undefined;

  function awaitReading(): void {
    patience ??= setTimeout(() => stream.destroy(), patienceMs).unref();
  }

  function onDrain(): void {
    if (hasEnded) return;
    clearTimeout(patience);
    patience = undefined;
    if (lost > 0) sayLost();
  }

  function sayLost(): void {
    const text = eventText('lost', { count: lost });
    lost = 0;
    stream.write(text);
  }
  stream.on('drain', onDrain);
  stream.once('close', () => clearTimeout(patience));

  return {
    send(text) {
      // A response that has ended closes only when its rest is read. Writing to it meanwhile would end the process.
      if (hasEnded) return;
      if (stream.writableLength > MOST_WAITING) {
        if (!text.startsWith(':')) lost += 1;
        awaitReading();
        return;
      }
      stream.write(text);
    },
    lose(count) {
      lost += count;
      if (hasEnded || stream.writableLength > MOST_WAITING) return;
      sayLost();
    },
    end(text) {
      if (hasEnded) return;
      hasEnded = true;
      awaitReading();
      stream.end(text);
    },
  };
}
