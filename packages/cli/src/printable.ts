/**
 * Characters that can control a terminal or disguise text: control characters of C0 and C1, among them ESC and the
 * one-character CSI, line separators, and marks that reverse the direction of text.
 */
const steering = /[\p{Cc}\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/** Foreign text, such as the name of a webhook or a receiver's response, as a line that is safe on any terminal. */
export function printable(text: string): string {
  return text.replaceAll(steering, '·');
}

/** The same with all lines. */
export function printableLines(text: string): string {
  return text
    .split(/\r?\n/u)
    .map((line) => printable(line.replaceAll('\t', '  ')))
    .join('\n');
}

/** JSON on one line. Control characters are escaped, for terminals; the value is the same. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    steering,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The styles of `createOutput`, and nothing else that begins with ESC. */
// oxlint-disable-next-line no-control-regex
const ownStyle = /(\u001B\[(?:1|2|22|31|32|33|39)m)/u;

/** Text that is safe for a terminal: the styles of the program stay; other control sequences are removed. */
export function safeForTerminal(text: string): string {
  return text
    .split(ownStyle)
    .map((part, index) => (index % 2 === 1 ? part : printableLines(part)))
    .join('');
}

const wide =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|\p{Emoji_Presentation}/u;
const zero = /^(?:\p{Mn}|\p{Me}|\u200B|\u200C|\u200D)$/u;

/** The number of terminal columns of a printable text. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += zero.test(character) ? 0 : wide.test(character) ? 2 : 1;
  return width;
}

/** The beginning of a text that fits into so many columns, with an ellipsis where something was left out. */
export function shortened(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let kept = '';
  for (const character of text) {
    if (widthOf(kept + character) > columns - 1) break;
    kept += character;
  }
  return `${kept}…`;
}
