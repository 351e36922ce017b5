/** More digits than any measured or counted thing has; bounds the length of numerals with a large exponent. */
const maxDigits = 100;

export type DecimalResult =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly code: 'invalidType' | 'invalid'; readonly message: string };

const notANumber: DecimalResult = { ok: false, code: 'invalidType', message: 'must be a number' };
const tooManyDigits: DecimalResult = {
  ok: false,
  code: 'invalid',
  message: `must be a number of at most ${maxDigits} digits`,
};

const zero = 48;
const isDigit = (code: number): boolean => code >= zero && code <= 57;

/** The index after the run of digits that begins at `from`. */
function endOfDigits(text: string, from: number): number {
  let at = from;
  while (isDigit(text.charCodeAt(at))) at += 1;
  return at;
}

/**
 * The canonical plain spelling of a decimal numeral: no exponent, no leading or trailing zeros, no `-0`; every
 * significant digit is kept, so `"0.10"` is `"0.1"` and `"1e3"` is `"1000"`. Works on the text, never on a binary
 * fraction.
 */
export function canonicalDecimal(text: string): DecimalResult {
  if (text.length > 4 * maxDigits) return tooManyDigits;
  const isNegative = text.startsWith('-');
  const start = isNegative || text.startsWith('+') ? 1 : 0;
  const wholeEnd = endOfDigits(text, start);
  let end = wholeEnd;
  let digits = text.slice(start, wholeEnd);
  if (text[end] === '.') {
    end = endOfDigits(text, wholeEnd + 1);
    digits += text.slice(wholeEnd + 1, end);
  }
  if (digits === '') return notANumber;

  let pointAt = wholeEnd - start;
  if (text[end] === 'e' || text[end] === 'E') {
    const sign = text[end + 1];
    const exponentStart = sign === '-' || sign === '+' ? end + 2 : end + 1;
    const exponentEnd = endOfDigits(text, exponentStart);
    if (exponentEnd === exponentStart) return notANumber;
    const exponent = Number(text.slice(exponentStart, exponentEnd));
    pointAt += sign === '-' ? -exponent : exponent;
    end = exponentEnd;
  }
  return end === text.length ? place(digits, pointAt, isNegative) : notANumber;
}

/** Inserts the decimal point into `digits` before index `pointAt`, which may be outside of them. */
function place(digits: string, pointAt: number, isNegative: boolean): DecimalResult {
  let first = 0;
  while (digits.charCodeAt(first) === zero) first += 1;
  if (first === digits.length) return { ok: true, value: '0' };
  let last = digits.length;
  while (digits.charCodeAt(last - 1) === zero) last -= 1;

  const wholeDigits = Math.max(pointAt - first, 0);
  const fractionDigits = Math.max(last - pointAt, 0);
  if (wholeDigits + fractionDigits > maxDigits) return tooManyDigits;

  const whole = digits.slice(first, Math.max(pointAt, first)).padEnd(wholeDigits, '0') || '0';
  const fraction = digits.slice(Math.max(pointAt, first), last).padStart(fractionDigits, '0');
  const plain = fraction === '' ? whole : `${whole}.${fraction}`;
  return { ok: true, value: isNegative ? `-${plain}` : plain };
}
