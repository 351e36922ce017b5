import type { IncomingHttpHeaders } from 'node:http';
import type { CalloutVerdict } from './verify-callout.ts';

/** A callout as the demo receiver shows it. */
export interface ReceivedCallout extends CalloutVerdict {
  /** Counts all that arrived, from 1. */
  number: number;
  receivedAt: Date;
  path: string;
  headers: IncomingHttpHeaders;
  /** As it arrived, read as UTF-8. */
  body: string;
  /** A callout that arrived before (same `webhook-id`): at-least-once delivery means that it may. */
  isRepeat: boolean;
  /** How to give the receiver the secret of this callout; null where it has it, or nothing is signed. */
  hint: string | null;
}
