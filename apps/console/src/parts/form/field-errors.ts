import { ApiError } from '@callout/client';

/** The sentences of a refused request that are about one input. */
export function errorsAt(error: unknown, field: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const own = error.details.filter(
    (detail) => detail.field === field || [`${field}[`, `${field}.`].some((begin) => detail.field?.startsWith(begin)),
  );
  return own.length === 0 ? undefined : own.map(({ message }) => message).join(' ');
}
