import { UnreadableValue } from './key.ts';

/** The forms of OTLP over HTTP, named as OpenTelemetry names them. */
export type OtlpProtocol = 'http/protobuf' | 'http/json';

/** How `OTEL_EXPORTER_OTLP_PROTOCOL` is read, by the specification of OpenTelemetry's exporters; its `grpc` is refused. */
export const otlpProtocol = {
  accepts: '`http/protobuf` or `http/json`',
  read(text: string): OtlpProtocol {
    if (text === 'http/protobuf' || text === 'http/json') return text;
    throw new UnreadableValue(text === 'grpc' ? 'collectors also take HTTP, usually on port 4318' : '');
  },
};
