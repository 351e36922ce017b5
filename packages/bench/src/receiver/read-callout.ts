import type { IncomingMessage } from 'node:http';
import { eventOf, type Phase } from '../driver/workload.ts';

/** What the receiver reads of a request. */
export interface ReadCallout {
  readonly phase: Phase;
  readonly webhook: number;
  readonly event: number;
  readonly calloutId: string;
  readonly recordId: number;
  readonly sequenceNumber: number;
}

const HEAD_BYTES = 160;
const TAIL_BYTES = 120;

/**
 * Reads a callout without parsing its body, which would cost more than all the rest: `Id` is near its beginning,
 * `SequenceNumber` near its end. Undefined when it is no callout of this benchmark.
 */
export function readCallout({ url, headers }: Pick<IncomingMessage, 'url' | 'headers'>, body: Buffer) {
  const calloutId = headers['webhook-id'];
  const eventId = headers['x-hook-event-id'];
  const event = typeof eventId === 'string' ? eventOf(eventId) : undefined;
  const webhook = /^\/(\d{1,4})$/.exec(url ?? '')?.[1];
  const recordId = /"Id":(\d+)/.exec(body.toString('latin1', 0, HEAD_BYTES))?.[1];
  const sequenceNumber = /"SequenceNumber":(\d+)/.exec(
    body.toString('latin1', Math.max(0, body.length - TAIL_BYTES)),
  )?.[1];
  if (typeof calloutId !== 'string' || event === undefined || webhook === undefined) return undefined;
  if (recordId === undefined || sequenceNumber === undefined) return undefined;
  const numbers = { webhook: Number(webhook), recordId: Number(recordId), sequenceNumber: Number(sequenceNumber) };
  return { ...event, ...numbers, calloutId } satisfies ReadCallout;
}
