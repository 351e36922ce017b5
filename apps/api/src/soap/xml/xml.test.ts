import { describe, expect, it } from '@jest/globals';
import { anyCharacter } from '@callout/domain/fixtures/any-character';
import * as fc from 'fast-check';
import { parseXml } from './parse-xml.ts';
import { writeXml, xml } from './write-xml.ts';

// oxlint-disable-next-line no-control-regex
const unheld = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF\p{Surrogate}]/gu;

const parse = (text: string) => parseXml(text, 'The body');

describe('reading XML', () => {
  it('resolves prefixes of elements, attributes and types', () => {
    const root = parse(
      `<a:one xmlns:a="urn:a" xmlns="urn:b" xmlns:i="http://www.w3.org/2001/XMLSchema-instance" k="v">
         <two i:type="a:T"/><a:three xmlns:a="urn:c" i:type="U" i:nil="true"/>
       </a:one>`,
    );
    expect(root).toMatchObject({
      namespace: 'urn:a',
      name: 'one',
      attributes: [{ namespace: '', name: 'k', value: 'v' }],
      children: [
        { namespace: 'urn:b', name: 'two', type: { namespace: 'urn:a', name: 'T' }, isNil: false },
        { namespace: 'urn:c', name: 'three', type: { namespace: 'urn:b', name: 'U' }, isNil: true },
      ],
    });
  });

  it('joins text around comments, and reads CDATA as text', () => {
    const { text } = parse('<a>x &amp; <!-- no --><![CDATA[<b>&amp;]]>&#x41;&lt;</a>');
    expect(text).toBe('x & <b>&amp;A<');
  });
});

describe('writing XML', () => {
  it('is canonical: no blanks, attributes in their order, empty elements short', () => {
    const node = xml('s:a', { 'xmlns:s': 'urn:s', b: '"<\n' }, xml('c'), xml('d', {}, 'x < y & \r'), null, undefined);
    expect(writeXml(node)).toBe(
      '<?xml version="1.0" encoding="utf-8"?>\n<s:a xmlns:s="urn:s" b="&quot;&lt;&#10;"><c/><d>x &lt; y &amp; &#13;</d></s:a>',
    );
  });

  it('puts U+FFFD in place of what XML cannot hold', () => {
    expect(parse(writeXml(xml('a', {}, 'x\u0000y\u001Fz\uD800\uFFFF\t'))).text).toBe('x\uFFFDy\uFFFDz\uFFFD\uFFFD\t');
  });

  it.each(['a b', '1a', '', 'a:b:c', 'a>', '__proto__ '])('refuses %j as a name', (name) => {
    expect(() => xml(name)).toThrow('is no name of XML');
  });

  it('writes any text so that it is read back unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (value) => {
        const back = parse(writeXml(xml('a', { b: value }, value)));
        const expected = value.replaceAll(unheld, '\uFFFD');
        expect([back.text, back.attributes[0]?.value]).toEqual([expected, expected]);
      }),
      { numRuns: 40, examples: [['\r\n\t]]>&"\''], ['\u0085\u2028']] },
    );
  });
});
