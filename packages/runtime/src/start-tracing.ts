import type { OtlpProtocol } from './config/settings/shared.ts';
import type { Tracing } from './tracing.ts';

/** The settings of OpenTelemetry that Callout reads itself. */
interface TracingConfig {
  /** Undefined: nothing is traced. */
  readonly OTEL_EXPORTER_OTLP_ENDPOINT: string | undefined;
  readonly OTEL_EXPORTER_OTLP_PROTOCOL: OtlpProtocol;
  readonly OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: OtlpProtocol | undefined;
}

interface StartTracingOptions {
  readonly config: TracingConfig;
  /** `callout-api` or `callout-worker`; `OTEL_SERVICE_NAME` goes before it. */
  readonly service: string;
  readonly version: string;
  /** Called with the error when traces could not be sent. */
  readonly onError: (error: unknown) => void;
}

/**
 * Starts to trace where there is somewhere to send traces to. OpenTelemetry is loaded only then, and reads this and its
 * other settings from the environment itself.
 */
export async function startTracing({ config, ...options }: StartTracingOptions): Promise<Tracing | undefined> {
  if (config.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return undefined;
  const protocol = config.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? config.OTEL_EXPORTER_OTLP_PROTOCOL;
  const [{ createOtlpTracing }, { OTLPTraceExporter }] = await Promise.all([
    import('./otlp-tracing.ts'),
    protocol === 'http/json'
      ? import('@opentelemetry/exporter-trace-otlp-http')
      : import('@opentelemetry/exporter-trace-otlp-proto'),
  ]);
  return createOtlpTracing({ ...options, exporter: new OTLPTraceExporter() });
}
