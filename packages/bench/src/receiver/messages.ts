import type { Phase } from '../driver/workload.ts';
import type { Arrivals } from './ledger.ts';

/** How the receiver behind a webhook behaves. */
export type Behaviour = 'prompt' | 'slow' | 'failing';

/** From the benchmark to the receiver. */
export type ToReceiver =
  | {
      readonly kind: 'begin';
      readonly phase: Phase;
      readonly events: number;
      /** One for each webhook. */
      readonly behaviours: readonly Behaviour[];
    }
  | { readonly kind: 'report' };

/** From the receiver to the benchmark. */
export type FromReceiver =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'began' }
  /** Sent a few times a second while something changes. */
  | { readonly kind: 'progress'; readonly delivered: number }
  | { readonly kind: 'arrivals'; readonly arrivals: Arrivals };
