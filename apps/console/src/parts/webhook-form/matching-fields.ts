import type { FieldChoice } from './field-choices-query.ts';

/** What a field is, such as `string`, or `user-defined list`. */
export const typeOf = ({ type, isUserDefined }: FieldChoice): string => (isUserDefined ? `user-defined ${type}` : type);

/**
 * The fields with all of these words in name, label, type or description; those whose name or label begins with the
 * text come first.
 */
export function matchingFields(choices: readonly FieldChoice[], search: string): readonly FieldChoice[] {
  const text = search.trim().toLowerCase();
  const words = text.split(/\s+/u);
  const matching = choices.filter((choice) => {
    const all = `${choice.label} ${choice.name} ${typeOf(choice)} ${choice.description}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
  const begins = ({ label, name }: FieldChoice) => [label, name].some((one) => one.toLowerCase().startsWith(text));
  return text === '' ? matching : [...matching.filter(begins), ...matching.filter((choice) => !begins(choice))];
}
