/**
 * The headers of a request, as any framework has them: a `Headers` of the Fetch API, or an object of names and values,
 * in any case.
 */
export type RequestHeaders =
  { get(name: string): string | null } | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * @param name in lower case.
 * @returns undefined for a header that is absent or came more than once: no signed header may come twice.
 */
export function headerValue(headers: RequestHeaders, name: string): string | undefined {
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined;
  const values = Object.entries(headers)
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, value]) => value ?? []);
  return values.length === 1 ? values[0] : undefined;
}
