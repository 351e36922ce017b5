import { Problem } from '@callout/domain/problem';

/** A list of a body that is parsed in pieces. */
export interface LongList {
  /** Where the items begin, in bytes. */
  readonly from: number;
  /** Where the bracket is that ends them. */
  readonly to: number;
  /** The commas between the pieces. */
  readonly commas: readonly number[];
}

/** A value takes the parser up to a microsecond. */
const VALUES_PER_PIECE = 10_000;
/** The most values that are parsed without a pause: a tenth of a second. No event has a tenth as many. */
export const MAX_VALUES_AT_ONCE = 100_000;

const BRACKET = 0x5b;

/** Finds the long lists of a body, while its bytes are read: the body itself, or members of it. */
export function watchLongLists(lists: LongList[]) {
  /** The depth of the list that is open; 0: none. */
  let openAt = 0;
  let [from, valuesBefore, pieceBefore] = [0, 0, 0];
  let commas: number[] = [];
  let [inLists, largestPiece] = [0, 0];
  const endPiece = (values: number): void => {
    largestPiece = Math.max(largestPiece, values - pieceBefore);
    pieceBefore = values;
  };
  return {
    /** An object or list begins. @param values how many began before. */
    opens(byte: number, depth: number, at: number, values: number): void {
      if (openAt !== 0 || depth > 2 || byte !== BRACKET) return;
      [openAt, from, valuesBefore, pieceBefore, commas] = [depth, at + 1, values, values, []];
    },
    separates(depth: number, at: number, values: number): void {
      if (depth !== openAt || values - pieceBefore < VALUES_PER_PIECE) return;
      endPiece(values);
      commas.push(at);
    },
    closes(depth: number, at: number, values: number): void {
      if (depth !== openAt) return;
      openAt = 0;
      if (commas.length === 0) return;
      endPiece(values);
      inLists += values - valuesBefore;
      lists.push({ from, to: at, commas });
    },
    /** Throws a Problem (400) when more values would be parsed at once than may be. */
    end(values: number): void {
      if (Math.max(largestPiece, values - inLists) <= MAX_VALUES_AT_ONCE) return;
      const message = `One item of a list of the body, such as an event, must have ${MAX_VALUES_AT_ONCE} values at most.`;
      throw new Problem('invalid', [{ code: 'tooLarge', message }]);
    },
  };
}
