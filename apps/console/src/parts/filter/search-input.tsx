import { TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';

interface SearchInputProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  /** What is looked for; undefined: nothing. */
  readonly value: string | undefined;
  /** Called when the person pauses. */
  readonly onChange: (text: string) => void;
}

/** A text to look for. */
export function SearchInput({ value, onChange, ...rest }: SearchInputProps) {
  const [text, setText] = useState(value ?? '');
  const report = useDebouncedCallback((typed: string) => onChange(typed.trim()), 250);
  return (
    <TextInput
      type="search"
      {...rest}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        report(event.currentTarget.value);
      }}
    />
  );
}
