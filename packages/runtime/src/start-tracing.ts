import type { Tracing } from './tracing.ts';

interface StartTracingOptions {
  /** The environment of the process: OpenTelemetry reads further variables from there. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `callout-api` or `callout-worker`; `OTEL_SERVICE_NAME` goes before it. */
  readonly service: string;
  readonly version: string;
  /** Called with the error when traces could not be sent. */
  readonly onError: (error: unknown) => void;
}

/**
 * Starts to trace where `OTEL_EXPORTER_OTLP_ENDPOINT` names a place to send traces to; OpenTelemetry is loaded only then.
 * Throws for a protocol that is not supported.
 */
export async function startTracing({ env, ...options }: StartTracingOptions): Promise<Tracing | undefined> {
  if (!env['OTEL_EXPORTER_OTLP_ENDPOINT']) return undefined;
  const protocol = env['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] || env['OTEL_EXPORTER_OTLP_PROTOCOL'] || 'http/protobuf';
  if (protocol !== 'http/protobuf' && protocol !== 'http/json')
    throw new Error(
      `OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or http/json, not ${protocol}: collectors also take HTTP, usually on port 4318`,
    );
  const [{ createOtlpTracing }, { OTLPTraceExporter }] = await Promise.all([
    import('./otlp-tracing.ts'),
    protocol === 'http/json'
      ? import('@opentelemetry/exporter-trace-otlp-http')
      : import('@opentelemetry/exporter-trace-otlp-proto'),
  ]);
  return createOtlpTracing({ ...options, exporter: new OTLPTraceExporter() });
}
