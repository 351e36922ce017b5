import type { Tracing } from './tracing.ts';

interface StartTracingOptions {
  /** `OTEL_EXPORTER_OTLP_ENDPOINT`; undefined: nothing is traced. */
  readonly endpoint: string | undefined;
  /** `callout-api` or `callout-worker`; `OTEL_SERVICE_NAME` goes before it. */
  readonly service: string;
  readonly version: string;
  /** Told why traces could not be sent. */
  readonly onError: (error: unknown) => void;
}

/**
 * Starts to trace where there is somewhere to send traces to. OpenTelemetry is loaded only then, and reads this and its
 * other settings from the environment itself.
 */
export async function startTracing(options: StartTracingOptions): Promise<Tracing | undefined> {
  if (options.endpoint === undefined) return undefined;
  const { createOtlpTracing } = await import('./otlp-tracing.ts');
  return createOtlpTracing(options);
}
