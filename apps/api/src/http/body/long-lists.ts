import { Problem } from '@callout/domain/problem';

/** A list of a body that is parsed in pieces: where its items begin and end, and the commas between the pieces, in bytes. */
export interface LongList {
  readonly from: number;
  readonly to: number;
  readonly commas: readonly number[];
}

/** A value takes the parser up to a microsecond. */
const valuesPerPiece = 10_000;
/** The most values that are parsed without a pause: a tenth of a second. No event has a tenth as many. */
const mostValuesAtOnce = 100_000;
const BRACKET = 0x5b;

/** Finds the long lists of a body while its bytes are read: the body itself, or members of it. */
export function watchLongLists(lists: LongList[]) {
  /** The list that is open; depth 0: none. Its values, and those of its present piece, come after so many others. */
  let open = { depth: 0, from: 0, before: 0, commas: [] as number[] };
  let [pieceBefore, inLists, largestPiece] = [0, 0, 0];
  const endPiece = (values: number): void => {
    largestPiece = Math.max(largestPiece, values - pieceBefore);
    pieceBefore = values;
  };
  return {
    /** An object or list begins. @param values how many began before. */
    opens(byte: number, depth: number, at: number, values: number): void {
      if (open.depth !== 0 || depth > 2 || byte !== BRACKET) return;
      open = { depth, from: at + 1, before: values, commas: [] };
      pieceBefore = values;
    },
    separates(depth: number, at: number, values: number): void {
      if (depth !== open.depth || values - pieceBefore < valuesPerPiece) return;
      endPiece(values);
      open.commas.push(at);
    },
    closes(depth: number, at: number, values: number): void {
      if (depth !== open.depth) return;
      const { from, before, commas } = open;
      open = { ...open, depth: 0 };
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
