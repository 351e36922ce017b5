import { randomBytes } from 'node:crypto';
import { FILLER, MARKER, type Target } from './target-file.ts';

/** Tells the events of a run apart, also in bodies that another program has wrapped or copied. */
export interface Markers {
  /** The body of an event's request. */
  body(event: number): Buffer;
  /** For `createFinder`. */
  readonly run: string;
}

/** @param bytes that a body has at least; it is made longer at `{{filler}}`, where the description has that. */
export function createMarkers({ request }: Pick<Target, 'request'>, bytes: number): Markers {
  const run = randomBytes(4).toString('hex');
  const template = JSON.stringify(request.body);
  const bare = template.replace(MARKER, markerOf(run, 0)).replace(FILLER, '');
  const filler = 'x'.repeat(Math.max(0, bytes - Buffer.byteLength(bare)));
  const [before = '', after = ''] = template.replace(FILLER, filler).split(MARKER);
  return { run, body: (event) => Buffer.from(`${before}${markerOf(run, event)}${after}`) };
}

/** Finds the event of a body; undefined when it is none of this run. */
export function createFinder(run: string): (body: Buffer) => number | undefined {
  const start = Buffer.from(`bench-${run}-`);
  return (body) => {
    const at = body.indexOf(start);
    if (at < 0) return undefined;
    const number = Number.parseInt(body.toString('latin1', at + start.length, at + start.length + DIGITS), 10);
    return Number.isNaN(number) ? undefined : number;
  };
}

const DIGITS = 8;

function markerOf(run: string, event: number): string {
  return `bench-${run}-${String(event).padStart(DIGITS, '0')}`;
}
