import { pino, type DestinationStream, type LevelWithSilent } from 'pino';
import { loggableFields } from './loggable.ts';

/** Writes a line: fields first, then a message with the same text each time, by which lines can be grouped. */
export type LogLine = (fields: Record<string, unknown>, message: string) => void;

/** There is no `child`: every field of every line passes the redaction. */
export type Logger = Record<'debug' | 'info' | 'warn' | 'error' | 'fatal', LogLine>;

export interface LoggerOptions {
  /** Name of the process, in every line. */
  readonly service: string;
  readonly level: LevelWithSilent;
  /** The target of the lines; stdout by default. */
  readonly destination?: DestinationStream;
}

/** A line waits for further lines as long as this: writing each alone costs more than all the rest of the line. */
const FLUSH_MS = 100;
/** This many bytes are written at once if there are as many: sonic-boom writes 16 KB at most, and accepts no more. */
const FLUSH_BYTES = 8_192;

/**
 * JSON lines with `level` as a word and `time` in ISO 8601. Fields are reduced to their printable form (see
 * `loggable`). Lines to stdout are written in the background, several at once: a slow reader of the log delays no
 * request. They are flushed on exit and with a fatal line.
 */
export function createLogger(options: LoggerOptions): Logger {
  return pino(
    {
      level: options.level,
      base: { service: options.service },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }), log: (fields) => loggableFields(fields) },
      // Errors have been reduced by then; pino's own serializer would print every property of them.
      serializers: { err: (err: unknown) => err },
    },
    options.destination ?? (options.level === 'silent' ? nowhere : stdout()),
  );
}

/** Keeps no timer and no listener of the process, unlike stdout: a silent logger leaves nothing behind. */
const nowhere: DestinationStream = { write: () => undefined };

/** Its timer runs only while a line waits: pino's own would run ten times a second in an idle process. */
function stdout(): DestinationStream & { flushSync: () => void } {
  const out = pino.destination({ fd: 1, sync: false, minLength: FLUSH_BYTES });
  let timer: NodeJS.Timeout | undefined;
  let unwrittenBytes = 0;
  const flush = () => {
    timer = undefined;
    out.flush();
  };
  const flushSoon = () => {
    timer ??= setTimeout(flush, FLUSH_MS).unref();
  };
  out.on('write', (bytes: number) => (unwrittenBytes -= bytes));
  // sonic-boom ignores a flush while a write is under way: lines that came during the write need another flush.
  out.on('drain', () => {
    if (unwrittenBytes > 0) flushSoon();
  });
  return {
    write(line) {
      unwrittenBytes += Buffer.byteLength(line);
      out.write(line);
      flushSoon();
    },
    flushSync: () => out.flushSync(),
  };
}
