const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/**
 * A time in the viewer's zone; UTC on hover.
 * @param value ISO 8601, as the API writes it.
 */
export function Time({ value }: { readonly value: string }) {
  const at = new Date(value);
  return (
    <time dateTime={value} title={`${at.toISOString().replace('T', ' ').replace('Z', '')} UTC`}>
      {format.format(at)}
    </time>
  );
}
