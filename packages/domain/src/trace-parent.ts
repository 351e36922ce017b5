/** W3C Trace Context, https://www.w3.org/TR/trace-context/#traceparent-header. Versions after 00 may be longer. */
const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
/** Longer ones are no trace context of any known version. */
const mostCharacters = 512;
const zeros = /^0+$/;
const sampledFlag = 0x01;

/**
 * Reads a `traceparent` that a caller sent.
 * @returns the text in the form of version 00; undefined for invalid text, which is no error: then the caller is not
 * tracing.
 */
export function readTraceParent(text: string | undefined): string | undefined {
  if (text === undefined || text.length > mostCharacters) return undefined;
  const [, version = '', traceId = '', spanId = '', flags = '', rest] = pattern.exec(text) ?? [];
  if (version === '' || version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  if (zeros.test(traceId) || zeros.test(spanId)) return undefined;
  const isSampled = (Number.parseInt(flags, 16) & sampledFlag) !== 0;
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}
