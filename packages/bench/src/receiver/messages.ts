import type { Phase } from '../driver/workload.ts';
import type { CallsOfWebhook } from './call-counts.ts';
import type { Arrivals } from './ledger.ts';

/**
 * How the receiver behind a webhook behaves: 'slow' takes half a second, 'sluggish' two; 'failing' refuses the first
 * attempts of each callout, 'broken' all of them; 'hanging' never answers.
 */
export type Behaviour = 'prompt' | 'slow' | 'sluggish' | 'failing' | 'broken' | 'hanging';

/** From the benchmark to the receiver. */
export type ToReceiver =
  | {
      readonly kind: 'begin';
      readonly phase: Phase;
      readonly events: number;
      /** One for each webhook. */
      readonly behaviours: readonly Behaviour[];
    }
  /** Asks for one more port for each of so many webhooks. */
  | { readonly kind: 'open'; readonly webhooks: number }
  /** Changes the behaviour of the webhooks of the present phase. */
  | { readonly kind: 'behave'; readonly behaviours: readonly Behaviour[] }
  | { readonly kind: 'report' };

/** From the receiver to the benchmark. */
export type FromReceiver =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'began' }
  /** By number of the webhook. */
  | { readonly kind: 'opened'; readonly ports: readonly number[] }
  /** What the webhooks were called while they behaved as before. */
  | { readonly kind: 'behaved'; readonly calls: readonly CallsOfWebhook[] }
  /** Sent a few times a second while something changes. */
  | { readonly kind: 'progress'; readonly delivered: number }
  | { readonly kind: 'arrivals'; readonly arrivals: Arrivals };
