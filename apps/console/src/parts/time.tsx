import { Tooltip } from '@mantine/core';

const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/**
 * A time in the viewer's zone; UTC on hover.
 * @param value ISO 8601, as the API writes it.
 */
export function Time({ value }: { readonly value: string }) {
  const at = new Date(value);
  return (
    <Tooltip label={`${at.toISOString().replace('T', ' ').replace('Z', '')} UTC`}>
      <time dateTime={value}>{format.format(at)}</time>
    </Tooltip>
  );
}
