/** The trace of the first of these `traceparent`s that is recorded; undefined: none is. */
export function recordedTrace(traceParents: Iterable<string | null | undefined>): string | undefined {
  for (const traceParent of traceParents) if (traceParent?.endsWith('-01')) return traceParent.split('-', 2)[1];
  return undefined;
}
