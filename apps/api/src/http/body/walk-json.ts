import { endOfText } from './json-shape.ts';

/** Further places are not reported: the first few warnings are enough. */
export const mostReported = 10;
const longestStep = 100;

const [QUOTE, BACKSLASH, COMMA, ANY_OPENING, ANY_CLOSING, BRACKET] = [0x22, 0x5c, 0x2c, 0x7b, 0x7d, 0x5b];
const BRACE_BIT = 0x20;

/** An object or array around a place of the body: the key, or the number of the element, that leads to the place. */
interface Level {
  readonly isArray: boolean;
  isKeyNext: boolean;
  step: string | number;
}

interface Visitor {
  /** Sees each byte outside of texts, and where each text begins. */
  readonly onByte?: (at: number, path: () => string) => boolean;
  /** Sees each key of an object, as the step of its level. */
  readonly onKey?: (level: Level, path: () => string) => boolean;
}

/**
 * Walks a valid body until a function of the visitor returns false. A path looks like `events[3].fields.assetValue`.
 */
export function walkJson(bytes: Buffer, { onByte, onKey }: Visitor): void {
  const levels: Level[] = [];
  const path = () => pathOf(levels);
  for (let at = 0; at < bytes.length; at += 1) {
    if (onByte?.(at, path) === false) return;
    const byte = bytes[at] as number;
    const level = levels.at(-1);
    if (byte === QUOTE) {
      const end = endOfText(bytes, at + 1, bytes.length);
      if (level?.isKeyNext === true) {
        level.step = keyOf(bytes.subarray(at, end + 1));
        level.isKeyNext = false;
        if (onKey?.(level, path) === false) return;
      }
      at = end;
    } else if (byte === COMMA && level !== undefined) {
      if (level.isArray) level.step = Number(level.step) + 1;
      else level.isKeyNext = true;
    } else if ((byte | BRACE_BIT) === ANY_OPENING) {
      const isArray = byte === BRACKET;
      levels.push({ isArray, isKeyNext: !isArray, step: isArray ? 0 : '' });
    } else if ((byte | BRACE_BIT) === ANY_CLOSING) levels.pop();
  }
}

/** The text of a key, from the text with quotes. */
function keyOf(quoted: Buffer): string {
  if (quoted.includes(BACKSLASH)) return JSON.parse(quoted.toString('utf8')) as string;
  return quoted.toString('utf8', 1, quoted.length - 1);
}

function pathOf(levels: readonly Level[]): string {
  const steps = levels.map(({ isArray, step }) => (isArray ? `[${step}]` : `.${String(step).slice(0, longestStep)}`));
  return steps.join('').replace(/^\./u, '');
}
