/** What is told of a span: names of ours, counts, ids and statuses, never values of customers. */
export type SpanAttributes = Readonly<Record<string, string | number>>;

/** The side of a request that a span is on; `internal`: neither. */
export type SpanKind = 'server' | 'client' | 'internal';

/** One step of a trace that is under way. */
export interface Span {
  /** Names this span to what comes after it, here or in another process. */
  readonly traceParent: string;
  /** @param name in place of the one that it began with. @param error why it failed, in a word. */
  end(as: { name?: string; attributes?: SpanAttributes; error?: string | undefined }): void;
}

/** When a statement ran, in milliseconds since 1970. */
export interface StatementTime {
  /** Under which it is prepared. */
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** Work that was done for many traces at once. */
export interface BatchTrace {
  readonly name: string;
  /** The `traceparent`s that it was done for; null: not traced. Each trace gets one span. */
  readonly parents: Iterable<string | null | undefined>;
  readonly startMs: number;
  readonly endMs: number;
  readonly statements: readonly StatementTime[];
  readonly error?: string | undefined;
}

/**
 * Traces of this process. Contexts are passed as values and never looked up: following them through promises would cost
 * each promise of the hot path, whether it is traced or not.
 */
export interface Tracing {
  /** @param parent a `traceparent`; absent: a new trace begins. */
  begin(name: string, kind: SpanKind, parent: string | null | undefined): Span;
  /** Tells of work that is over. Its statements are told once, in the first of its traces, which the others link to. */
  batch(batch: BatchTrace): void;
  /** Sends what is left. */
  stop(): Promise<void>;
}
