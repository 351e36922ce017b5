import type { IncomingMessage } from 'node:http';
import { eventOf, type Phase } from '../driver/workload.ts';

/** What the receiver reads of a request. */
export interface ReadCallout {
  /** Number of the webhook, from 0. */
  readonly webhook: number;
  /** Number of the event in its phase, from 0. */
  readonly event: number;
  /** Header `webhook-id`. */
  readonly calloutId: string;
  readonly recordId: number;
  readonly sequenceNumber: number;
}

type Request = Pick<IncomingMessage, 'url' | 'headers'>;

/** Undefined: no such request is expected. */
export type ReadRequest = (request: Request, body: Buffer) => ReadCallout | undefined;

/** How requests differ: by the headers and body of Callout, or by the markers in bodies of another sender. */
export type RequestSource =
  { readonly kind: 'callout'; readonly phase: Phase } | { readonly kind: 'marker'; readonly mark: string };

/** @param webhooks how often each event is owed. */
export function readerFor(source: RequestSource, webhooks: number): ReadRequest {
  if (source.kind === 'marker') return markerReader(source.mark, webhooks);
  return (request, body) => {
    const { phase, ...callout } = readCallout(request, body) ?? { phase: undefined };
    return phase === source.phase ? (callout as ReadCallout) : undefined;
  };
}

const HEAD_BYTES = 160;
const TAIL_BYTES = 120;

/**
 * Reads a callout without parsing its body, which would cost more than all the rest: `Id` is near its beginning,
 * `SequenceNumber` near its end. Undefined when it is no callout of this benchmark.
 */
export function readCallout({ url, headers }: Request, body: Buffer): (ReadCallout & { phase: Phase }) | undefined {
  const calloutId = headers['webhook-id'];
  const eventId = headers['x-hook-event-id'];
  const event = typeof eventId === 'string' ? eventOf(eventId) : undefined;
  const webhook = /^\/(\d{1,4})$/.exec(url ?? '')?.[1];
  const recordId = /"Id":(\d+)/.exec(body.toString('latin1', 0, HEAD_BYTES))?.[1];
  const tail = body.toString('latin1', Math.max(0, body.length - TAIL_BYTES));
  // The ids of merged events, which may be many, come after it.
  const sequenceNumber = (/"SequenceNumber":(\d+)/.exec(tail) ??
    /"SequenceNumber":(\d+)/.exec(body.toString('latin1')))?.[1];
  if (typeof calloutId !== 'string' || event === undefined || webhook === undefined) return undefined;
  if (recordId === undefined || sequenceNumber === undefined) return undefined;
  const numbers = { webhook: Number(webhook), recordId: Number(recordId), sequenceNumber: Number(sequenceNumber) };
  return { ...event, ...numbers, calloutId };
}

const MARKER_DIGITS = 8;

/** What a body must hold so that its event is recognised, however another program has wrapped it. */
export function markerOf(mark: string, event: number): string {
  return `${mark}-${String(event).padStart(MARKER_DIGITS, '0')}`;
}

/** Counts the requests of an event as those of its webhooks, in turn; one more than those repeats the first. */
function markerReader(mark: string, webhooks: number): ReadRequest {
  const start = Buffer.from(`${mark}-`);
  const seen = new Map<number, number>();
  return (_, body) => {
    const at = body.indexOf(start);
    if (at < 0) return undefined;
    const digits = body.toString('latin1', at + start.length, at + start.length + MARKER_DIGITS);
    const event = Number.parseInt(digits, 10);
    if (Number.isNaN(event)) return undefined;
    const before = seen.get(event) ?? 0;
    seen.set(event, before + 1);
    const webhook = before < webhooks ? before : 0;
    return { webhook, event, calloutId: mark, recordId: event, sequenceNumber: 1 };
  };
}
