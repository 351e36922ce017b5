import { Problem } from '@callout/domain/problem';

/**
 * A list of a body to be parsed in pieces: where the items begin and end, and the commas between the pieces, in bytes.
 */
export interface LongList {
  readonly from: number;
  readonly to: number;
  readonly commas: readonly number[];
}

/** A value takes the parser up to a microsecond. */
const valuesPerPiece = 10_000;
/** The most values to be parsed without a pause: a tenth of a second. No event has a tenth as many. */
const mostValuesAtOnce = 100_000;
const BRACKET = 0x5b;

/** Finds the long lists of a body while the bytes are read: the whole body, or direct members. */
export function watchLongLists(lists: LongList[]) {
  /** The open list; depth 0: no list is open. `before`: the number of values before the list. */
  let openList = { depth: 0, from: 0, before: 0, commas: [] as number[] };
  let [pieceBefore, inLists, largestPiece] = [0, 0, 0];
  const endPiece = (values: number): void => {
    largestPiece = Math.max(largestPiece, values - pieceBefore);
    pieceBefore = values;
  };
  return {
    /** An object or list begins. @param values how many began before. */
    opens(byte: number, depth: number, at: number, values: number): void {
      if (openList.depth !== 0 || depth > 2 || byte !== BRACKET) return;
      openList = { depth, from: at + 1, before: values, commas: [] };
      pieceBefore = values;
    },
    separates(depth: number, at: number, values: number): void {
      if (depth !== openList.depth || values - pieceBefore < valuesPerPiece) return;
      endPiece(values);
      openList.commas.push(at);
    },
    closes(depth: number, at: number, values: number): void {
      if (depth !== openList.depth) return;
      const { from, before, commas } = openList;
      openList = { ...openList, depth: 0 };
      if (commas.length === 0) return;
      endPiece(values);
      inLists += values - before;
      lists.push({ from, to: at, commas });
    },
    /** Throws a Problem (400) when more values would be parsed at once than may be. */
    end(values: number): void {
      if (Math.max(largestPiece, values - inLists) <= mostValuesAtOnce) return;
      const message = `One item of a list of the body, such as an event, must have ${mostValuesAtOnce} values at most.`;
      throw new Problem('invalid', [{ code: 'tooLarge', message }]);
    },
  };
}
