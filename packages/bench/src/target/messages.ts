/** From the benchmark to the receiver of a target. */
export type ToTargetReceiver =
  | { readonly kind: 'begin'; readonly run: string; readonly events: number; readonly port: number }
  | { readonly kind: 'report' };

/** What came. A sender that is not Callout has no ids that are known here: requests are told apart by their events. */
export interface TargetArrivals {
  readonly requests: number;
  /** Requests of no event of the run. */
  readonly unknown: number;
  /** By event: how many requests came. */
  readonly counts: Uint16Array;
  /** By event: when the first of them arrived; 0: none did. */
  readonly firstAtMs: Float64Array;
  readonly lastAtMs: number;
}

/** From the receiver of a target to the benchmark. */
export type FromTargetReceiver =
  | { readonly kind: 'listening' }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'progress'; readonly requests: number }
  | { readonly kind: 'arrivals'; readonly arrivals: TargetArrivals };
