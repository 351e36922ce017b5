import { TextInput, type TextInputProps } from '@mantine/core';

interface MomentInputProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  /** ISO 8601; undefined: none. */
  readonly value: string | undefined;
  readonly onChange: (moment: string | null) => void;
}

/** A moment, given in the viewer's zone. */
export function MomentInput({ value, onChange, ...rest }: MomentInputProps) {
  return (
    <TextInput
      {...rest}
      type="datetime-local"
      value={value === undefined ? '' : localOf(new Date(value))}
      onChange={({ currentTarget: { value: local } }) => onChange(local === '' ? null : new Date(local).toISOString())}
    />
  );
}

/** As the input wants it: the local time without a zone, to the minute. */
function localOf(moment: Date): string {
  return new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
