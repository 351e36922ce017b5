/**
 * Order of text by code points, which is the order of its UTF-8 bytes and of PostgreSQL's collation "C". JavaScript's
 * own `<` puts characters beyond U+FFFF before U+E000. Negative, zero or positive.
 */
export function compareText(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let at = 0; at < shared; at += 1) {
    const [unitOfA, unitOfB] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (unitOfA !== unitOfB) return rank(unitOfA) - rank(unitOfB);
  }
  return a.length - b.length;
}

const firstSurrogate = 0xd800;
const lastSurrogate = 0xdfff;

/** The position of a UTF-16 unit in the order of code points: surrogates stand for code points above all others. */
function rank(unit: number): number {
  return unit >= firstSurrogate && unit <= lastSurrogate ? unit + 0x10000 : unit;
}

const plainDecimal = /^-?\d+(\.\d+)?$/;

/** Whether text is a number in wire form: plain decimal, no exponent. */
export function isPlainDecimal(text: string): boolean {
  return plainDecimal.test(text);
}

/** Order of two numbers in wire form, exact for any number of digits. Negative, zero or positive. */
export function compareDecimals(a: string, b: string): number {
  const [isNegativeA, isNegativeB] = [a.startsWith('-'), b.startsWith('-')];
  if (isNegativeA !== isNegativeB) return isNegativeA ? -1 : 1;
  return isNegativeA ? compareSizes(b.slice(1), a.slice(1)) : compareSizes(a, b);
}

/** Wire form has neither leading nor trailing zeros, so more digits before the point are more. */
function compareSizes(a: string, b: string): number {
  const [wholeA = '', fractionA = ''] = a.split('.');
  const [wholeB = '', fractionB = ''] = b.split('.');
  return wholeA.length - wholeB.length || compareText(wholeA, wholeB) || compareText(fractionA, fractionB);
}
