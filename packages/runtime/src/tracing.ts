/** The attributes of a span: our own names, counts, ids and statuses, never values of customers. */
export type SpanAttributes = Readonly<Record<string, string | number>>;

/** The side of a request that a span is on; `internal`: neither. */
export type SpanKind = 'server' | 'client' | 'internal';

/** A step of a trace under way. */
export interface Span {
  /** The `traceparent` of this span for later ones, here or in another process. */
  readonly traceParent: string;
  /** @param name replaces the first one. @param error a short reason of the failure. */
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
  /** The `traceparent`s behind the work; null: not traced. Each trace gets a span. */
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
  /** Reports work that is over. Statements are reported once, in the first trace, to which the other traces link. */
  batch(batch: BatchTrace): void;
  /** Sends the remaining spans. */
  stop(): Promise<void>;
}
