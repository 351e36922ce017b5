/** A value of a list field. */
export interface ListValue {
  readonly value: string | number;
  readonly label: string;
}

/** A line for each value: the number in records, and the label for people. */
export const textOfValues = (values: readonly ListValue[]): string =>
  values.map(({ value, label }) => `${value} ${label}`).join('\n');

/** Reads the lines; the API refuses a line without a number. Empty lines count for nothing. */
export function valuesOfText(text: string): ListValue[] {
  return text.split('\n').flatMap((line) => {
    const [, value = '', label = ''] = /^\s*(-?\d*)[\s,:=]*(.*?)\s*$/u.exec(line) ?? [];
    return value === '' && label === '' ? [] : [{ value, label }];
  });
}
