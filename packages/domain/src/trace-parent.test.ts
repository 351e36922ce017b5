import { expect, it } from '@jest/globals';
import { readTraceParent } from './trace-parent.ts';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const span = '00f067aa0ba902b7';

it.each([
  ['sampled', `00-${trace}-${span}-01`, `00-${trace}-${span}-01`],
  ['not sampled', `00-${trace}-${span}-00`, `00-${trace}-${span}-00`],
  ['with flags of later versions', `00-${trace}-${span}-ff`, `00-${trace}-${span}-01`],
  ['of a later version, with more behind it', `cc-${trace}-${span}-01-what-comes`, `00-${trace}-${span}-01`],
])('a traceparent that is %s is accepted', (_, given, taken) => {
  expect(readTraceParent(given)).toBe(taken);
});

it.each([
  ['none', undefined],
  ['empty', ''],
  ['of version ff', `ff-${trace}-${span}-01`],
  ['in capitals', `00-${trace.toUpperCase()}-${span}-01`],
  ['too long for version 00', `00-${trace}-${span}-01-more`],
  ['without a trace', `00-${'0'.repeat(32)}-${span}-01`],
  ['without a span', `00-${trace}-${'0'.repeat(16)}-01`],
  ['with a line end', `00-${trace}-${span}-01\n`],
  ['two headers in one', `00-${trace}-${span}-01, 00-${trace}-${span}-01`],
  ['a megabyte', `cc-${trace}-${span}-01-${'x'.repeat(1_000_000)}`],
  ['an attempt to add a header', `00-${trace}-${span}-01\r\nx-admin: true`],
])('a traceparent that is %s is ignored', (_, given) => {
  expect(readTraceParent(given)).toBeUndefined();
});
