import { z } from 'zod';

/**
 * The documentation of one key in `docs/configuration.md`. `default` is shown as text; a key without one is required.
 */
export interface KeyNote {
  readonly description: string;
  /** The form of the value: `whole number, 0 to 65535`. Error messages use it, too. */
  readonly accepts: string;
  readonly default?: string;
  /** Never shown; may be given as a file. */
  readonly isSecret?: boolean;
}

/** The notes of all keys, found by schema: the documentation cannot contradict the parser. */
export const keyNotes = z.registry<KeyNote>();

/** An invalid text. It never contains the value of a secret key. */
export class UnreadableValue extends Error {}

/** Reads text that a pattern accepts, unchanged. */
export function like(pattern: RegExp): (text: string) => string {
  return (text) => {
    if (pattern.test(text)) return text;
    throw new UnreadableValue();
  };
}

/** The entries of a comma-separated list, without blanks around them and without empty ones. */
export function commaSeparated(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** Reads a comma-separated list of texts that a pattern accepts. @param what one of them is, for the refusal. */
export function listOf(pattern: RegExp, what: string): (text: string) => string[] {
  return (text) =>
    commaSeparated(text).map((entry) => {
      if (pattern.test(entry)) return entry;
      throw new UnreadableValue(`${JSON.stringify(entry)} is no ${what}`);
    });
}

interface KeyRules<T> {
  readonly description: string;
  readonly accepts: string;
  /** Turns the text of the environment variable into its value, or throws `UnreadableValue`. */
  readonly read: (text: string) => T;
  /** The default, written as in the environment and read by the same rules. */
  readonly default?: string;
  /** The value of an optional key without a default. Shown as `(none)`. */
  readonly whenAbsent?: T;
  /** For a required key: how to get a value, as a sentence. */
  readonly howToSet?: string;
  /** Keeps the value out of error messages. */
  readonly isSecret?: boolean;
}

/**
 * One configuration key. An empty or blank variable counts as absent, since compose files and CI systems set unset
 * variables to empty ones.
 */
export function key<T>(rules: KeyRules<T>): z.ZodType<T, string | undefined> {
  const schema = z
    .string()
    .optional()
    .transform((text, context): T => {
      const value = text === undefined || text.trim() === '' ? rules.default : text.trim();
      if (value === undefined && 'whenAbsent' in rules) return rules.whenAbsent;
      if (value === undefined) {
        context.addIssue({ code: 'custom', message: `is missing. ${rules.howToSet ?? `Set it: ${rules.accepts}.`}` });
        return z.NEVER;
      }
      try {
        return rules.read(value);
      } catch (error) {
        if (!(error instanceof UnreadableValue)) throw error;
        const shown = rules.isSecret === true ? '' : `, not ${JSON.stringify(value.slice(0, 100))}`;
        const why = error.message === '' ? '' : ` (${error.message})`;
        context.addIssue({ code: 'custom', message: `must be ${rules.accepts}${shown}${why}` });
        return z.NEVER;
      }
    });
  const defaultText = 'whenAbsent' in rules ? '(none)' : rules.default;
  return schema.register(keyNotes, {
    description: rules.description,
    accepts: rules.accepts,
    ...(defaultText === undefined ? {} : { default: defaultText }),
    isSecret: rules.isSecret === true,
  });
}
