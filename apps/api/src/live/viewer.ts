import type { EventEmitter } from 'node:events';
import { eventText } from './live-event.ts';

/** What an HTTP response is to a viewer. */
export interface ViewerStream extends EventEmitter {
  /** It is closed, and tells of it no more. */
  readonly destroyed: boolean;
  readonly writableLength: number;
  write(text: string): boolean;
  end(text?: string): unknown;
  destroy(): unknown;
}

export interface Viewer {
  /** Sends a text, or leaves it out while too much waits to be read. */
  send(text: string): void;
  end(text: string): void;
}

/** Bytes that may wait for one who reads slowly; what comes beyond is left out. */
const MOST_WAITING = 64 * 1024;
/** One who has read nothing for so long is gone. */
const PATIENCE_MS = 60_000;

/** One who watches: he costs a bounded amount of memory, however slowly he reads. */
export function createViewer(stream: ViewerStream): Viewer {
  let lost = 0;
  let patience: NodeJS.Timeout | undefined;

  function onDrain(): void {
    clearTimeout(patience);
    patience = undefined;
    if (lost === 0) return;
    const text = eventText('lost', { count: lost });
    lost = 0;
    stream.write(text);
  }
  stream.on('drain', onDrain);
  stream.once('close', () => clearTimeout(patience));

  return {
    send(text) {
      if (stream.writableLength > MOST_WAITING) {
        if (!text.startsWith(':')) lost += 1;
        patience ??= setTimeout(() => stream.destroy(), PATIENCE_MS).unref();
        return;
      }
      stream.write(text);
    },
    end(text) {
      stream.end(text);
    },
  };
}
