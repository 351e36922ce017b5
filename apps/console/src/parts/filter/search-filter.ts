import { useNavigate, useSearch } from '@tanstack/react-router';

/** What the address of a page carries behind the `?`. Anything may stand there: it is typed by hand, too. */
export type Search = Readonly<Record<string, unknown>>;

/**
 * What the address narrows a page to, so that it can be sent to a colleague.
 * @returns the filter, and how to change some of it; undefined, null and an empty text leave the address.
 */
export function useSearchFilter<Filter extends object>(
  read: (search: Search) => Filter,
): [Filter, (change: { readonly [Name in keyof Filter]?: Filter[Name] | null }) => void] {
  const filter = read(useSearch({ strict: false }));
  const navigate = useNavigate();
  return [
    filter,
    (change) =>
      void navigate({
        to: '.',
        search: (before: Search) => withoutEmpty({ ...before, ...change }),
        replace: true,
      }),
  ];
}

const withoutEmpty = (search: Search): Search =>
  Object.fromEntries(
    Object.entries(search).filter(([, value]) => value !== undefined && value !== null && value !== ''),
  );

/** A text of an address; undefined without one. Numbers that a person typed there count as text. */
export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

/** One of some words. */
export function wordIn<Word extends string>(words: readonly Word[], value: unknown): Word | undefined {
  return words.find((word) => word === value);
}

/** A whole number above 0. */
export function countIn(value: unknown): number | undefined {
  const number = Number(value);
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

/** A time, as it was written. */
export function instantIn(value: unknown): string | undefined {
  const text = textIn(value);
  return text !== undefined && !Number.isNaN(Date.parse(text)) ? text : undefined;
}
