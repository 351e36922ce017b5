import { Problem, type ProblemDetail } from '../errors/problem.ts';
import { foldKeys, type KnownKeys, type OnUnknownKey } from './fold-keys.ts';
import { nearestName } from './nearest-name.ts';

/** A name in a body that means nothing there: it is ignored, and told, or refused when the caller is strict. */
export interface UnknownName extends ProblemDetail {
  /** As the body has it. */
  readonly name: string;
  readonly field: string;
}

/** What a name could have been. */
interface Expected {
  readonly code: 'unknownField' | 'unknownKey';
  /** For the sentence `companyNam is no field of Account`. */
  readonly kind: string;
  readonly known: Iterable<string>;
}

/** Finds what unknown names may have meant. */
export interface UnknownNames {
  /** @returns undefined when as many were found already as an answer tells. */
  find(path: string, name: string, expected: Expected): UnknownName | undefined;
}

/** Longer names are cut. */
const longestShown = 100;
/** Different names that are compared with the known ones. */
const mostCompared = 100;

/** For one request: what was compared once is not compared again, and at most `most` names are told. */
export function collectUnknownNames(most: number): UnknownNames {
  const suggestions = new Map<string, string | undefined>();
  let found = 0;
  const suggest = (name: string, { kind, known }: Expected): string | undefined => {
    const key = `${kind} ${name}`;
    if (!suggestions.has(key) && suggestions.size < mostCompared) suggestions.set(key, nearestName(name, known));
    return suggestions.get(key);
  };
  return {
    find(path, name, expected) {
      if (found >= most) return undefined;
      found += 1;
      const shown = name.slice(0, longestShown).toWellFormed();
      const nearest = suggest(shown, expected);
      const field = `${path}${shown}`;
      const question = nearest === undefined ? '' : `: did you mean ${nearest}?`;
      return { code: expected.code, name: shown, field, message: `${field} is no ${expected.kind}${question}` };
    },
  };
}

/** What a key is expected to be among `known`. */
export function expectedKey(known: KnownKeys): Expected {
  return { code: 'unknownKey', kind: 'known key', known: known.exact.keys() };
}

/** The most names that an answer about one thing tells. */
export const mostUnknownNames = 100;

/** Takes note of the unknown keys of a body while it is read; each is named with its path. */
export function noteUnknownKeys(): { readonly found: readonly UnknownName[]; readonly note: OnUnknownKey } {
  const names = collectUnknownNames(mostUnknownNames);
  const found: UnknownName[] = [];
  return {
    found,
    note(key, path, expected) {
      const one = names.find(path, key, expectedKey(expected));
      if (one !== undefined) found.push({ ...one, name: one.field });
    },
  };
}

/** The keys of a body, at every level, that are not among the known ones; none when the body is no object. */
export function unknownKeysOf(body: unknown, known: KnownKeys): readonly UnknownName[] {
  const { found, note } = noteUnknownKeys();
  try {
    foldKeys(body, known, note);
  } catch (error) {
    // What is wrong with the body is said by its reader.
    if (!(error instanceof Problem)) throw error;
  }
  return found;
}
