import { expect, it } from '@jest/globals';
import { startTracing } from './start-tracing.ts';

const options = { service: 'test', version: '1', onError: () => undefined };
const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://127.0.0.1:1';

it('traces nothing without a place to send traces to', async () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
  expect(await startTracing({ ...options, env })).toBeUndefined();
});

it.each(['OTEL_EXPORTER_OTLP_PROTOCOL', 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'])(
  'refuses gRPC in %s, and says what to use',
  async (name) => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT, [name]: 'grpc' };
    await expect(startTracing({ ...options, env })).rejects.toThrow(
      /must be http\/protobuf or http\/json, not grpc: .*usually on port 4318/,
    );
  },
);
