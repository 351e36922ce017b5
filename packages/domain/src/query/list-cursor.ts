import { createSignedTokens, type CursorScope } from './signed-token.ts';

/** The position of a page of a list: after or before the row with the id in the order of the list. */
export interface ListPosition {
  readonly direction: 'after' | 'before';
  /** A UUID. */
  readonly id: string;
}

/** A continued list: the position, and the parameters of the query string on the first page. */
export interface ResumedList {
  readonly position: ListPosition;
  readonly parameters: Readonly<Record<string, string>>;
}

/** The tokens of lists that are filtered by parameters of the query string. */
export interface ListCursors {
  issue(scope: CursorScope, list: ResumedList): string;
  /** @throws an `invalid` Problem when the token is invalid, was made for another tenant or list, or by other keys. */
  resume(scope: CursorScope, token: unknown): ResumedList;
}

/** Tokens of lists; see createSignedTokens for the keys. The parameters of a list are short, and all fit. */
export function createListCursors(keys: readonly Uint8Array[]): ListCursors {
  const tokens = createSignedTokens(keys, 'callout list token v1');
  return {
    issue: (scope, { position: { direction, id }, parameters }) => tokens.sign(scope, [direction, id, parameters]),
    resume(scope, token) {
      const [direction, id, parameters] = tokens.verify(scope, token) as Content;
      return { position: { direction, id }, parameters };
    },
  };
}

type Content = readonly [ListPosition['direction'], string, Readonly<Record<string, string>>];
