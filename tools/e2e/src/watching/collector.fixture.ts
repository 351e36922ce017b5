import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listenOnLoopback } from '@callout/local/process';

/** One span as OTLP has it in JSON. */
interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes?: readonly { readonly key: string; readonly value: unknown }[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
}

interface OtlpTraces {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly { key: string; value: { stringValue?: string } }[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

/** A span, and its service. */
export type CollectedSpan = OtlpSpan & { readonly service: string };

export interface Collector {
  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string;
  readonly spans: () => readonly CollectedSpan[];
  /** All received JSON, unchanged. */
  readonly text: () => string;
  /** Received protobuf, which is not read here. */
  readonly protobuf: () => readonly Buffer[];
  readonly stop: () => Promise<void>;
}

/** Takes traces as an OpenTelemetry collector does, by OTLP over HTTP. */
export async function startCollector(): Promise<Collector> {
  const taken: OtlpTraces[] = [];
  const protobuf: Buffer[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const body = await buffer(request);
      if (request.headers['content-type'] === 'application/x-protobuf') protobuf.push(body);
      else if (request.url === '/v1/traces') taken.push(JSON.parse(body.toString()) as OtlpTraces);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    })();
  });
  const port = await listenOnLoopback(server);
  return {
    url: `http://127.0.0.1:${port}`,
    text: () => JSON.stringify(taken),
    protobuf: () => protobuf,
    spans: () =>
      taken.flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ resource, scopeSpans }) => {
          const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
          return scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ ...span, service })));
        }),
      ),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
