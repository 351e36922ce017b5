import { Problem, type ProblemDetail } from '../problem.ts';
import { foldKeys, type KnownKeys, type OnUnknownKey } from './fold-keys.ts';
import { nearestName } from './nearest-name.ts';

/** A name in a body without a meaning there: it is ignored and reported, or refused when the caller is strict. */
export interface UnknownName extends ProblemDetail {
  /** The name as given. */
  readonly name: string;
  readonly field: string;
}

/** The known names. */
interface Expected {
  readonly code: 'unknownField' | 'unknownKey';
  /** For the sentence `companyNam is no field of Account`. */
  readonly kind: string;
  /** Read only when a name is compared with them. */
  readonly known: Iterable<string>;
}

/** Finds the known names that unknown ones may have meant. */
export interface UnknownNames {
  /** @returns undefined when the maximum for one response is reached. */
  find(path: string, name: string, expected: Expected): UnknownName | undefined;
}

/** Longer names are cut. */
const longestShown = 100;
/** Maximum number of different names that are compared with the known ones. */
const mostCompared = 100;

/** For one request: a name is compared only once, and at most `most` names are reported. */
export function collectUnknownNames(most: number): UnknownNames {
  const suggestions = new Map<string, string | undefined>();
  let hints = 0;
  const suggest = (name: string, expected: Expected): string | undefined => {
    const key = `${expected.kind} ${name}`;
    if (!suggestions.has(key) && suggestions.size < mostCompared) {
      suggestions.set(key, nearestName(name, expected.known));
    }
    return suggestions.get(key);
  };
  return {
    find(path, name, expected) {
      if (hints >= most) return undefined;
      hints += 1;
      const shown = name.slice(0, longestShown).toWellFormed();
      const nearest = suggest(shown, expected);
      const field = `${path}${shown}`;
      const question = nearest === undefined ? '' : `: did you mean ${nearest}?`;
      return { code: expected.code, name: shown, field, message: `${field} is no ${expected.kind}${question}` };
    },
  };
}

/** The expectation of a key among `known`. */
export function expectedKey(knownKeys: KnownKeys): Expected {
  return { code: 'unknownKey', kind: 'known key', known: knownKeys.exact.keys() };
}

/** Maximum number of unknown names in a response about one thing. */
export const mostUnknownNames = 100;

/** Collects the unknown keys of a body while reading; each is named with its path. */
export function noteUnknownKeys(): { readonly found: readonly UnknownName[]; readonly note: OnUnknownKey } {
  const names = collectUnknownNames(mostUnknownNames);
  const unknownNames: UnknownName[] = [];
  return {
    found: unknownNames,
    note(key, path, expected) {
      const one = names.find(path, key, expectedKey(expected));
      if (one !== undefined) unknownNames.push({ ...one, name: one.field });
    },
  };
}

/** The unknown keys of a body, at every level; none when the body is no object. */
export function unknownKeysOf(body: unknown, knownKeys: KnownKeys): readonly UnknownName[] {
  const { found: unknownNames, note } = noteUnknownKeys();
  try {
    foldKeys(body, knownKeys, note);
  } catch (error) {
    // The reader of the body reports what is wrong with it.
    if (!(error instanceof Problem)) throw error;
  }
  return unknownNames;
}
