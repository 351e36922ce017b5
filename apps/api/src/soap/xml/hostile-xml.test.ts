import { describe, expect, it } from '@jest/globals';
import { Problem } from '@callout/domain/problem';
import { HttpProblem } from '../../http/http-problem.ts';
import { decodeXml } from './decode-xml.ts';
import { parseXml } from './parse-xml.ts';

function refusalOf(text: string): string {
  try {
    parseXml(text, 'The body');
  } catch (error) {
    if (error instanceof Problem && error.kind === 'invalid') return error.message;
    throw error;
  }
  return 'nothing';
}

const laughs = Array.from({ length: 9 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('');

describe('hostile XML', () => {
  it.each([
    ['billion laughs', `<!DOCTYPE a [<!ENTITY l0 "lol">${laughs}]><a>&l9;</a>`, 'document type'],
    [
      'one long entity, used often',
      `<!DOCTYPE a [<!ENTITY x "${'x'.repeat(50_000)}">]><a>${'&x;'.repeat(50_000)}</a>`,
      'document type',
    ],
    ['a file of this machine', '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>', 'document type'],
    ['another host', '<!DOCTYPE a SYSTEM "http://127.0.0.1:1/a.dtd"><a/>', 'document type'],
    ['parameter entities', '<!DOCTYPE a [<!ENTITY % p SYSTEM "http://127.0.0.1:1/">%p;]><a/>', 'document type'],
    ['a document type in lower case', '<!doctype a><a/>', 'not well-formed'],
    ['an undeclared entity', '<a>&xxe;</a>', 'undefined entity'],
    ['a processing instruction', '<a><?php x?></a>', 'processing instructions'],
    ['a style sheet', '<?xml-stylesheet href="http://127.0.0.1:1/"?><a/>', 'processing instructions'],
    [
      'many attributes',
      `<a ${Array.from({ length: 50_000 }, (_, i) => `a${i}="1"`).join(' ')}/>`,
      'more than 50 attributes',
    ],
    [
      'many namespaces',
      `<a ${Array.from({ length: 50_000 }, (_, i) => `xmlns:n${i}="u:${i}"`).join(' ')}/>`,
      'more than 50 attributes',
    ],
    ['an attribute twice', '<a b="1" b="2"/>', 'duplicate attribute'],
    ['an attribute twice by two prefixes', '<a xmlns:x="u" xmlns:y="u" x:b="1" y:b="2"/>', 'duplicate attribute'],
    ['deep nesting', '<a>'.repeat(500_000), 'deeper than 32 levels'],
    ['many attributes in all', `<a>${'<b c="1" d="1" e="1"/>'.repeat(13_400)}<<<`, 'more than 40000 attributes'],
    ['many elements', `<a>${'<b/>'.repeat(200_000)}</a>`, 'more than 20000 elements'],
    ['an undeclared prefix', '<x:a/>', 'unbound namespace prefix'],
    [
      'an undeclared prefix of a type',
      '<a xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:type="x:T"/>',
      'undeclared prefix x',
    ],
    ['U+0000', '<a>\0</a>', 'disallowed character'],
    ['a reference to U+0000', '<a>&#0;</a>', 'not well-formed'],
    ['a reference to half a pair', '<a>&#xD800;</a>', 'not well-formed'],
    ['two roots', '<a/><a/>', 'not well-formed'],
    ['an end that does not come', '<a><b></a>', 'not well-formed'],
    ['no end at all', '<a', 'not well-formed'],
    ['a comment that does not end', '<a><!-- ', 'not well-formed'],
    ['CDATA that does not end', '<a><![CDATA[x', 'not well-formed'],
    ['text around the root', '<a/>x', 'not well-formed'],
    ['JSON', '{"a":1}', 'not well-formed'],
    ['nothing', '', 'not well-formed'],
  ])('(%s) is refused', (_, text, words) => {
    expect(refusalOf(text)).toContain(words);
  });

  it('with 10 MB of text is text', () => {
    expect(parseXml(`<a>${'x'.repeat(10_000_000)}</a>`, 'The body').text).toHaveLength(10_000_000);
  });

  it('is refused before its end is looked at', () => {
    expect(refusalOf(`${'<a>'.repeat(33)}<<<`)).toContain('deeper than 32 levels');
  });

  it('gets a short response, for any content', () => {
    expect(refusalOf(`<a>&${'x'.repeat(100_000)};</a>`).length).toBeLessThan(300);
    expect(refusalOf(`<${'x'.repeat(100_000)}></b>`).length).toBeLessThan(300);
  });
});

describe('the encoding of XML', () => {
  const utf16 = (text: string, isBig = false) => {
    const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le');
    return isBig ? bytes.swap16() : bytes;
  };

  it.each([
    ['UTF-8', Buffer.from('<a>é</a>'), undefined],
    ['UTF-8, declared twice', Buffer.from('<?xml version="1.0" encoding="UTF-8"?><a>é</a>'), '"utf-8"'],
    ['UTF-8 with a mark', Buffer.from('\uFEFF<a>é</a>'), 'utf-8'],
    ['UTF-16, little end first', utf16('<?xml version="1.0" encoding="utf-16"?><a>é</a>'), 'utf-16'],
    ['UTF-16, big end first', utf16('<a>é</a>', true), undefined],
  ])('is %s', (_, bytes, charset) => {
    expect(parseXml(decodeXml(bytes, charset), 'The body').text).toBe('é');
  });

  it.each([
    ['bytes that are not UTF-8', Buffer.from('<a>\xE9</a>', 'latin1'), undefined, Problem],
    ['UTF-16 without a mark', Buffer.from('<a/>', 'utf16le'), 'utf-16', Problem],
    ['half of UTF-16', utf16('<a/>').subarray(0, -1), undefined, Problem],
    ['UTF-16 that says UTF-8', utf16('<?xml version="1.0" encoding="utf-8"?><a/>'), undefined, Problem],
    ['UTF-8 that says UTF-16', Buffer.from('<?xml version="1.0" encoding="utf-16"?><a/>'), undefined, Problem],
    ['ISO-8859-1', Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><a/>'), undefined, HttpProblem],
    ['UTF-7, which hides tags', Buffer.from('<a/>'), 'utf-7', HttpProblem],
    ['EBCDIC', Buffer.from('<a/>'), 'cp037', HttpProblem],
  ])('is refused: %s', (_, bytes, charset, kind) => {
    expect(() => decodeXml(bytes, charset)).toThrow(kind);
  });
});
