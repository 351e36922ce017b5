import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Context,
  diag,
  DiagLogLevel,
  type Link,
  ROOT_CONTEXT,
  type Span as OtelSpan,
  SpanKind as OtelSpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
} from '@opentelemetry/api';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Span, SpanKind, Tracing } from './tracing.ts';

interface OtlpTracingOptions {
  /** Sends spans in one of the forms of OTLP. */
  readonly exporter: SpanExporter;
  readonly service: string;
  readonly version: string;
  /** Called with the error when traces could not be sent. */
  readonly onError: (error: unknown) => void;
}

/** A collector that is away must not keep a process from ending. */
const patienceMs = 3_000;

const kinds: Readonly<Record<SpanKind, OtelSpanKind>> = {
  server: OtelSpanKind.SERVER,
  client: OtelSpanKind.CLIENT,
  internal: OtelSpanKind.INTERNAL,
};

/**
 * Sends spans by OTLP over HTTP. No context manager is registered: contexts are values here. Endpoint, headers,
 * sampler, limits and batches come from the environment (`OTEL_…`).
 */
export function createOtlpTracing({ exporter, service, version, onError }: OtlpTracingOptions): Tracing {
  const silent = (): void => undefined;
  diag.setLogger({ error: onError, warn: onError, info: silent, debug: silent, verbose: silent }, DiagLogLevel.WARN);
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': service, 'service.version': version }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer('callout', version);
  return {
    begin(name, kind, parent) {
      return spanOf(tracer.startSpan(name, { kind: kinds[kind] }, contextOf(parent)));
    },
    batch({ name, parents, startMs, endMs, statements, error }) {
      const perTrace = new Map<string, string>();
      for (const parent of parents) if (parent) perTrace.set(traceIdOf(parent), parent);
      let links: Link[] = [];
      for (const parent of perTrace.values()) {
        const span = tracer.startSpan(name, { startTime: startMs, links }, contextOf(parent));
        if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
        if (span.isRecording() && links.length === 0) {
          const context = trace.setSpan(ROOT_CONTEXT, span);
          for (const statement of statements) {
            const attributes = { 'db.system.name': 'postgresql', 'db.query.summary': statement.name };
            const options = { startTime: statement.startMs, kind: OtelSpanKind.CLIENT, attributes };
            tracer.startSpan(statement.name, options, context).end(statement.endMs);
          }
          links = [{ context: span.spanContext() }];
        }
        span.end(endMs);
      }
    },
    async stop() {
      const patience = new AbortController();
      await Promise.race([provider.shutdown(), sleep(patienceMs, undefined, patience)]).catch(onError);
      patience.abort();
    },
  };
}

/** @param parent a valid `traceparent`. */
function contextOf(parent: string | null | undefined): Context {
  if (!parent) return ROOT_CONTEXT;
  const [, traceId = '', spanId = '', flags] = parent.split('-');
  const traceFlags = flags === '01' ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

function traceIdOf(parent: string): string {
  return parent.split('-', 2)[1] ?? '';
}

function spanOf(span: OtelSpan): Span {
  const { traceId, spanId, traceFlags } = span.spanContext();
  const isSampled = (traceFlags & TraceFlags.SAMPLED) !== 0;
  return {
    traceParent: `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`,
    end({ name, attributes, error }) {
      if (name !== undefined) span.updateName(name);
      if (attributes !== undefined) span.setAttributes(attributes);
      if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
      span.end();
    },
  };
}
