import { describe, expect, it } from '@jest/globals';
import { bodyText } from './callout-item.ts';

describe('the beginning of a response', () => {
  it('is text where it is UTF-8, and base64 where it is not', () => {
    expect(bodyText(null)).toEqual({ responseBody: null, responseBodyEncoding: null });
    expect(bodyText(Buffer.from('Grüße ☺\0'))).toEqual({ responseBody: 'Grüße ☺\0', responseBodyEncoding: 'utf-8' });
    expect(bodyText(Buffer.from([0x47, 0xfc]))).toEqual({ responseBody: 'R/w=', responseBodyEncoding: 'base64' });
  });

  it('is text although its last character was cut in two, when it is as long as what is kept', () => {
    const cut = Buffer.from('☺'.repeat(30_000)).subarray(0, 65_536);
    expect(bodyText(cut)).toEqual({ responseBody: '☺'.repeat(21_845), responseBodyEncoding: 'utf-8' });
    expect(bodyText(cut.subarray(0, 65_532))).toMatchObject({ responseBodyEncoding: 'utf-8' });
    expect(bodyText(cut.subarray(0, 1000))).toMatchObject({ responseBodyEncoding: 'base64' });
  });
});
