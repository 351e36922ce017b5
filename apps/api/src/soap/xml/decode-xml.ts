import { Problem } from '@callout/domain/problem';
import { HttpProblem } from '../../http/http-problem.ts';

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** The supported values of `charset` of a media type and `encoding` of a document. */
const declared = new Map<string, readonly Encoding[]>([
  ['utf-8', ['utf-8']],
  ['utf8', ['utf-8']],
  ['us-ascii', ['utf-8']],
  ['utf-16', ['utf-16le', 'utf-16be']],
  ['utf-16le', ['utf-16le']],
  ['utf-16be', ['utf-16be']],
]);

const DECLARATION = /^<\?xml\s[^>]*?\bencoding\s*=\s*["']([^"']{0,40})["']/u;

/**
 * The text of an XML document, which is in UTF-8, or in UTF-16 with a byte order mark. Throws a 415 HttpProblem for
 * another encoding, and an `invalid` Problem where the bytes contradict the document or the request: two readers of a
 * contradictory document could see two texts.
 */
export function decodeXml(bytes: Uint8Array, charset: string | undefined): string {
  const encoding = encodingOf(bytes);
  checkDeclared(charset, encoding, 'the charset of Content-Type');
  const text = decode(bytes, encoding);
  checkDeclared(DECLARATION.exec(text)?.[1], encoding, 'the encoding of the XML declaration');
  return text;
}

function encodingOf([first, second]: Uint8Array): Encoding {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

function checkDeclared(declaredEncoding: string | undefined, encoding: Encoding, where: string): void {
  if (declaredEncoding === undefined) return;
  const possible = declared.get(declaredEncoding.replaceAll('"', '').toLowerCase());
  if (possible === undefined) throw HttpProblem.unsupportedMediaType(`XML must be in UTF-8 or UTF-16: see ${where}.`);
  if (!possible.includes(encoding)) throw Problem.invalid(`The body is in ${encoding}, which is not ${where}.`);
}

function decode(bytes: Uint8Array, encoding: Encoding): string {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw Problem.invalid(`The body must be valid ${encoding.toUpperCase()}.`);
  }
}
